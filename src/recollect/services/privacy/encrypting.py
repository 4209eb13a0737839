"""Encrypting what was stored plain, and wrapping the keys of owners anew."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from recollect.domain.identity.audit import AuditAction, OwnedEntry
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.ports.privacy.audit import AuditLog
from recollect.ports.privacy.encryption import EncryptionStore, RowCounts
from recollect.ports.privacy.transfer import OwnerDirectory
from recollect.ports.runtime import Clock

_OWNERS: Final = 200
_KEYS: Final = 500
Progress = Callable[["Encrypted"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Encrypted:
    """How far the work has come: owners who were looked at, and rows or keys that were changed."""

    owners: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How far counting has come: owners who are done, and rows of all of them."""

    owners: int
    rows: int


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
    """What operators do about encryption; all of it may be ended at any moment and repeated.

    What changes something is in the audit log of each tenant it was done to, whatever else is
    recorded, as other changes of keys are.
    """

    store: EncryptionStore
    owners: OwnerDirectory
    log: AuditLog
    clock: Clock

    async def status(
        self, *, progress: Callable[["Counted"], None] = lambda _: None
    ) -> EncryptionStatus:
        """Count what is encrypted and what is plain; it reads all content of all owners."""
        owners = counted = 0
        tables: dict[str, RowCounts] = {}
        async for some in self._owners():
            for owner in some:
                async for table, rows in self.store.count_rows(owner.owner_id):
                    tables[table] = tables.get(table, RowCounts()) + rows
                    counted += rows.encrypted + rows.plain
                    progress(Counted(owners=owners, rows=counted))
                owners += 1
        return EncryptionStatus(owners=owners, keys=await self.store.key_counts(), tables=tables)

    async def encrypt(self, by: TenantScope, *, progress: Progress = lambda _: None) -> Encrypted:
        """Encrypt what was stored before encryption was on, owner by owner.

        `by` tells who does it, for the audit log.
        """
        owners = rows = 0
        async for some in self._owners():
            changed = Counter[str]()
            try:
                for owner in some:
                    async for count in self.store.encrypt_rows(owner.owner_id):
                        rows += count
                        changed[owner.tenant] += count
                        progress(Encrypted(owners=owners, changed=rows))
                    owners += 1
                    progress(Encrypted(owners=owners, changed=rows))
            finally:
                await self._record(by, AuditAction.CONTENT_ENCRYPTED, changed)
        return Encrypted(owners=owners, changed=rows)

    async def rotate(self, by: TenantScope, *, progress: Progress = lambda _: None) -> Encrypted:
        """Wrap the data keys of all owners by the current master key; nothing is encrypted anew.

        `by` tells who does it, for the audit log.
        """
        keys = 0
        while changed := await self.store.rewrap_some(limit=_KEYS):
            await self._record(by, AuditAction.ENCRYPTION_KEY_ROTATED, changed)
            keys += sum(changed.values())
            progress(Encrypted(owners=keys, changed=keys))
        return Encrypted(owners=keys, changed=keys)

    async def _record(
        self, by: TenantScope, action: AuditAction, changed: Mapping[str, int]
    ) -> None:
        """Add an entry to the audit log of each tenant of whom something was changed."""
        if not changed:
            return
        now, key_id = self.clock.now(), self.store.master_key_id
        scopes = {tenant: replace(by, tenant=tenant, is_stored=True) for tenant in changed}
        await self.log.append(
            [
                OwnedEntry.of(scopes[tenant], action, key_id, count=count, at=now)
                for tenant, count in changed.items()
            ]
        )

    async def _owners(self) -> AsyncIterator[tuple[Scope | TenantScope, ...]]:
        after: Scope | TenantScope | None = None
        while owners := await self.owners.owners(after=after, limit=_OWNERS):
            yield owners
            after = owners[-1]
