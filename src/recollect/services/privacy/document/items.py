"""What is in the document of an export, item by item, in either format."""

import json
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, BinaryIO, Final, NamedTuple

from recollect.domain.text import JsonObject, JsonValue
from recollect.domain.transfer.document import MANIFEST, Part, check_header
from recollect.errors import InvalidInput
from recollect.services.privacy.document.json_stream import MAX_VALUE, JsonStream, decoder_for

_ZIP: Final = b"PK\x03\x04"
_HEADER: Final = frozenset({"format", "version", "exported_at", "owner"})
_LISTS: Final = frozenset({*Part} - {Part.STATE, Part.SESSIONS, Part.MESSAGES})
_MAX_MANIFEST: Final = 1_000_000
_UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


class Item(NamedTuple):
    """An item of a document, and where it is."""

    part: Part
    place: str
    value: JsonValue
    characters: int


HeaderCheck = Callable[[JsonObject], None]
"""Refuses the header of a document with `InvalidInput`."""


def items_of(source: BinaryIO, *, check: HeaderCheck = check_header) -> Iterator[Item]:
    """Yield the items of a document; sessions come without messages, these after them.

    `check` may refuse its header.

    Raises:
        InvalidInput: it is no document, or no further; the field says where.
    """
    try:
        beginning = source.read(len(_ZIP))
        if beginning == _ZIP:
            yield from _archived(source, check)
        else:
            yield from _document(JsonStream(_Continued(beginning, source).read), check)
    except OSError as error:
        raise InvalidInput("file", f"cannot be read: {error.strerror}") from None


class _Continued:
    """A source whose beginning was read already."""

    def __init__(self, beginning: bytes, source: BinaryIO) -> None:
        self._beginning = beginning
        self._source = source

    def read(self, size: int) -> bytes:
        if self._beginning:
            beginning, self._beginning = self._beginning, b""
            return beginning
        return self._source.read(size)


def _document(stream: JsonStream, check: HeaderCheck) -> Iterator[Item]:
    if not stream.begins_object():
        problem = "is no export of Recollect: that is a JSON object, or a ZIP archive of its parts"
        raise InvalidInput("file", problem)
    header: dict[str, JsonValue] = {}
    for name in stream.members():
        if name in _HEADER:
            header[name] = stream.value()
            continue
        check(header)
        if name in _LISTS:
            yield from _listed(stream, Part(name))
        elif name == Part.STATE:
            value = stream.value()
            if value is not None:
                yield Item(Part.STATE, name, value, stream.characters)
        elif name == Part.SESSIONS:
            yield from _nested(stream)
        else:
            allowed = ", ".join(sorted({*_HEADER, *_LISTS, Part.STATE, Part.SESSIONS}))
            raise InvalidInput("document", f"may have these members alone: {allowed}")
    check(header)
    stream.end()


def _listed(stream: JsonStream, part: Part, within: str = "") -> Iterator[Item]:
    for position in stream.items():
        value = stream.value()
        yield Item(part, f"{within}{part}[{position}]", value, stream.characters)


def _nested(stream: JsonStream) -> Iterator[Item]:
    for position in stream.items():
        place = f"{Part.SESSIONS}[{position}]"
        session: dict[str, JsonValue] = {}
        characters = 0
        is_told = False
        for name in stream.members():
            if is_told:
                raise InvalidInput(f"{place}.{Part.MESSAGES}", "must be the last member")
            if name == Part.MESSAGES:
                yield Item(Part.SESSIONS, place, session, characters)
                is_told = True
                for item in _listed(stream, Part.MESSAGES, f"{place}."):
                    _check_belongs(item, session)
                    yield item
            else:
                session[name] = stream.value()
                characters += stream.characters
        if not is_told:
            yield Item(Part.SESSIONS, place, session, characters)


def _check_belongs(item: Item, session: JsonObject) -> None:
    of_message = item.value.get("session_id") if isinstance(item.value, dict) else None
    if of_message != session.get("session_id"):
        raise InvalidInput(f"{item.place}.session_id", "must be that of the session it is in")


def _archived(source: BinaryIO, check: HeaderCheck) -> Iterator[Item]:
    if not source.seekable():
        raise InvalidInput("file", "is a ZIP archive, which must be a file and no pipe")
    try:
        with zipfile.ZipFile(source) as archive:
            counts = _counts_in(archive, check)
            for part in Part:
                yield from _file_of(archive, part, expected=counts.get(part, 0))
    except _UNREADABLE as error:
        raise InvalidInput("file", f"is a broken archive: {error}") from None


def _counts_in(archive: zipfile.ZipFile, check: HeaderCheck) -> JsonObject:
    if MANIFEST not in archive.namelist():
        raise InvalidInput("file", f"is an archive without {MANIFEST}")
    with archive.open(MANIFEST) as file:
        text = file.read(_MAX_MANIFEST)
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(MANIFEST, "must be JSON in UTF-8") from None
    if not isinstance(manifest, dict):
        raise InvalidInput(MANIFEST, "must be a JSON object")
    check(manifest)
    counts = manifest.get("counts")
    return counts if isinstance(counts, dict) else {}


def _file_of(archive: zipfile.ZipFile, part: Part, *, expected: JsonValue) -> Iterator[Item]:
    name, count = part.file_name, 0
    if name in archive.namelist():
        with archive.open(name) as file:
            for item in _lines_of(file, part):
                yield item
                count += 1
    if count != expected:
        raise InvalidInput(name, f"has {count} items, and {MANIFEST} says {expected}")


def _lines_of(file: IO[bytes], part: Part) -> Iterator[Item]:
    number = 0
    while line := file.readline(MAX_VALUE + 1):
        number += 1
        place = f"{part.file_name}:{number}"
        if len(line) > MAX_VALUE:
            raise InvalidInput(place, f"is longer than {MAX_VALUE:,} bytes")
        if line.strip():
            yield Item(part, place, _decoded(line, place), len(line))


def _decoded(line: bytes, place: str) -> JsonValue:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise InvalidInput(place, "must be UTF-8") from None
    try:
        value: JsonValue = decoder_for(len(text)).decode(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(place, f"is no JSON: {error.msg}") from None
    except (ValueError, RecursionError):
        raise InvalidInput(place, "is no JSON that can be read") from None
    return value
