"""The audit log in memory."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice, takewhile
from typing import Final
from uuid import UUID

from recollect.domain.conversation.paging import AuditPosition, Page, PageRequest, cut_page
from recollect.domain.identity.audit import (
    AuditChain,
    AuditEntry,
    AuditFilter,
    ChainedEntry,
    OwnedEntry,
)
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.engines.in_memory.data import InMemoryStore

_ANY_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)


class InMemoryAuditLog(InMemoryStore):
    """Implements `recollect.ports.privacy.audit.AuditLog` and `AuditChains`."""

    async def append(self, entries: Sequence[OwnedEntry]) -> None:
        for entry in entries:
            self.data.append_audit(entry)

    async def entries(self, scope: Scope | TenantScope, *, limit: int) -> tuple[AuditEntry, ...]:
        stored = self.data.of(scope.owner_id).audit
        links = reversed(stored.links) if stored else ()
        return tuple(link.entry for link in islice(links, limit))

    async def list(
        self, scope: TenantScope, page: PageRequest, *, filters: AuditFilter
    ) -> Page[ChainedEntry]:
        links = (link for stored in self.data.audits(scope.tenant) for link in stored.links)
        matching = (link for link in links if filters.matches(link))
        position_of = _position_of if filters.owner_id is None else _place_of
        listed = cut_page(matching, page, AuditPosition, position_of)
        named = (replace(link, user=self.data.user_of(link.owner_id)) for link in listed.items)
        return replace(listed, items=tuple(named))

    async def chains(
        self, scope: TenantScope, *, after: UUID | None, limit: int
    ) -> tuple[AuditChain, ...]:
        chains = (stored.chain for stored in self.data.audits(scope.tenant))
        following = (chain for chain in chains if after is None or chain.owner_id > after)
        return tuple(islice(following, limit))

    async def chain(self, scope: TenantScope, owner_id: UUID) -> AuditChain | None:
        stored = self.data.of(owner_id).audit
        return stored.chain if stored and stored.tenant == scope.tenant else None

    async def links(
        self, scope: TenantScope, owner_id: UUID, *, after: int, limit: int
    ) -> tuple[ChainedEntry, ...]:
        stored = self.data.of(owner_id).audit
        links = stored.links if stored and stored.tenant == scope.tenant else ()
        return tuple(islice((link for link in links if link.number > after), limit))

    async def unchained(self, scope: TenantScope) -> ChainedEntry | None:  # noqa: ARG002
        return None  # entries are stored in their chain

    async def count_older(self, *, than: datetime) -> int:
        links = (link for stored in self.data.audits() for link in stored.links)
        return sum(link.entry.at < than for link in links)

    async def prune(self, *, older_than: datetime, limit: int) -> int:
        pruned = 0
        for stored in self.data.audits():
            old = [*takewhile(lambda link: link.entry.at < older_than, stored.links)]
            if old and limit:
                limit, pruned = limit - 1, pruned + len(old)
                del stored.links[: len(old)]
                stored.chain = replace(
                    stored.chain, begins_after=old[-1].number, begin_hash=old[-1].hash
                )
        return pruned


def _position_of(link: ChainedEntry) -> AuditPosition:
    return AuditPosition(link.entry.at, link.owner_id, link.number)


def _place_of(link: ChainedEntry) -> AuditPosition:
    """The position in a list of one owner, which is in the order of the chain."""
    return AuditPosition(_ANY_TIME, link.owner_id, link.number)
