"""What `recollect.ports.facts.FactStore` promises of lists, accesses, numbers and deletions."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from conformance.contracts.facts_shared import (
    ANY_STATUS,
    a_fact,
    accessed,
    an_edit,
    commit,
    contents,
    evidence_of,
    store,
    superseded,
)
from conformance.contracts.pages import walk
from recollect.domain.conversation.paging import FactPosition, Order, Page, PageRequest
from recollect.domain.facts.fact import Fact, FactStatus, FactType, Priority
from recollect.domain.facts.query import FactFilter, FactSort
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.stored import FactStats
from recollect.domain.identity.scope import Scope
from recollect.errors import InvalidCursor
from recollect.ports import Stores
from support.examples import a_scope, seconds_on

# The contents in descending order of each sort; see `_sortable`.
SORTED = {
    FactSort.CREATED: "DCBA",
    FactSort.UPDATED: "BDCA",
    FactSort.LAST_ACCESSED: "ADCB",
    FactSort.PRIORITY: "ABDC",
}


class FactReadingContract:
    """Filters, sorts and pages; what is read is not accessed."""

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (FactFilter(), ["Weekly reports.", "Tea."]),
            (ANY_STATUS, ["Gone.", "Weekly reports.", "Tea."]),
            (FactFilter(status=FactStatus.SUPERSEDED), ["Gone."]),
            (FactFilter(status=FactStatus.PRUNED), []),
            (FactFilter(type=FactType.PROCEDURE), ["Weekly reports."]),
            (FactFilter(type=FactType.PROCEDURE, status=None), ["Gone.", "Weekly reports."]),
            (FactFilter(priority=Priority.LOW), ["Tea."]),
            (FactFilter(priority=Priority.LOW, type=FactType.PROCEDURE), []),
            (FactFilter(text="report", type=FactType.PROCEDURE), ["Weekly reports."]),
        ],
    )
    async def test_a_list_has_what_matches(
        self, stores: Stores, filters: FactFilter, expected: list[str]
    ) -> None:
        scope, procedure = a_scope(), FactType.PROCEDURE
        tea = a_fact("Tea.", priority=Priority.LOW, created_at=seconds_on(1))
        reports = a_fact("Weekly reports.", type=procedure, created_at=seconds_on(2))
        gone = a_fact("Gone.", type=procedure, created_at=seconds_on(3))
        await store(stores, scope, tea, reports, gone)
        await store(stores, scope, superseded(gone))
        assert await contents(stores, scope, filters) == expected

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "ÉTÉ 100%",
            "e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}",
            "STRASSE",
            "'quoted' words",
            "100%_\\o",
            "\\",
        ],
    )
    async def test_text_is_found_without_regard_to_case(self, stores: Stores, text: str) -> None:
        scope = a_scope()
        await _store_odd_text(stores, scope)
        assert len(await contents(stores, scope, FactFilter(text=text))) == 1

    @pytest.mark.parametrize("text", ["100%o", "1_0", "100%__o", "\\\\", "ete", ".*", "missing"])
    async def test_no_character_stands_for_others(self, stores: Stores, text: str) -> None:
        scope = a_scope()
        await _store_odd_text(stores, scope)
        assert await contents(stores, scope, FactFilter(text=text)) == []

    async def test_a_changed_fact_is_found_by_its_new_text(self, stores: Stores) -> None:
        scope = a_scope()
        (fact,) = await store(stores, scope, a_fact("Tea."))
        await store(stores, scope, fact.changed(seconds_on(1), content="Coffee."))
        assert await contents(stores, scope, FactFilter(text="COFFEE")) == ["Coffee."]
        assert await contents(stores, scope, FactFilter(text="tea")) == []

    @pytest.mark.parametrize("order", Order)
    @pytest.mark.parametrize("sort", FactSort)
    async def test_pages_follow_each_other_by_every_sort(
        self, stores: Stores, sort: FactSort, order: Order
    ) -> None:
        scope = a_scope()
        await _sortable(stores, scope)

        def list_page(request: PageRequest) -> asyncio.Future[Page[Fact]]:
            listed = stores.facts.list(scope, request, filters=ANY_STATUS, sort=sort)
            return asyncio.ensure_future(listed)

        facts = await walk(list_page, PageRequest(limit=1, order=order))
        expected = SORTED[sort] if order is Order.DESC else SORTED[sort][::-1]
        assert "".join(fact.content for fact in facts) == expected
        rest = await list_page(PageRequest(order=order, offset=2, limit=9))
        assert "".join(fact.content for fact in rest.items) == expected[2:]

    async def test_facts_of_the_same_moment_are_each_listed_once(self, stores: Stores) -> None:
        scope, facts = a_scope(), [a_fact(f"No {number}.") for number in range(5)]
        await store(stores, scope, *facts)
        for sort in FactSort:
            listed = await walk(
                lambda request, sort=sort: stores.facts.list(  # type: ignore[misc]
                    scope, request, filters=FactFilter(), sort=sort
                ),
                PageRequest(limit=2),
            )
            assert listed == sorted(facts, key=lambda fact: fact.fact_id, reverse=True)

    async def test_a_cursor_of_another_sort_is_refused(self, stores: Stores) -> None:
        scope = a_scope()
        await _sortable(stores, scope)
        page = await stores.facts.list(scope, PageRequest(limit=1), filters=FactFilter())
        with pytest.raises(InvalidCursor):
            await stores.facts.list(
                scope,
                PageRequest(limit=1, cursor=page.next_cursor),
                filters=FactFilter(),
                sort=FactSort.UPDATED,
            )

    async def test_a_made_up_cursor_does_no_harm(self, stores: Stores) -> None:
        scope = a_scope()
        await _sortable(stores, scope)
        far = FactPosition("priority", 2**63 - 1, datetime(9999, 12, 31, tzinfo=UTC), uuid4())
        cursor = PageRequest(limit=1).page([("shown", far), ("more", far)]).next_cursor
        request = PageRequest(cursor=cursor)
        page = await stores.facts.list(scope, request, filters=FactFilter(), sort=FactSort.PRIORITY)
        assert "".join(fact.content for fact in page.items) == SORTED[FactSort.PRIORITY]

    async def test_active_facts_are_listed_oldest_first(self, stores: Stores) -> None:
        scope = a_scope()
        facts = [a_fact(f"No {number}.", created_at=seconds_on(number)) for number in (3, 1, 2)]
        await store(stores, scope, *facts)
        await store(stores, scope, superseded(facts[2]))
        active = await stores.facts.active(scope)
        assert [one.fact for one in active] == [facts[1], facts[0]]

    async def test_an_access_is_counted_and_changes_nothing(self, stores: Stores) -> None:
        scope = a_scope()
        used, other = await store(stores, scope, a_fact("Used."), a_fact("Other."))
        await stores.facts.touch(scope, [used.fact_id, uuid4()], at=seconds_on(9))
        once = accessed(used, seconds_on(9))
        assert await stores.facts.get(scope, used.fact_id) == once
        await stores.facts.touch(scope, (used.fact_id, used.fact_id), at=seconds_on(3))
        twice = accessed(once, seconds_on(9))
        assert await stores.facts.get(scope, used.fact_id) == twice, "not back to an earlier time"
        assert await stores.facts.get(scope, other.fact_id) == other
        assert len(await stores.facts.history(scope, used.fact_id)) == 1
        await stores.facts.touch(scope, [], at=seconds_on(9))

    async def test_accesses_at_once_are_all_counted(self, stores: Stores) -> None:
        scope = a_scope()
        one, two = await store(stores, scope, a_fact("One."), a_fact("Two."))
        ids = [one.fact_id, two.fact_id]
        touches = [
            stores.facts.touch(scope, ids[:: 1 - 2 * (n % 2)], at=seconds_on(n)) for n in range(8)
        ]
        await asyncio.gather(*touches)
        assert await stores.facts.get(scope, one.fact_id) == replace(
            one, access_count=8, accessed_at=seconds_on(7)
        )

    async def test_reading_is_no_access(self, stores: Stores) -> None:
        scope = a_scope()
        (fact,) = await store(stores, scope, a_fact())
        await stores.facts.active(scope)
        await stores.facts.stats(scope)
        await stores.facts.nearest(scope, (1.0,), model="model-a:1", limit=9)
        assert await contents(stores, scope) == [fact.content]
        assert await stores.facts.get(scope, fact.fact_id) == fact

    async def test_facts_are_counted_by_what_they_are(self, stores: Stores) -> None:
        scope = a_scope()
        assert await stores.facts.stats(scope) == FactStats(total=0)
        sunday, monday = (
            datetime(2026, 11, 15, 23, 59, 59, tzinfo=UTC),
            datetime(2026, 11, 16, tzinfo=UTC),
        )
        gone = a_fact("Gone.", type=FactType.CONTEXT, created_at=sunday)
        await store(
            stores,
            scope,
            gone,
            a_fact("Tea.", type=FactType.PREFERENCE, priority=Priority.LOW, created_at=monday),
            a_fact("Gent.", created_at=monday),
        )
        await store(stores, scope, superseded(gone))
        assert await stores.facts.stats(scope) == FactStats(
            total=3,
            by_type={"preference": 1, "fact": 1},
            by_priority={"low": 1, "high": 1},
            by_status={"active": 2, "superseded": 1},
            by_week={"2026-11-09": 1, "2026-11-16": 2},
        )

    async def test_a_deleted_fact_is_gone_with_its_history(self, stores: Stores) -> None:
        scope, message_id = a_scope(), uuid4()
        gone, kept = a_fact("Gone.", slot=Slot.HOME), a_fact("Kept.")
        edits = [an_edit(gone, message_id=message_id, statement="gone"), an_edit(kept)]
        assert await stores.facts.commit(scope, edits, {})
        assert await stores.facts.delete(scope, []) == 0
        assert await stores.facts.delete(scope, [gone.fact_id, uuid4()]) == 1
        assert await stores.facts.delete(scope, [gone.fact_id]) == 0
        assert await stores.facts.get(scope, gone.fact_id) is None
        assert await stores.facts.history(scope, gone.fact_id) == ()
        assert await stores.facts.learnt(scope, [message_id]) == frozenset()
        assert await contents(stores, scope) == ["Kept."]
        assert await stores.facts.commit(scope, edits[:1], {}), "what it claimed is free again"

    async def test_deletions_are_in_the_audit_log_unless_nothing_was_there(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        one, _, _ = await store(stores, scope, a_fact("One."), a_fact("Two."), a_fact("Three."))
        for fact_ids in ([one.fact_id], [one.fact_id], None, None):
            await stores.facts.delete(scope, fact_ids)
        entries = await stores.audit.entries(scope, limit=9)
        assert [(entry.action, entry.target, entry.count) for entry in entries] == [
            ("facts.cleared", str(scope.owner_id), 2),
            ("fact.deleted", str(one.fact_id), 1),
        ]

    async def test_histories_of_several_facts_are_read_at_once(self, stores: Stores) -> None:
        scope = a_scope()
        one, two = await store(stores, scope, a_fact("One."), a_fact("Two."))
        await store(stores, scope, superseded(two))
        given = [one.fact_id, two.fact_id, uuid4()]
        histories = await stores.facts.histories(scope, given)
        assert histories == {
            fact_id: await stores.facts.history(scope, fact_id) for fact_id in given[:2]
        }
        assert [change.version for change in histories[two.fact_id]] == [1, 2]
        assert await stores.facts.histories(a_scope(), given) == {}

    async def test_all_facts_are_deleted_at_once(self, stores: Stores) -> None:
        scope, other = a_scope(), a_scope()
        one, two = await store(stores, scope, a_fact("One."), a_fact("Two."))
        await store(stores, scope, superseded(two))
        await store(stores, other, a_fact())
        assert await stores.facts.delete(scope) == 2
        assert await contents(stores, scope) == []
        assert await stores.facts.history(scope, one.fact_id) == ()
        assert len(await contents(stores, other)) == 1

    @pytest.mark.parametrize("stranger_is", ["another user", "another tenant"])
    async def test_a_stranger_reads_and_changes_nothing(
        self, stores: Stores, stranger_is: str
    ) -> None:
        owner = a_scope()
        is_neighbour = stranger_is == "another user"
        stranger = a_scope(owner.tenant, user="m") if is_neighbour else a_scope(user=owner.user)
        fact, message_id = a_fact(slot=Slot.EMPLOYER), uuid4()
        edit = an_edit(fact, message_id=message_id, statement=fact.gist)
        assert await stores.facts.commit(owner, [edit], {})
        await _assert_nothing_there(stores, stranger, fact)
        assert await stores.facts.learnt(stranger, [message_id]) == frozenset()
        await stores.facts.touch(stranger, [fact.fact_id], at=seconds_on(9))
        await stores.facts.embed(stranger, {fact.fact_id: (1, (1.0,))}, model="model-b:1")
        assert await stores.facts.delete(stranger, [fact.fact_id]) == 0
        assert await stores.facts.delete(stranger) == 0
        assert not await commit(stores, stranger, fact.changed(seconds_on(1)))
        assert await stores.facts.commit(stranger, [edit], {}), "the same ids, words and statement"
        await stores.facts.delete(stranger)
        (unchanged,) = await stores.facts.active(owner)
        assert (unchanged.fact, unchanged.vector) == (fact, None)
        assert await stores.facts.history(owner, fact.fact_id) == (edit.change,)


async def _store_odd_text(stores: Stores, scope: Scope) -> None:
    evidence = evidence_of("the 'Quoted' words")
    await store(stores, scope, a_fact("L'été 100%_\\o in der Straße", evidence=evidence))


async def _sortable(stores: Stores, scope: Scope) -> None:
    """Facts A to D, created in that order; see `SORTED`."""
    priorities = (Priority.CRITICAL, Priority.HIGH, Priority.LOW, Priority.MEDIUM)
    facts = [
        a_fact(content, priority=priority, created_at=seconds_on(number))
        for number, (content, priority) in enumerate(zip("ABCD", priorities, strict=True))
    ]
    await store(stores, scope, *facts)
    await store(stores, scope, facts[1].changed(seconds_on(8)))
    await stores.facts.touch(scope, [facts[0].fact_id], at=seconds_on(9))


async def _assert_nothing_there(stores: Stores, scope: Scope, fact: Fact) -> None:
    assert await stores.facts.get(scope, fact.fact_id) is None
    assert await stores.facts.history(scope, fact.fact_id) == ()
    assert await stores.facts.active(scope) == ()
    assert await contents(stores, scope) == []
    assert await stores.facts.nearest(scope, (1.0,), model="model-b:1", limit=9) == ()
    assert await stores.facts.stats(scope) == FactStats(total=0)
