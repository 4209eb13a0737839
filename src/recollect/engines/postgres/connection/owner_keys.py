"""The data keys of owners in `recollect_keys.owner_keys`."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias
from uuid import UUID

from asyncpg import Record

from recollect.engines.owner_keys import StoredKey
from recollect.engines.postgres.sql import statement
from recollect.ports.privacy.encryption import WrappedKey

Fetch: TypeAlias = Callable[..., Awaitable[list[Record]]]
"""Runs a statement: the driver's text, then its arguments."""


class KeyRows:
    """Implements `recollect.engines.owner_keys.KeyStore`, in a transaction or without one."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch

    async def find(self, owner_id: UUID) -> StoredKey | None:
        """Return the owner's key, or None."""
        rows = await self._fetch(*statement("find_owner_key", owner_id=owner_id))
        return _stored(rows[0]) if rows else None

    async def create(self, owner_id: UUID, new: WrappedKey) -> StoredKey:
        """Store the owner's first key, and return the one that is stored then."""
        rows = await self._fetch(
            *statement(
                "create_owner_key",
                owner_id=owner_id,
                wrapped=new.wrapped,
                master_key_id=new.master_key_id,
            )
        )
        return _stored(rows[0])


def wrapped_key(row: Record) -> WrappedKey:
    """Read a key that was not destroyed."""
    return WrappedKey(row["master_key_id"], bytes(row["wrapped"]))


def _stored(row: Record) -> StoredKey:
    return StoredKey(wrapped_key(row) if row["wrapped"] else None, row["is_complete"])
