"""Objects encrypted with the keys of their owners, on their way into the archive and out of it."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from datetime import datetime
from typing import Final

from recollect.archives.objects import ObjectStore
from recollect.domain.transfer.archive import ArchivedSession
from recollect.errors import ArchivedSessionBroken, ContentUnreadable
from recollect.ports.privacy.archive import StoredObject
from recollect.ports.privacy.encryption import OwnerCipher, OwnerCiphers

_MAGIC: Final = b"recollect-encrypted:1\n"
_SALT_BYTES: Final = 16
_CHUNK: Final = 64 * 1024
_TAG_BYTES: Final = 16
_MIDDLE: Final = b"\0"
_LAST: Final = b"\1"


class EncryptedObjects:
    """Implements `recollect.archives.objects.ObjectStore` around another one.

    An object is a salt and chunks of 64 KiB. Each is bound to the object's name, its place and
    whether it is the last: none can be moved, left out or cut off. What was stored plain is read as
    it is.
    """

    def __init__(self, objects: ObjectStore, ciphers: OwnerCiphers | None) -> None:
        """Without ciphers, or while they are off, new objects are plain."""
        self._objects = objects
        self._ciphers = ciphers

    @property
    def address(self) -> str:
        """Where the objects are."""
        return self._objects.address

    async def check(self) -> None:
        """Look whether objects can be stored."""
        await self._objects.check()

    async def put(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        """Encrypt the pieces as they come, and store them."""
        archived = ArchivedSession.parse(name)
        if self._ciphers is None or not self._ciphers.is_on or archived is None:
            await self._objects.put(name, pieces)
            return
        # A session that cannot be read raises here, before its owner gets another key.
        first = await anext(pieces, b"")
        cipher = await self._ciphers.find_or_create(archived.owner_id)
        await self._objects.put(name, _encrypted(name, _joined(first, pieces), cipher))

    async def read(self, name: str) -> AsyncGenerator[bytes, None]:
        """Decrypt an object piece by piece."""
        async with aclosing(self._objects.read(name)) as stored:
            pieces = _Chunks(stored)
            if await pieces.begins_with(_MAGIC):
                decrypted = _decrypted(name, pieces, await self._cipher_of(name))
            else:
                decrypted = pieces.rest()
            async for piece in decrypted:
                yield piece

    def list(self, prefix: str) -> AsyncIterator[StoredObject]:
        """Return the objects whose names begin so, by their names."""
        return self._objects.list(prefix)

    async def delete(self, name: str) -> None:
        """Delete an object, if it is there."""
        await self._objects.delete(name)

    async def discard_unfinished(self, prefix: str, *, before: datetime) -> int:
        """Delete what writers left behind that died before then, and return how many."""
        return await self._objects.discard_unfinished(prefix, before=before)

    async def _cipher_of(self, name: str) -> OwnerCipher:
        archived = ArchivedSession.parse(name)
        if archived is not None and self._ciphers is not None:
            cipher = await self._ciphers.find(archived.owner_id)
            if cipher is not None:
                return cipher
        raise ArchivedSessionBroken(name, "it is encrypted, and the key of its owner is not there")


async def _joined(first: bytes, others: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    yield first
    async for piece in others:
        yield piece


async def _encrypted(
    name: str, pieces: AsyncIterator[bytes], cipher: OwnerCipher
) -> AsyncGenerator[bytes, None]:
    salt, number, waiting = os.urandom(_SALT_BYTES), 0, bytearray()
    yield _MAGIC + salt
    async for piece in pieces:
        waiting += piece
        while len(waiting) > _CHUNK:
            chunk = bytes(waiting[:_CHUNK])
            del waiting[:_CHUNK]
            context = _context(name, salt, number, is_last=False)
            yield await asyncio.to_thread(cipher.encrypt_bytes, chunk, context=context)
            number += 1
    context = _context(name, salt, number, is_last=True)
    yield await asyncio.to_thread(cipher.encrypt_bytes, bytes(waiting), context=context)


async def _decrypted(
    name: str, pieces: "_Chunks", cipher: OwnerCipher
) -> AsyncGenerator[bytes, None]:
    salt = await pieces.take(_SALT_BYTES)
    number, is_last = 0, False
    while not is_last:
        chunk = await pieces.take(_CHUNK + _TAG_BYTES)
        is_last = await pieces.is_at_end()
        context = _context(name, salt, number, is_last=is_last)
        try:
            yield await asyncio.to_thread(cipher.decrypt_bytes, chunk, context=context)
        except ContentUnreadable:
            problem = "another key encrypted it, or it was altered"
            raise ArchivedSessionBroken(name, problem) from None
        number += 1


def _context(name: str, salt: bytes, number: int, *, is_last: bool) -> bytes:
    place = number.to_bytes(8, "big") + (_LAST if is_last else _MIDDLE)
    return salt + place + name.encode()


class _Chunks:
    """Pieces of any size, taken in sizes of our own."""

    def __init__(self, pieces: AsyncIterator[bytes]) -> None:
        self._pieces = pieces
        self._waiting = bytearray()

    async def begins_with(self, magic: bytes) -> bool:
        """Whether these bytes come first; they are taken then."""
        await self._fill(len(magic))
        is_there = self._waiting.startswith(magic)
        if is_there:
            del self._waiting[: len(magic)]
        return is_there

    async def take(self, size: int) -> bytes:
        """The next bytes, fewer at the end."""
        await self._fill(size)
        taken = bytes(self._waiting[:size])
        del self._waiting[:size]
        return taken

    async def is_at_end(self) -> bool:
        """Whether nothing comes any more."""
        await self._fill(1)
        return not self._waiting

    async def rest(self) -> AsyncGenerator[bytes, None]:
        """All that comes, in the pieces that it comes in."""
        if self._waiting:
            yield bytes(self._waiting)
        async for piece in self._pieces:
            yield piece

    async def _fill(self, size: int) -> None:
        while len(self._waiting) < size:
            piece = await anext(self._pieces, None)
            if piece is None:
                return
            self._waiting += piece
