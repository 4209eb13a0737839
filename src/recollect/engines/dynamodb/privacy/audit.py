"""The audit log in DynamoDB."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from recollect.domain.conversation.paging import AuditPosition, Order, Page, PageRequest
from recollect.domain.identity.audit import (
    AuditChain,
    AuditEntry,
    AuditFilter,
    ChainedEntry,
    OwnedEntry,
)
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.privacy.audit_chain import (
    CHAINS,
    add_entries,
    by_owner,
    chain_from,
    chain_item,
    link_from,
    tenant_id,
    tenant_queue,
)
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Item, time_text
from recollect.engines.dynamodb.table.keys import (
    CHAIN,
    LAST,
    OWNER,
    WORK_DUE,
    WORK_INDEX,
    WORK_QUEUE,
    audit_key,
    key_of,
    name_of,
    owner_of,
)
from recollect.engines.dynamodb.table.table import Table, in_parts
from recollect.engines.dynamodb.table.transaction import MAX_OPERATIONS, version_of
from recollect.ports.runtime import Clock

_ANY_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
_OF_ONE_OWNER: Final = 90
"""Entries of one owner in one transaction, beside the chain itself."""
_AT_ONCE: Final = 100
_MOST_CHAINS: Final = 100_000


class DynamoAuditLog(DynamoStore):
    """Implements `recollect.ports.privacy.audit.AuditLog` and `AuditChains`.

    More entries than a transaction takes are several ones. If one of these fails, the entries
    before it are remembered: whoever appends the same entries again appends the others.
    """

    def __init__(self, table: Table, clock: Clock) -> None:
        super().__init__(table, clock)
        self._appended: dict[int, OwnedEntry] = {}
        """Of calls that failed later, by identity: two entries may tell the same."""

    async def append(self, entries: Sequence[OwnedEntry]) -> None:
        left = [one for one in entries if id(one) not in self._appended]
        for part in _transactions(left):
            await self._append(part)
            self._appended |= {id(one): one for one in part}
        for one in entries:
            self._appended.pop(id(one), None)

    async def _append(self, entries: Sequence[OwnedEntry]) -> None:
        async def attempt() -> None:
            transaction = self.table.transaction()
            for owned in by_owner(entries).values():
                await add_entries(self.table, transaction, owned)
            await self.table.write(transaction)

        async with self.table.alone(CHAIN):
            await self.table.repeated(attempt)

    async def entries(self, scope: Scope | TenantScope, *, limit: int) -> tuple[AuditEntry, ...]:
        found: list[AuditEntry] = []
        first, last = audit_key(0), audit_key(10**12 - 1)
        async for item in self.table.items(
            scope.owner_id, first, last, is_descending=True, limit=limit
        ):
            found.append(link_from(item).entry)
            if len(found) == limit:
                break
        return tuple(found)

    async def list(
        self, scope: TenantScope, page: PageRequest, *, filters: AuditFilter
    ) -> Page[ChainedEntry]:
        after = page.position(AuditPosition)
        is_of_owner = filters.owner_id is not None
        links = self._of_owner if is_of_owner else self._of_tenant
        rows: list[tuple[ChainedEntry, AuditPosition]] = []
        async for link in links(scope, page, after, filters):
            if link.tenant == scope.tenant and filters.matches(link):
                at = _ANY_TIME if is_of_owner else link.entry.at
                rows.append((link, AuditPosition(at, link.owner_id, link.number)))
            if len(rows) > page.offset + page.limit:
                break
        listed = page.page(rows[page.offset :])
        return replace(listed, items=await self._named(listed.items))

    async def _of_owner(
        self,
        _: TenantScope,
        page: PageRequest,
        after: AuditPosition | None,
        filters: AuditFilter,
    ) -> AsyncIterator[ChainedEntry]:
        is_descending = page.order is Order.DESC
        first, last = 0, 10**12 - 1
        if after is not None:
            first, last = (first, after.number - 1) if is_descending else (after.number + 1, last)
        if last < first or filters.owner_id is None:
            return
        async for item in self.table.items(
            filters.owner_id, audit_key(first), audit_key(last), is_descending=is_descending
        ):
            yield link_from(item)

    async def _of_tenant(
        self,
        scope: TenantScope,
        page: PageRequest,
        after: AuditPosition | None,
        filters: AuditFilter,
    ) -> AsyncIterator[ChainedEntry]:
        is_descending = page.order is Order.DESC
        first = time_text(filters.since) if filters.since else " "
        last = time_text(filters.until) if filters.until else LAST
        place = ""
        if after is not None:
            place = f"{time_text(after.at)}#{after.owner_id}#{after.number:012d}"
            first, last = (first, place) if is_descending else (place, last)
        keys: list[Item] = []
        async for key in self.table.indexed(
            WORK_INDEX,
            (WORK_QUEUE, tenant_queue(tenant_id(scope.tenant))),
            f" AND {WORK_DUE} BETWEEN :first AND :last",
            {":first": first, ":last": last},
            is_descending=is_descending,
            limit=min(_AT_ONCE, page.limit + page.offset + 2),
        ):
            if key[WORK_DUE] == place:
                continue
            keys.append(key)
            if len(keys) >= min(_AT_ONCE, page.limit + page.offset + 1):
                for link in await self._read(keys):
                    yield link
                keys = []
        for link in await self._read(keys):
            yield link

    async def _read(self, keys: Sequence[Item]) -> Sequence[ChainedEntry]:
        items = await self.table.get_many(keys)
        return [link_from(items[name_of(key)]) for key in keys if name_of(key) in items]

    async def _named(self, links: Sequence[ChainedEntry]) -> tuple[ChainedEntry, ...]:
        keys = [key_of(link.owner_id, OWNER) for link in links]
        names = {
            owner_of(item): str(item["user"])
            for item in (await self.table.get_many(keys)).values()
            if item.get("user")
        }
        return tuple(replace(link, user=names.get(link.owner_id)) for link in links)

    async def chains(
        self, scope: TenantScope, *, after: UUID | None, limit: int
    ) -> tuple[AuditChain, ...]:
        tenant = tenant_id(scope.tenant)
        since = f"{tenant}#" if after is None else f"{tenant}#{after}$"
        keys = await self.table.waiting(CHAINS, since=since, until=f"{tenant}#{LAST}", limit=limit)
        items = await self.table.get_many(keys)
        found = (chain_from(items[name_of(key)]) for key in keys if name_of(key) in items)
        return tuple(sorted(found, key=lambda chain: chain.owner_id))

    async def chain(self, scope: TenantScope, owner_id: UUID) -> AuditChain | None:
        item = await self.table.get(owner_id, CHAIN)
        return chain_from(item) if item and item["tenant"] == scope.tenant else None

    async def links(
        self, scope: TenantScope, owner_id: UUID, *, after: int, limit: int
    ) -> tuple[ChainedEntry, ...]:
        found: list[ChainedEntry] = []
        async for item in self.table.items(
            owner_id, audit_key(after + 1), audit_key(10**12 - 1), limit=limit
        ):
            if item["tenant"] == scope.tenant:
                found.append(link_from(item))
            if len(found) == limit:
                break
        return tuple(found)

    async def unchained(self, scope: TenantScope) -> ChainedEntry | None:
        owners: dict[UUID, bool] = {}
        async for key in self.table.indexed(
            WORK_INDEX, (WORK_QUEUE, tenant_queue(tenant_id(scope.tenant)))
        ):
            owner_id = owner_of(key)
            if owner_id not in owners:
                owners[owner_id] = await self.table.get(owner_id, CHAIN) is not None
            if not owners[owner_id] and (links := await self._read([key])):
                return links[0]
        return None

    async def count_older(self, *, than: datetime) -> int:
        counts = await asyncio.gather(
            *[self._count_older(owner_of(key), than) for key in await self._all_chains()]
        )
        return sum(counts)

    async def _count_older(self, owner_id: UUID, than: datetime) -> int:
        first, last = audit_key(0), audit_key(10**12 - 1)
        items = self.table.items(owner_id, first, last)
        return len([item async for item in items if str(item["at"]) < time_text(than)])

    async def prune(self, *, older_than: datetime, limit: int) -> int:
        pruned = 0
        for key in await self._all_chains():
            if limit == 0:
                break
            count = await self._prune(owner_of(key), older_than)
            pruned, limit = pruned + count, limit - (count > 0)
        return pruned

    async def _prune(self, owner_id: UUID, older_than: datetime) -> int:
        """Delete the old beginning of a chain: first its chain begins later, then it goes."""
        stored = await self.table.get(owner_id, CHAIN)
        if stored is None:
            return 0
        chain = chain_from(stored)
        old: list[Item] = []
        left: list[Item] = []
        async for item in self.table.items(owner_id, audit_key(0), audit_key(10**12 - 1)):
            if int(item["number"]) <= chain.begins_after:
                left.append(item)  # of a pruning that was killed halfway
            elif str(item["at"]) < time_text(older_than):
                old.append(item)
            else:
                break
        await self.table.delete_all(left)
        if not old:
            return 0
        last = link_from(old[-1])
        chain = replace(chain, begins_after=last.number, begin_hash=last.hash)
        with suppress(ConditionFailed):
            shortened = chain_item(chain, str(stored["tenant"]))
            await self.table.put(shortened, read=version_of(stored))
            await self.table.delete_all(old)
            return len(old)
        return 0

    async def _all_chains(self) -> Sequence[Item]:
        return await self.table.waiting(CHAINS, limit=_MOST_CHAINS)


def _transactions(entries: Sequence[OwnedEntry]) -> Iterator[Sequence[OwnedEntry]]:
    """Yield the entries in parts that fit into transactions, each with the chains of its owners."""
    owners = by_owner(entries)
    if len(entries) + len(owners) <= MAX_OPERATIONS:
        yield from [entries] if entries else []
        return
    for owned in owners.values():
        yield from in_parts(owned, _OF_ONE_OWNER)
