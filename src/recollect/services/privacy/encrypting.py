"""Encrypting what was stored plain, and wrapping the keys of owners anew."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from recollect.ports.encryption import EncryptionStore, RowCounts

_OWNERS: Final = 200
_KEYS: Final = 500
Progress = Callable[["Encrypted"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Encrypted:
    """How far the work has come: owners who were looked at, and rows or keys that were changed."""

    owners: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptionStatus:
    """How much is encrypted, and by which master keys."""

    owners: int
    keys: Mapping[str, int]
    """How many owners' data keys each master key wraps, by its id."""
    tables: Mapping[str, RowCounts]

    @property
    def plain(self) -> int:
        """How many rows have content that is not encrypted."""
        return sum(rows.plain for rows in self.tables.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Encryption:
    """What operators do about encryption; all of it may be ended at any moment and repeated."""

    store: EncryptionStore

    async def status(self, *, progress: Progress = lambda _: None) -> EncryptionStatus:
        """Count what is encrypted and what is plain; it reads all content of all owners."""
        owners, encrypted, plain = 0, Counter[str](), Counter[str]()
        async for owner_id in self._owners():
            for table, rows in (await self.store.count_rows(owner_id)).items():
                encrypted[table] += rows.encrypted
                plain[table] += rows.plain
            owners += 1
            progress(Encrypted(owners=owners))
        tables = {name: RowCounts(encrypted=encrypted[name], plain=plain[name]) for name in plain}
        return EncryptionStatus(owners=owners, keys=await self.store.key_counts(), tables=tables)

    async def encrypt(self, *, progress: Progress = lambda _: None) -> Encrypted:
        """Encrypt what was stored before encryption was on, owner by owner."""
        owners = rows = 0
        async for owner_id in self._owners():
            async for count in self.store.encrypt_rows(owner_id):
                rows += count
                progress(Encrypted(owners=owners, changed=rows))
            owners += 1
            progress(Encrypted(owners=owners, changed=rows))
        return Encrypted(owners=owners, changed=rows)

    async def rotate(self, *, progress: Progress = lambda _: None) -> Encrypted:
        """Wrap the data keys of all owners by the current master key; nothing is encrypted anew."""
        keys = 0
        while count := await self.store.rewrap_some(limit=_KEYS):
            keys += count
            progress(Encrypted(owners=keys, changed=keys))
        return Encrypted(owners=keys, changed=keys)

    async def _owners(self) -> AsyncIterator[UUID]:
        after: UUID | None = None
        while owners := await self.store.owners(after=after, limit=_OWNERS):
            for owner_id in owners:
                yield owner_id
            after = owners[-1]
