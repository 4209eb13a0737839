"""Masks in the place of personal data: the same for the same value of one owner, for nobody else.

A mask is made with a keyed hash. Without the key nobody can tell, or try out, what it stands for.
"""

import hmac
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Final
from uuid import UUID

from recollect.domain.privacy.kinds import PersonalDataKind
from recollect.domain.privacy.names import NO_NAMES, FindNames, KnownNames, Span, names_in
from recollect.domain.privacy.personal_data import (
    PersonalData,
    blanked_out,
    personal_data_in,
)
from recollect.domain.text import JsonValue
from recollect.errors import ConfigurationError

LEAST_KEY: Final = 32
"""Characters that the key has at least."""
_LETTERS: Final = "bcdfghjkmnpqrtvw"
_NUMBERS: Final = "23456789"
_PAIRS: Final = len(_LETTERS) * len(_NUMBERS)
_SHORT_PAIRS: Final = 4
"""Of `mask`: 28 bits. Two of a thousand values of an owner share a mask once in 500 owners."""
_LONG_PAIRS: Final = 18
"""Of `hash`: 126 bits, so that no two values share one."""
_QUOTED: Final = re.compile(
    r"'(?:[^'\\]++|''|\\'(?=\w)|\\)*+'?|\"[^\"]*+\"?|--[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?"
)
"""What a statement has in quotes, and its comments.

A text goes on after a quote with a backslash before and a letter behind it: some databases write
`'it\\'s'`, and in others a text that ends with a backslash is followed by no letter.
"""
_LONGEST_LABELLED: Final = 64
"""Characters of a value in JSON whose key tells what it is; a longer one tells by itself."""
_FEWEST_DIGITS: Final = 7
_MASK: Final = re.compile(
    rf"\[(?:{'|'.join(PersonalDataKind)}):(?:[{_LETTERS}][{_NUMBERS}]){{{_SHORT_PAIRS},{_LONG_PAIRS}}}\]"
)
Write = Callable[[PersonalData], str]


