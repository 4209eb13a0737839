"""What every recall index promises about filters."""

from datetime import timedelta
from itertools import pairwise
from uuid import uuid4

from conformance.contracts.recall_shared import (
    Log,
    search,
)
from recollect.domain.recall.entry import RecallFilter
from recollect.ports import Stores
from recollect.testing import FIRST_MOMENT
from support.examples import start_session


class RecallFilterContract:
    """Finds nothing but what a filter leaves. A fixture `stores` names the engine."""

    async def test_a_session_filter_returns_only_entries_of_that_session(
        self, stores: Stores
    ) -> None:
        here = await Log.start(stores)
        there = await Log.start(stores, here.scope)
        await here.say("here")
        await there.say("there")
        filters = RecallFilter(session_id=here.session_id)
        assert await _texts(here, filters) == ["here"]
        absent = await start_session(stores, here.scope)
        assert await _texts(here, RecallFilter(session_id=absent.session_id)) == []

    async def test_a_time_filter_includes_its_start_and_excludes_its_end(
        self, stores: Stores
    ) -> None:
        log = await Log.start(stores)
        moments = [FIRST_MOMENT + timedelta(days=day) for day in range(4)]
        for day, moment in enumerate(moments):
            await log.say(f"day {day}", now=moment)
        assert await _texts(log, RecallFilter(since=moments[2])) == ["day 2", "day 3"]
        assert await _texts(log, RecallFilter(until=moments[1])) == ["day 0"]
        between = RecallFilter(since=moments[1], until=moments[3])
        assert await _texts(log, between) == ["day 1", "day 2"]
        for earlier, later in pairwise(moments):
            assert await _texts(log, RecallFilter(since=later, until=earlier)) == []

    async def test_a_table_filter_returns_only_entries_about_those_tables(
        self, stores: Stores
    ) -> None:
        log = await _a_log_of_tables(stores)
        filters = RecallFilter(tables=frozenset({"shop.sales", "hr.pay"}))
        assert await _texts(log, filters) == ["both", "sales"]
        assert await _texts(log, RecallFilter(tables=frozenset())) == []

    async def test_a_database_filter_returns_only_entries_about_those_databases(
        self, stores: Stores
    ) -> None:
        log = await _a_log_of_tables(stores)
        shop = RecallFilter(databases=frozenset({"shop"}))
        assert await _texts(log, shop) == ["none", "sales", "skis"]
        both = RecallFilter(databases=frozenset({"shop", "hr"}))
        assert await _texts(log, both) == ["both", "none", "sales", "skis"]
        assert await _texts(log, RecallFilter(databases=frozenset())) == ["none"]

    async def test_a_speaker_filter_returns_only_entries_of_that_speaker(
        self, stores: Stores
    ) -> None:
        log = await Log.start(stores)
        await log.say("ann's", speaker="Ann")
        await log.say("bob's", speaker="Bob")
        await log.say("nobody's")
        assert await _texts(log, RecallFilter(speaker="Ann")) == ["ann's"]

    async def test_entries_of_excluded_messages_are_not_returned(self, stores: Stores) -> None:
        log = await Log.start(stores)
        known, _ = await log.say("known"), await log.say("other")
        filters = RecallFilter(without=frozenset(known.entry.message_ids) | {uuid4()})
        assert await _texts(log, filters) == ["other"]

    async def test_filters_are_applied_before_the_best_entries_are_chosen(
        self, stores: Stores
    ) -> None:
        log = await Log.start(stores)
        for number in range(6):
            await log.say(f"text {number}", speaker="Ann" if number == 5 else "Bob")
        found = await search(
            stores, log.scope, "text", filters=RecallFilter(speaker="Ann"), count=1
        )
        assert [one.entry.text for one in found] == ["text 5"]


async def _a_log_of_tables(stores: Stores) -> Log:
    log = await Log.start(stores)
    await log.say("sales", tables=("shop.sales",))
    await log.say("skis", tables=("shop.skis",))
    await log.say("both", tables=("hr.staff", "shop.sales"))
    await log.say("none")
    return log


async def _texts(log: Log, filters: RecallFilter) -> list[str]:
    found = await search(log.stores, log.scope, "text day", filters=filters)
    return sorted(candidate.entry.text for candidate in found)
