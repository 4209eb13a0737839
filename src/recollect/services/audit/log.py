"""Reading the audit log, checking that it is whole, and deleting what is old."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID

from recollect.domain.conversation.paging import Page, PageRequest
from recollect.domain.identity.audit import (
    AuditAction,
    AuditChain,
    AuditEntry,
    AuditFilter,
    BrokenLink,
    ChainCheck,
    ChainedEntry,
    ChainFault,
)
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.ports.privacy.audit import AuditChains, AuditLog
from recollect.ports.runtime import Clock
from recollect.services.audit.operations import Audited, audited
from recollect.services.background import repeat

_LINKS: Final = 500
"""Entries that are in memory at once while a chain is checked."""
_CHAINS: Final = 100
_ALL: Final = AuditFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainReport:
    """What a check of the audit log found."""

    chains: int
    entries: int
    """How many were checked, and as they were written."""
    broken: BrokenLink | None = None
    """The first entry that is not; None where all are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReading(Audited):
    """What an administrator can read of the audit log of a tenant."""

    log: AuditLog
    chains: AuditChains

    async def entries(self, scope: Scope | TenantScope, *, limit: int) -> tuple[AuditEntry, ...]:
        """What was done to the memory of one owner, newest first."""
        return await self.log.entries(scope, limit=limit)

    @audited(AuditAction.AUDIT_READ)
    async def list(
        self, scope: TenantScope, page: PageRequest, *, filters: AuditFilter = _ALL
    ) -> Page[ChainedEntry]:
        """A page of what was done in a tenant, newest first by default."""
        return await self.log.list(scope, page, filters=filters)

    async def verify(
        self,
        scope: TenantScope,
        *,
        owner_id: UUID | None = None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> ChainReport:
        """Check the chains of a tenant, or of one owner, up to the first broken entry.

        `progress` gets the number of entries checked so far.
        """
        chains = entries = 0
        async for chain in self._chains(scope, owner_id):
            count, broken = await self._check(scope, chain)
            chains, entries = chains + 1, entries + count
            progress(entries)
            if broken is not None:
                return ChainReport(chains=chains, entries=entries, broken=broken)
        broken = await self._without_chain(scope, owner_id)
        return ChainReport(chains=chains, entries=entries, broken=broken)

    async def _chains(self, scope: TenantScope, owner_id: UUID | None) -> AsyncIterator[AuditChain]:
        if owner_id is not None:
            chain = await self.chains.chain(scope, owner_id)
            if chain is not None:
                yield chain
            return
        after: UUID | None = None
        while chains := await self.chains.chains(scope, after=after, limit=_CHAINS):
            for chain in chains:
                yield chain
            after = chains[-1].owner_id

    async def _check(self, scope: TenantScope, chain: AuditChain) -> tuple[int, BrokenLink | None]:
        """How many entries of a chain are right, and the first that is not.

        Begins again where the chain has been pruned meanwhile.
        """
        while True:
            count, broken = await self._walk(scope, chain)
            now = await self.chains.chain(scope, chain.owner_id) if broken else None
            if now is None or now.begins_after == chain.begins_after:
                return count, broken
            chain = now

    async def _walk(self, scope: TenantScope, chain: AuditChain) -> tuple[int, BrokenLink | None]:
        check, after = ChainCheck(chain), 0
        while links := await self.chains.links(scope, chain.owner_id, after=after, limit=_LINKS):
            for link in links:
                is_beyond = link.number > chain.last_number
                fault = (
                    await self._fault_beyond(scope, chain, link)
                    if is_beyond
                    else check.fault_of(link)
                )
                if fault is not None:
                    return check.number - chain.begins_after, fault
                if is_beyond:  # written since the check began, and no part of it
                    return check.number - chain.begins_after, check.fault_at_end()
            after = links[-1].number
        return check.number - chain.begins_after, check.fault_at_end()

    async def _fault_beyond(
        self, scope: TenantScope, chain: AuditChain, link: ChainedEntry
    ) -> BrokenLink | None:
        """What is wrong with an entry after the end of its chain, unless the chain has grown."""
        now = await self.chains.chain(scope, chain.owner_id)
        if now is not None and link.number <= now.last_number:
            return None
        return BrokenLink(link.owner_id, link.number, ChainFault.UNCHAINED)

    async def _without_chain(self, scope: TenantScope, owner_id: UUID | None) -> BrokenLink | None:
        """The first entry whose owner has no chain."""
        link: ChainedEntry | None
        if owner_id is None:
            link = await self.chains.unchained(scope)
        elif await self.chains.chain(scope, owner_id) is not None:
            link = None
        else:
            links = await self.chains.links(scope, owner_id, after=0, limit=1)
            link = links[0] if links else None
        return BrokenLink(link.owner_id, link.number, ChainFault.UNCHAINED) if link else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPruning:
    """Deletes the beginnings of chains that are older than the audit log's own retention."""

    chains: AuditChains
    clock: Clock
    retention: timedelta | None
    """None: nothing is ever deleted."""

    async def count(self) -> int:
        """How many entries of all owners are too old."""
        if self.retention is None:
            return 0
        return await self.chains.count_older(than=self.clock.now() - self.retention)

    async def prune(self) -> int:
        """Delete old entries of all owners, some at a time, and return how many went."""
        if self.retention is None:
            return 0
        limit = self.clock.now() - self.retention
        delete = partial(self.chains.prune, older_than=limit, limit=_CHAINS)
        return await repeat(delete, lambda _: None)
