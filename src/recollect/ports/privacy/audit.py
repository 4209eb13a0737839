"""Where the audit log is stored, and how its chains are checked and pruned."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.domain.conversation.paging import Page, PageRequest
from recollect.domain.identity.audit import (
    AuditChain,
    AuditEntry,
    AuditFilter,
    ChainedEntry,
    OwnedEntry,
)
from recollect.domain.identity.scope import Scope, TenantScope


class AuditLog(Protocol):
    """Adds to the audit log and reads it; nobody can change or delete an entry through it.

    The stores themselves add an entry for every deletion, key and state change, in the
    transaction of the change.
    """

    async def append(self, entries: Sequence[OwnedEntry]) -> None:
        """Add entries to the chains of their owners, in this order; all or none.

        Several writers of one owner queue up, those of different owners do not wait.
        """

    async def entries(self, scope: Scope | TenantScope, *, limit: int) -> tuple[AuditEntry, ...]:
        """Return the owner's latest entries, newest first."""

    async def list(
        self, scope: TenantScope, page: PageRequest, *, filters: AuditFilter
    ) -> Page[ChainedEntry]:
        """Return a page of what was done in the tenant, by time; of one owner, by number."""


class AuditChains(Protocol):
    """The chains of a tenant's audit log, to be checked; those of all tenants, to be pruned."""

    async def chains(
        self, scope: TenantScope, *, after: UUID | None, limit: int
    ) -> tuple[AuditChain, ...]:
        """Return some chains of the tenant in the order of their owners, after that of one."""

    async def chain(self, scope: TenantScope, owner_id: UUID) -> AuditChain | None:
        """Return the chain of one owner of the tenant, or None."""

    async def links(
        self, scope: TenantScope, owner_id: UUID, *, after: int, limit: int
    ) -> tuple[ChainedEntry, ...]:
        """Return some entries of an owner in the order of their numbers, after one of them.

        Without the owner's name.
        """

    async def unchained(self, scope: TenantScope) -> ChainedEntry | None:
        """Return the first entry of the tenant whose owner has no chain, or None."""

    async def count_older(self, *, than: datetime) -> int:
        """Return how many entries of all owners are older."""

    async def prune(self, *, older_than: datetime, limit: int) -> int:
        """Delete old entries of some chains, and return how many; 0 once there are none.

        Each chain loses entries from its beginning on, up to the first that is not older, and
        then begins after the last that was deleted.
        """
