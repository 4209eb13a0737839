"""What `recollect.ports.privacy.audit` promises about entries, their order and their chains."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID, uuid4

from conformance.contracts.shared import alone
from recollect.domain.conversation.paging import Order, PageRequest
from recollect.domain.identity.audit import (
    MAX_ITEMS,
    AuditAction,
    AuditFilter,
    ChainCheck,
    ChainedEntry,
    OwnedEntry,
)
from recollect.domain.identity.scope import Interface, Scope, TenantScope
from recollect.ports import Stores
from support.examples import a_scope, a_tenant_scope, seconds_on, start_session

ANCIENT = datetime(1900, 1, 1, tzinfo=UTC)
"""Older than what any other test stores: pruning is for all owners."""
ALL = AuditFilter()


class AuditChainContract:
    """Entries come in the order of their chain, and none can be lost or changed unseen."""

    async def test_what_is_appended_is_read_as_it_was(self, stores: Stores) -> None:
        scope = Scope(
            tenant=f'Zoë\'s "tenant" \\ {uuid4()}',
            user="Zoë",
            actor="key:7\t\u007f",
            interface=Interface.OPENAI,
            transaction_id="tx-9",
        )
        items = [uuid4() for _ in range(MAX_ITEMS + 1)]
        owned = an_entry(scope, target="naïve\n key", items=items, count=len(items))
        await stores.audit.append([owned])
        assert await stores.audit.entries(scope, limit=9) == (owned.entry,)
        (link,) = await links_of(stores, scope)
        assert link.entry == owned.entry
        assert link.entry.items == tuple(items[:MAX_ITEMS])
        assert (link.tenant, link.owner_id, link.number) == (scope.tenant, scope.owner_id, 1)
        await check_chain(stores, scope)

    async def test_entries_of_several_owners_are_appended_at_once(self, stores: Stores) -> None:
        tenant = a_scope().tenant
        scopes: list[Scope | TenantScope] = [
            a_scope(tenant, user="alice"),
            a_scope(tenant, user="bob"),
            a_tenant_scope(tenant),
        ]
        entries = [an_entry(scopes[n % 3], seconds=n) for n in range(12)]
        await stores.audit.append(entries)
        await stores.audit.append([])
        for position, scope in enumerate(scopes):
            expected = [one.entry for one in entries[position::3]]
            assert [link.entry for link in await links_of(stores, scope)] == expected
            await check_chain(stores, scope)

    async def test_writers_of_the_same_and_of_other_owners_at_once_lose_and_double_nothing(
        self, stores: Stores
    ) -> None:
        tenant = a_scope().tenant
        scopes = [a_scope(tenant, user=f"user {n}") for n in range(4)]
        sessions = [await start_session(stores, scope) for scope in scopes]
        batches = [
            [an_entry(scope, items=[uuid4()]) for scope in (*scopes[n % 4 :], *scopes[: n % 4])]
            for n in range(20)
        ]
        deletions = (
            stores.sessions.delete(scope, session.session_id, now=seconds_on(1))
            for scope, session in zip(scopes, sessions, strict=True)
        )
        await asyncio.gather(*map(stores.audit.append, batches), *deletions)
        for position, scope in enumerate(scopes):
            links = await links_of(stores, scope)
            assert [link.number for link in links] == [*range(1, 22)]
            stored = {item for link in links for item in link.entry.items}
            assert stored == {
                item
                for batch in batches
                for owned in batch
                if owned.owner_id == scope.owner_id
                for item in owned.entry.items
            }, position
            await check_chain(stores, scope)

    async def test_a_chain_with_a_missing_altered_or_moved_entry_does_not_hold(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        await stores.audit.append([an_entry(scope, seconds=n) for n in range(5)])
        chain = await stores.audit_chains.chain(tenant_of(scope), scope.owner_id)
        assert chain is not None
        one, two, three, four, five = await links_of(stores, scope)
        for links, broken in (
            ([one, two, four, five], (3, "missing")),
            ([two, three, four, five], (1, "missing")),
            ([one, two, three, four], (5, "missing")),
            ([one, three, two, four, five], (2, "missing")),
            ([one, two, two, three, four, five], (2, "unchained")),
        ):
            check = ChainCheck(chain)
            faults = [fault for link in links if (fault := check.fault_of(link))]
            (first, *_) = [*faults, *filter(None, [check.fault_at_end()])]
            assert first == (scope.owner_id, *broken)

    async def test_the_log_of_a_tenant_is_listed_by_time_in_pages(self, stores: Stores) -> None:
        tenant = a_scope().tenant
        scopes = [a_scope(tenant, user="alice"), a_scope(tenant, user="bob")]
        await start_session(stores, scopes[0])
        for n in (3, 1, 4, 0, 2, 2):
            await stores.audit.append([an_entry(scopes[n % 2], seconds=n)])
        await stores.audit.append([an_entry(a_scope(), seconds=1)])
        for order in Order:
            for limit in (1, 2, 6, 7):
                links = await pages(stores, tenant, order=order, limit=limit)
                moments = [link.entry.at for link in links]
                assert len(links) == 6
                assert moments == sorted(moments, reverse=order is Order.DESC)
        assert {(link.owner_id, link.user) for link in links} == {
            (scopes[0].owner_id, "alice"),
            (scopes[1].owner_id, None),  # nothing else is stored of bob
        }

    async def test_entries_are_filtered_by_owner_action_and_time(self, stores: Stores) -> None:
        tenant = a_scope().tenant
        alice, bob = a_scope(tenant, user="alice"), a_scope(tenant, user="bob")
        read, written = AuditAction.MESSAGE_READ, AuditAction.MESSAGE_WRITTEN
        await stores.audit.append(
            [
                an_entry(scope, seconds=n, action=written if n % 2 else read)
                for scope in (alice, bob)
                for n in (0, 1, 2, 3)
            ]
        )
        for filters, expected in (
            (ALL, [(s, n) for n in range(4) for s in (alice, bob)]),
            (AuditFilter(owner_id=bob.owner_id), [(bob, n) for n in range(4)]),
            (AuditFilter(action=written), [(s, n) for n in (1, 3) for s in (alice, bob)]),
            (AuditFilter(owner_id=alice.owner_id, action=read), [(alice, 0), (alice, 2)]),
            (
                AuditFilter(since=seconds_on(1), until=seconds_on(3)),
                [(s, n) for n in (1, 2) for s in (alice, bob)],
            ),
            (
                AuditFilter(owner_id=bob.owner_id, since=seconds_on(3)),
                [(bob, 3)],
            ),
            (AuditFilter(owner_id=a_scope().owner_id), []),
        ):
            links = await pages(stores, tenant, filters=filters, limit=2)
            listed = {(link.owner_id, link.entry.at) for link in links}
            assert len(links) == len(expected)
            assert listed == {(scope.owner_id, seconds_on(n)) for scope, n in expected}

    async def test_another_tenant_sees_neither_entries_nor_chains(self, stores: Stores) -> None:
        scope, stranger = a_scope(), a_tenant_scope()
        await stores.audit.append([an_entry(scope)])
        filters = AuditFilter(owner_id=scope.owner_id)
        for one in (ALL, filters):
            listed = await stores.audit.list(stranger, PageRequest(), filters=one)
            assert listed.items == ()
        chains = stores.audit_chains
        assert await chains.chains(stranger, after=None, limit=9) == ()
        assert await chains.chain(stranger, scope.owner_id) is None
        assert await chains.links(stranger, scope.owner_id, after=0, limit=9) == ()

    async def test_the_chains_of_a_tenant_are_listed_one_after_the_other(
        self, stores: Stores
    ) -> None:
        tenant = a_tenant_scope()
        scopes = [a_scope(tenant.tenant, user=name) for name in "abcde"]
        await stores.audit.append([*map(an_entry, scopes)])
        owners: list[UUID] = []
        while chains := await stores.audit_chains.chains(
            tenant, after=owners[-1] if owners else None, limit=2
        ):
            owners += [chain.owner_id for chain in chains]
        assert owners == sorted(scope.owner_id for scope in scopes)
        assert await stores.audit_chains.unchained(tenant) is None

    async def test_pruning_deletes_the_old_beginning_of_a_chain_which_then_begins_later(
        self, stores: Stores
    ) -> None:
        async with alone(stores, "audit"):
            await self._prune_beginning(stores)

    async def _prune_beginning(self, stores: Stores) -> None:
        chains = stores.audit_chains
        scope, young = a_scope(), a_scope()
        old = [ANCIENT + timedelta(days=n) for n in (0, 1, 9, 2)]
        await stores.audit.append([an_entry(scope, at=at) for at in old])
        await stores.audit.append([an_entry(young)])
        limit = ANCIENT + timedelta(days=5)

        assert await chains.count_older(than=limit) == 3
        assert await chains.prune(older_than=limit, limit=10) == 2
        assert await chains.prune(older_than=limit, limit=10) == 0

        assert [link.number for link in await links_of(stores, scope)] == [3, 4]
        assert [link.number for link in await links_of(stores, young)] == [1]
        await check_chain(stores, scope, begins_after=2)

        await stores.audit.append([an_entry(scope)])
        await check_chain(stores, scope, begins_after=2)
        assert await chains.prune(older_than=ANCIENT + timedelta(days=10), limit=10) == 2
        assert [link.number for link in await links_of(stores, scope)] == [5]
        await check_chain(stores, scope, begins_after=4)

    async def test_a_chain_whose_entries_are_all_pruned_goes_on(self, stores: Stores) -> None:
        scope = a_scope()
        ages = [ANCIENT - timedelta(days=n) for n in (3, 2)]
        async with alone(stores, "audit"):
            await stores.audit.append([an_entry(scope, at=at) for at in ages])
            assert await stores.audit_chains.prune(older_than=ANCIENT, limit=10) == 2
        assert await links_of(stores, scope) == ()
        await check_chain(stores, scope, begins_after=2)
        await stores.audit.append([an_entry(scope)])
        assert [link.number for link in await links_of(stores, scope)] == [3]
        await check_chain(stores, scope, begins_after=2)


def an_entry(
    scope: Scope | TenantScope,
    *,
    action: AuditAction = AuditAction.MESSAGE_READ,
    target: object = "",
    items: Sequence[UUID] = (),
    count: int = 1,
    seconds: float = 0,
    at: datetime | None = None,
) -> OwnedEntry:
    """Something that was done at a moment."""
    return OwnedEntry.of(
        scope, action, target, items=items, count=count, at=at or seconds_on(seconds)
    )


def tenant_of(scope: Scope | TenantScope) -> TenantScope:
    return TenantScope(tenant=scope.tenant)


async def links_of(stores: Stores, scope: Scope | TenantScope) -> tuple[ChainedEntry, ...]:
    chains = stores.audit_chains
    return await chains.links(tenant_of(scope), scope.owner_id, after=0, limit=100)


async def check_chain(stores: Stores, scope: Scope | TenantScope, *, begins_after: int = 0) -> None:
    """Check that the chain of an owner holds, in Python, and where it begins."""
    chain = await stores.audit_chains.chain(tenant_of(scope), scope.owner_id)
    assert chain is not None
    assert chain.begins_after == begins_after
    check = ChainCheck(chain)
    links = await links_of(stores, scope)
    assert all(later.number == one.number + 1 for one, later in pairwise(links))
    assert [fault for link in links if (fault := check.fault_of(link))] == []
    assert check.fault_at_end() is None


async def pages(
    stores: Stores,
    tenant: str,
    *,
    filters: AuditFilter = ALL,
    order: Order = Order.DESC,
    limit: int,
) -> list[ChainedEntry]:
    """All pages of the log together."""
    links: list[ChainedEntry] = []
    cursor: str | None = None
    while True:
        page = PageRequest(limit=limit, order=order, cursor=cursor)
        listed = await stores.audit.list(TenantScope(tenant=tenant), page, filters=filters)
        links += listed.items
        cursor = listed.next_cursor
        if cursor is None:
            return links
