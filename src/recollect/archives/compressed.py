"""Documents compressed by Zstandard, with a checksum at their end."""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from hashlib import sha256
from io import RawIOBase
from tempfile import TemporaryFile
from typing import IO, BinaryIO, Final, cast

import zstandard

from recollect.archives.objects import ObjectStore
from recollect.errors import ArchivedSessionBroken
from recollect.ports.privacy.archive import StoredObject

_LEVEL: Final = 6
_AT_ONCE: Final = 64 * 1024
"""More bytes are compressed in a thread: that takes a few milliseconds."""
_SKIPPABLE: Final = 0x184D2A50
_KIND: Final = b"sha-256\0"
_TRAILER_SIZE: Final = 8 + len(_KIND) + sha256().digest_size


class CompressedArchive:
    """Implements `recollect.ports.privacy.archive.ArchiveStore` on any store of objects.

    An object is a frame of Zstandard and after it a skippable one with the SHA-256 of the first:
    `zstd -d` reads it as it is.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    @property
    def address(self) -> str:
        """Where the archive is."""
        return self._objects.address

    async def check(self) -> None:
        """Look whether objects can be stored."""
        await self._objects.check()

    async def put(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        """Compress the pieces as they come, and store them."""
        await self._objects.put(name, _compressed(pieces))

    @asynccontextmanager
    async def fetch(self, name: str) -> AsyncIterator[BinaryIO]:
        """Copy the object to a file without a name while its checksum is verified."""
        with await asyncio.to_thread(TemporaryFile) as file:
            copy = _Copy(name, file)
            async for piece in self._objects.read(name):
                await asyncio.to_thread(copy.add, piece)
            await asyncio.to_thread(copy.check)
            yield cast("BinaryIO", _Decompressed(name, file))

    def list(self, prefix: str) -> AsyncIterator[StoredObject]:
        """Return the objects whose names begin so, by their names."""
        return self._objects.list(prefix)

    async def delete(self, name: str) -> None:
        """Delete an object, if it is there."""
        await self._objects.delete(name)

    async def discard_unfinished(self, prefix: str, *, before: datetime) -> int:
        """Delete what writers left behind that died before then, and return how many."""
        return await self._objects.discard_unfinished(prefix, before=before)


async def _compressed(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()
    digest = sha256()

    def compress(piece: bytes) -> bytes:
        some = compressor.compress(piece)
        digest.update(some)
        return some

    async for piece in pieces:
        if some := await _done(compress, piece):
            yield some
    rest = await asyncio.to_thread(compressor.flush)
    digest.update(rest)
    yield rest + _trailer(digest.digest())


async def _done(compress: Callable[[bytes], bytes], piece: bytes) -> bytes:
    if len(piece) <= _AT_ONCE:
        return compress(piece)
    return await asyncio.to_thread(compress, piece)


def _trailer(digest: bytes) -> bytes:
    return struct.pack("<II", _SKIPPABLE, len(_KIND) + len(digest)) + _KIND + digest


class _Copy:
    """Writes an object into a file without its trailer, and checks this."""

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self._name = name
        self._file = file
        self._digest = sha256()
        self._end = b""

    def add(self, piece: bytes) -> None:
        """Take a piece; as many bytes as the trailer has are held back."""
        some = self._end + piece
        body, self._end = some[:-_TRAILER_SIZE], some[-_TRAILER_SIZE:]
        self._digest.update(body)
        self._file.write(body)

    def check(self) -> None:
        """Refuse an object that does not end with its checksum."""
        if self._end[:16] != _trailer(self._digest.digest())[:16]:
            raise ArchivedSessionBroken(self._name, "it has no checksum at its end")
        if self._end != _trailer(self._digest.digest()):
            raise ArchivedSessionBroken(self._name, "its checksum does not fit its content")
        self._file.seek(0)


class _Decompressed(RawIOBase):
    """What a file has, decompressed while it is read."""

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self._name = name
        self._reader = zstandard.ZstdDecompressor().stream_reader(file, closefd=False)

    def read(self, size: int = -1) -> bytes:
        """Read some bytes; none at the end."""
        try:
            return self._reader.read(size)
        except zstandard.ZstdError as error:
            raise ArchivedSessionBroken(self._name, "it cannot be decompressed") from error
