"""Encrypted objects of an archive, of any size and in pieces of any size."""

from collections.abc import AsyncGenerator, AsyncIterator
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from recollect.archives.encrypted import EncryptedObjects
from recollect.domain.transfer.archive import ArchivedSession
from recollect.errors import ArchivedSessionBroken, ContentUnreadable
from recollect.ports.privacy.archive import StoredObject
from recollect.ports.privacy.encryption import OwnerCipher
from support.encryption import master_keys
from support.tables import for_each

CHUNK = 64 * 1024


class MemoryObjects:
    """Objects by name, read in pieces of an odd size."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}

    address = "memory"

    async def check(self) -> None:
        return None

    async def put(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        self.data[name] = b"".join([piece async for piece in pieces])

    async def read(self, name: str) -> AsyncGenerator[bytes, None]:
        data = self.data[name]
        for first in range(0, len(data), 1009):
            yield data[first : first + 1009]

    async def list(self, prefix: str) -> AsyncIterator[StoredObject]:
        for name in sorted(self.data):
            yield StoredObject(name, len(self.data[name]), datetime.now(UTC))

    async def delete(self, name: str) -> None:
        del self.data[name]

    async def discard_unfinished(self, prefix: str, *, before: datetime) -> int:
        return 0


class Ciphers:
    """Ciphers of owners that are made as they are asked for."""

    is_on = True

    def __init__(self) -> None:
        self.of: dict[UUID, OwnerCipher] = {}

    async def find(self, owner_id: UUID) -> OwnerCipher | None:
        return self.of.get(owner_id)

    async def find_or_create(self, owner_id: UUID) -> OwnerCipher:
        keys = master_keys()
        return self.of.setdefault(owner_id, keys.cipher(owner_id, keys.create(owner_id)))


def a_name() -> str:
    return ArchivedSession(
        owner_id=uuid4(), session_id=uuid4(), created_at=datetime(2026, 1, 1, tzinfo=UTC)
    ).name


async def pieces_of(data: bytes) -> AsyncIterator[bytes]:
    for first in range(0, len(data), 5000):
        yield data[first : first + 5000]


async def all_of(objects: EncryptedObjects, name: str) -> bytes:
    return b"".join([piece async for piece in objects.read(name)])


async def test_a_session_that_cannot_be_read_gives_its_owner_no_new_key() -> None:
    ciphers, stored = Ciphers(), MemoryObjects()

    async def unreadable() -> AsyncIterator[bytes]:
        raise ContentUnreadable("the key of its owner is not there")
        yield b""

    with pytest.raises(ContentUnreadable):
        await EncryptedObjects(stored, ciphers).put(a_name(), unreadable())
    assert (ciphers.of, stored.data) == ({}, {})


@for_each("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 200_000])
async def test_an_object_comes_back_as_it_was(size: int) -> None:
    inner, name, data = MemoryObjects(), a_name(), bytes(range(256)) * (size // 256 + 1)
    objects = EncryptedObjects(inner, Ciphers())
    await objects.put(name, pieces_of(data[:size]))
    assert await all_of(objects, name) == data[:size]
    assert data[:size][:40] not in inner.data[name] or size < 40


async def test_an_object_that_is_cut_swapped_or_renamed_is_broken() -> None:
    inner, name, ciphers = MemoryObjects(), a_name(), Ciphers()
    objects = EncryptedObjects(inner, ciphers)
    await objects.put(name, pieces_of(b"x" * 3 * CHUNK))
    whole, size = inner.data[name], CHUNK + 16
    start = len(whole) - 3 * size
    first, second, third = (whole[start + at * size : start + (at + 1) * size] for at in range(3))
    other = name.replace(name.split("/")[1], str(uuid4()))
    for altered, stored_as in (
        (whole[: start + 2 * size], name),
        (whole[:start] + second + first + third, name),
        (whole[:start], name),
        (whole, other),
    ):
        inner.data[stored_as] = altered
        with pytest.raises(ArchivedSessionBroken):
            await all_of(objects, stored_as)


async def test_plain_objects_are_read_as_they_are_and_written_where_nothing_is_encrypted() -> None:
    inner, name = MemoryObjects(), a_name()
    await EncryptedObjects(inner, None).put(name, pieces_of(b"plain"))
    assert inner.data[name] == b"plain"
    assert await all_of(EncryptedObjects(inner, Ciphers()), name) == b"plain"
