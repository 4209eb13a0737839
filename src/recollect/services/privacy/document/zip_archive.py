"""A ZIP archive of JSON Lines, written piece by piece to what cannot be written twice."""

import zipfile
from collections.abc import Sequence
from typing import IO, cast

from recollect.domain.text import JsonObject
from recollect.domain.transfer.document import MANIFEST
from recollect.services.privacy.document.json_lines import dumped


class ZipArchive:
    """Files of JSON Lines one after the other, and a manifest; each method returns what to send."""

    def __init__(self) -> None:
        self._unsent = _Unsent()
        target = cast("IO[bytes]", self._unsent)
        self._archive = zipfile.ZipFile(target, "w", compression=zipfile.ZIP_DEFLATED)
        self._file: IO[bytes] | None = None

    def begin(self, name: str) -> bytes:
        """End the file before and begin another one."""
        self._end_file()
        self._file = self._archive.open(name, "w", force_zip64=True)
        return self._unsent.take()

    def add(self, lines: Sequence[bytes]) -> bytes:
        """Write some lines."""
        assert self._file is not None  # noqa: S101  # lines belong to a file
        self._file.write(b"".join(line + b"\n" for line in lines))
        return self._unsent.take()

    def end(self, manifest: JsonObject) -> bytes:
        """End the archive with what is in it."""
        self._end_file()
        self._archive.writestr(MANIFEST, dumped(manifest) + b"\n")
        self._archive.close()
        return self._unsent.take()

    def _end_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class _Unsent:
    """What was written since it was taken last; `zipfile` sees a stream that cannot seek."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def write(self, some: bytes) -> int:
        self._bytes += some
        return len(some)

    def flush(self) -> None:
        """Nothing is held back."""

    def take(self) -> bytes:
        taken = bytes(self._bytes)
        self._bytes.clear()
        return taken