class MaskingMode(StrEnum):
    """What stands in the place of personal data in what is stored."""

    OFF = "off"
    """Nothing: it is stored as it is."""
    MASK = "mask"
    """A short mask, such as `[email:k7f2m9q4]`, that people and models can read."""
    HASH = "hash"
    """A long one that no two values share, for programs that compare and count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskingPolicies:
    """Whether personal data is masked where a tenant has not set it, and the key of the masks."""

    usual: MaskingMode = MaskingMode.OFF
    key: bytes = field(default=b"", repr=False)

    def masker(
        self, owner_id: UUID, mode: MaskingMode, *, find_names: FindNames | None = None
    ) -> "Masker | None":
        """What masks the personal data of an owner; None if nothing is masked.

        Names of people are masked where something finds them.

        Raises:
            ConfigurationError: a tenant's is to be masked, and the server has no key any more.
        """
        if mode is MaskingMode.OFF:
            return None
        if not self.key:
            raise ConfigurationError(
                "personal data of this tenant is masked, which needs MEMORY_MASKING_KEY: nothing "
                "is stored without it"
            )
        key = hmac.digest(self.key, b"owner:" + owner_id.bytes, sha256)
        pairs = _SHORT_PAIRS if mode is MaskingMode.MASK else _LONG_PAIRS
        return Masker(key=key, pairs=pairs, find_names=find_names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Masker:
    """Masks the personal data of one owner; what is masked already stays as it is."""

    key: bytes = field(repr=False)
    pairs: int
    find_names: FindNames | None = None
    """None: names of people stay."""

    def text(self, text: str) -> str:
        """A text with masks."""
        (masked,) = self.texts([text])
        return masked

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Texts with masks; many are quicker read for names than one after the other."""
        every = zip(texts, self._found_in(texts), strict=True)
        return [_replaced(text, found, self._mask) for text, found in every]

    def sql(self, sql: str, *, known: KnownNames = NO_NAMES) -> str:
        """A statement with masks, which can still be parsed: a bare number becomes a text.

        Names are looked for in texts and comments alone: elsewhere they are names of columns.
        """
        quoted = [part.span() for part in _QUOTED.finditer(sql)]
        found = personal_data_in(sql)
        if self.find_names is not None:
            spans = self._spans_in_sql(sql, quoted, known)
            found = _with_names(sql, found, spans, apart=_around(quoted, len(sql)))
            # Those that the statement's own quotes tear: 'O'Brien', not doubled.
            torn = [span for span in known.spans_in(sql) if "'" in sql[slice(*span)]]
            found = _with_names(sql, found, torn) if torn else found
        return _replaced(sql, found, _in_sql(self._mask, quoted)) if found else sql

    def json(self, value: JsonValue, *, label: str = "", known: KnownNames = NO_NAMES) -> JsonValue:
        """JSON with masks in its texts, keys and whole numbers; `label` is the key it is under.

        What it has of `known` names is masked, too.
        """
        names = self._names_in_json(value, known)
        return self._json(value, label, names)

    def masks_in(self, text: str) -> dict[str, str]:
        """The masks of the personal data in a text, each with the first value as it is written."""
        masks: dict[str, str] = {}
        (found,) = self._found_in([text])
        for one in found:
            masks.setdefault(self._mask(one), text[one.start : one.end])
        return masks

    def known_names(self, *texts: str) -> KnownNames:
        """The names in texts, for what belongs to them and does not show that they are names."""
        if self.find_names is None:
            return NO_NAMES
        return KnownNames.of(
            text[one.start : one.end]
            for text, found in zip(texts, self._found_in(texts), strict=True)
            for one in found
            if one.kind is PersonalDataKind.NAME
        )

    def _found_in(self, texts: Sequence[str]) -> list[list[PersonalData]]:
        found = [*map(personal_data_in, texts)]
        if self.find_names is None:
            return found
        every = zip(texts, found, self.find_names(texts), strict=True)
        return [_with_names(text, others, spans) for text, others, spans in every]

    def _spans_in_sql(self, sql: str, quoted: Sequence[Span], known: KnownNames) -> Iterator[Span]:
        """Where names stand; of what is in double quotes only several words are read.

        One word in double quotes is nearly always a column.
        """
        assert self.find_names is not None  # noqa: S101  # asked by `sql`
        parts = [(start, sql[start:end]) for start, end in quoted]
        read = [(start, part) for start, part in parts if part[0] != '"' or " " in part]
        texts = [part.strip("'\"") for _, part in read]
        for (start, part), text, spans in zip(read, texts, self.find_names(texts), strict=True):
            shift = start + part.index(text)
            yield from ((one + shift, end + shift) for one, end in spans)
        for start, part in parts:
            yield from ((one + start, end + start) for one, end in known.spans_in(part))

    def _names_in_json(self, value: JsonValue, known: KnownNames) -> Mapping[str, Sequence[Span]]:
        """Where names stand in each text; of keys only several words are read.

        One word is nearly always a key of a program's, unless a text has the same as a name.
        """
        if self.find_names is None:
            return {}
        keys, values = dict.fromkeys(_keys_in(value)), dict.fromkeys(_texts_in(value))
        read = [*({key: None for key in keys if " " in key} | values)]
        spans = dict(zip(read, self.find_names(read), strict=True))
        known |= KnownNames.of(
            text[one.start : one.end] for text in read for one in names_in(text, spans[text])
        )
        return {text: [*spans.get(text, ()), *known.spans_in(text)] for text in keys | values}

    def _json(self, value: JsonValue, label: str, names: Mapping[str, Sequence[Span]]) -> JsonValue:
        match value:
            case str():
                return self._labelled(value, label, names)
            case None | bool() | float():
                return value
            case int():
                return self._number(value, label)
            case Mapping():
                return {
                    self._labelled(key, "", names): self._json(item, key[:_LONGEST_LABELLED], names)
                    for key, item in value.items()
                }
            case _:
                return [self._json(item, label, names) for item in value]

    def _labelled(self, text: str, label: str, names: Mapping[str, Sequence[Span]]) -> str:
        """A text of JSON with masks; the key of a short one tells what it is."""
        label = label if len(text) <= _LONGEST_LABELLED else ""
        found = personal_data_in(text, label=label)
        if spans := names.get(text):
            found = _with_names(text, found, spans)
        return _replaced(text, found, self._mask)

    def _number(self, number: int, label: str) -> JsonValue:
        text = str(number)
        found = personal_data_in(text, label=label) if len(text) >= _FEWEST_DIGITS else []
        is_whole = len(found) == 1 and (found[0].start, found[0].end) == (0, len(text))
        return self._mask(found[0]) if is_whole else number

    def _mask(self, found: PersonalData) -> str:
        value = f"{found.kind}:{found.written}".encode()
        number = int.from_bytes(hmac.digest(self.key, value, sha256))
        pairs: list[str] = []
        for _ in range(self.pairs):
            number, pair = divmod(number, _PAIRS)
            letter, digit = divmod(pair, len(_NUMBERS))
            pairs.append(_LETTERS[letter] + _NUMBERS[digit])
        return f"[{found.kind}:{''.join(pairs)}]"


@dataclass(frozen=True, slots=True)
class Unmasking:
    """Puts back those values that somebody has just written themselves, and no others."""

    values: Mapping[str, str]
    """The values by their masks."""

    def text(self, text: str) -> str:
        """A text with the values in the place of their masks."""
        if not self.values or "[" not in text:
            return text
        return _MASK.sub(lambda mask: self.values.get(mask[0], mask[0]), text)


def blanked(text: str) -> str:
    """A text with the kind alone in the place of personal data, for logs; names stay."""
    return _replaced(text, personal_data_in(text), lambda one: f"[{one.kind}]")


NOTHING_TO_UNMASK: Final = Unmasking({})


def _replaced(text: str, found: list[PersonalData], write: Write) -> str:
    if not found:
        return text
    parts: list[str] = []
    done = 0
    for one in found:
        parts += text[done : one.start], write(one)
        done = one.end
    return "".join((*parts, text[done:]))


def _with_names(
    text: str, found: list[PersonalData], spans: Iterable[Span], *, apart: Iterable[Span] = ()
) -> list[PersonalData]:
    """What was found in a text with the names at the spans, as far as they are nothing else.

    An e-mail address in a name is surer than the name, and a mask stays as it is. Nor is there
    a name in what is `apart`.
    """
    others = [(one.start, one.end) for one in found]
    masks = [mask.span() for mask in _MASK.finditer(text)]
    readable = blanked_out(text, [*others, *masks, *apart], by="\n")
    return sorted([*found, *names_in(readable, spans)], key=lambda one: one.start)


def _around(spans: Sequence[Span], length: int) -> Iterator[Span]:
    """What a text of that length has before, between and after spans."""
    done = 0
    for start, end in spans:
        yield done, start
        done = end
    yield done, length


def _texts_in(value: JsonValue) -> Iterator[str]:
    """The texts of JSON that are no keys."""
    match value:
        case str():
            yield value
        case None | bool() | float() | int():
            return
        case Mapping():
            for item in value.values():
                yield from _texts_in(item)
        case _:
            for item in value:
                yield from _texts_in(item)


def _keys_in(value: JsonValue) -> Iterator[str]:
    """The keys of JSON at every depth."""
    match value:
        case None | bool() | float() | int() | str():
            return
        case Mapping():
            for key, item in value.items():
                yield key
                yield from _keys_in(item)
        case _:
            for item in value:
                yield from _keys_in(item)


def _in_sql(mask: Write, quoted: list[tuple[int, int]]) -> Write:
    """Writes masks in the order of a statement; those outside of quotes get quotes."""
    spans: Iterator[tuple[int, int]] = iter(quoted)
    span = next(spans, None)

    def write(one: PersonalData) -> str:
        nonlocal span
        while span is not None and span[1] <= one.start:
            span = next(spans, None)
        is_quoted = span is not None and span[0] < one.end
        return mask(one) if is_quoted else f"'{mask(one)}'"

    return write
