"""Entries cached in one process, while others change them in the database."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from conformance.contracts.recall_shared import (
    EAST,
    MODEL,
    NORTH,
    NORTH_EAST,
    Log,
    index_of,
    search,
)
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import EntriesState
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.conversations.messages import PostgresMessageStore
from recollect.engines.postgres.recall.entry_cache import CachedRecallIndex
from recollect.engines.postgres.recall.index import PostgresRecallIndex
from recollect.ports import Stores
from recollect.ports.conversations import StoredWindow
from recollect.ports.runtime import Clock
from recollect.system import SystemClock
from recollect.testing import FIRST_MOMENT, FixedClock
from support.examples import a_scope, seconds_on
from support.recall.search_comparison import Asked, assert_same, found

WORDS = ("skis", "sledge", "snow", "ice", "hut", "lift", "pass", "glove", "scarf", "cap")
VECTORS = (EAST, NORTH, NORTH_EAST, None)
OTHER_MODEL = "model-b:3"


def cached(
    stores: Stores, database: Database, clock: Clock | None = None, **options: object
) -> Stores:
    """The same, as another process sees it that caches from the first search on.

    With `exact_up_to` of 0 all owners are large: the first pass is made in the process.
    """
    options = {"from_first_search": True, **options}
    index = CachedRecallIndex(database, clock or SystemClock(), **options)  # type: ignore[arg-type]
    return replace(stores, recall=index)


def uncached(stores: Stores, database: Database) -> Stores:
    """The same, where the database searches always."""
    return replace(stores, recall=PostgresRecallIndex(database, SystemClock()))


@pytest.mark.parametrize("exact_up_to", [1_000, 0], ids=["entries", "binary-quantised vectors"])
async def test_cached_search_finds_the_same_as_the_database_during_changes(
    stores: Stores, database: Database, exact_up_to: int
) -> None:
    chance = random.Random(11)  # noqa: S311  # the same course of events on every run
    here = cached(stores, database, exact_up_to=exact_up_to)
    there = uncached(stores, database)
    scope = a_scope()
    logs: list[Log] = []
    for _ in range(60):
        what = chance.choice(("say", "say", "say", "start", "delete", "embed", "unsay"))
        log = chance.choice(logs) if logs else None
        if what == "start" or log is None:
            logs.append(await Log.start(stores, scope))
        elif what == "say":
            text = " ".join(chance.choices(WORDS, k=chance.randint(1, 6)))
            speaker = chance.choice((None, None, "Anna"))
            await log.say(text, chance.choice(VECTORS), speaker=speaker)
        elif what == "delete":
            logs.remove(log)
            await stores.sessions.delete(scope, log.session_id, now=FIRST_MOMENT)
        elif what == "unsay" and log.messages:
            message = log.messages.pop(chance.randrange(len(log.messages)))
            await index_of(stores).replace(scope, log.session_id, [message.turn_number or 0], [])
        elif what == "embed":
            entries = [one.entry for one in await search(stores, scope, " ".join(WORDS), None)]
            vectors = [(entry, NORTH) for entry in entries[:2]]
            await index_of(stores).embed(scope, vectors, model=OTHER_MODEL)
        words = " ".join(chance.sample(WORDS, 3))
        for model in (MODEL, OTHER_MODEL):
            assert_same(
                await found(here, scope, words, model=model),
                await found(there, scope, words, model=model),
            )
        known = frozenset(m.message_id for log in logs for m in log.messages[:1])
        for filters in ({"without": known}, {"speaker": "Anna"}):
            assert_same(
                await found(here, scope, words, **filters),
                await found(there, scope, words, **filters),
            )


@pytest.mark.parametrize("exact_up_to", [1_000, 0], ids=["entries", "binary-quantised vectors"])
async def test_concurrent_searches_each_find_their_own_results(
    stores: Stores, database: Database, exact_up_to: int
) -> None:
    here = cached(stores, database, exact_up_to=exact_up_to)
    log = await Log.start(stores)
    for number in range(10):
        told = log.say(f"snow {number}", EAST)
        searches = (log_search(here, log.scope) for _ in range(5))
        _, *counts = await asyncio.gather(told, *searches)
        assert set(counts) <= {number, number + 1}
        assert await log_search(here, log.scope) == number + 1


async def log_search(stores: Stores, scope: Scope) -> int:
    return len(await search(stores, scope, "snow"))


async def test_entries_are_cached_at_the_second_search_and_then_only_new_ones_are_read(
    stores: Stores, database: Database
) -> None:
    asked = Asked(database)
    here = cached(stores, asked, from_first_search=False)
    log = await Log.start(stores)
    await log.say("snow", EAST)
    await log.say("ice", EAST)

    seen = []
    for _ in range(4):
        await search(here, log.scope, "snow")
        seen.append(list(asked.names))
        asked.names.clear()
    await log.say("hut", EAST)
    (hut,) = await search(here, log.scope, "hut", None)
    await log.say("sun", EAST)
    await search(here, log.scope, "sun")

    assert [name.partition(":")[0] for name in seen[0]] == ["search_entries"]
    assert seen[1:] == [["entries_since: 3"], ["entries_since: 1"], ["entries_now: 1"]]
    assert hut.entry.text == "hut"
    assert asked.names == ["entries_now: 1", "entries_since: 2", "entries_since: 2"]


async def test_entries_are_searched_without_a_statement_where_a_window_has_told_their_state(
    stores: Stores, database: Database
) -> None:
    asked = Asked(database)
    here = cached(stores, asked)
    log = await Log.start(stores)
    window = await window_of(log)
    assert window.entries is not None
    assert window.entries.state == EntriesState(0, 0, frozenset())
    assert not window.has_facts
    assert window.is_halted is False
    assert await search(here, log.scope, "snow", None, state=window.entries.state) == ()
    assert asked.names == []

    await log.say("snow", EAST)
    stale, window = window, await window_of(log)
    assert window.entries is not None
    for _ in range(2):
        (snow,) = await search(here, log.scope, "snow", None, state=window.entries.state)
        assert snow.entry.text == "snow"
    assert asked.names == ["entries_since: 2"]

    asked.names.clear()
    await index_of(stores).replace(log.scope, log.session_id, [1], [])
    removed = await window_of(log)
    assert removed.entries is not None
    assert removed.entries.state not in {
        one.entries and one.entries.state for one in (window, stale)
    }
    assert await search(here, log.scope, "snow", None, state=removed.entries.state) == ()
    assert asked.names == ["entries_since: 1"]


async def test_a_window_tells_which_sessions_have_expired(
    stores: Stores, database: Database
) -> None:
    scope = a_scope()
    end = datetime(2999, 1, 1, tzinfo=UTC)
    ended = await Log.start(stores, scope, expires_at=end)
    await ended.say("snow", EAST)
    log = await Log.start(stores, scope)
    for seconds, expired in ((-1, frozenset[UUID]()), (1, frozenset({ended.session_id}))):
        messages = PostgresMessageStore(database, FixedClock(end + timedelta(seconds=seconds)))
        window = await messages.window(scope, log.session_id, count=1, covers_all=True)
        assert window is not None
        assert window.entries is not None
        assert window.entries.state.expired == expired


async def test_a_window_tells_whether_somebody_speaks_in_the_entries(stores: Stores) -> None:
    log = await Log.start(stores)
    await log.say("snow", EAST)
    unnamed = await window_of(log)
    await log.say("ice", EAST, speaker="Ann")
    named = await window_of(log)
    assert [one.entries and one.entries.has_speakers for one in (unnamed, named)] == [False, True]


async def test_a_window_tells_that_its_user_is_halted(stores: Stores) -> None:
    log = await Log.start(stores)
    await stores.states.put(log.scope, "Halted", now=FIRST_MOMENT)
    assert (await window_of(log)).is_halted is True


async def window_of(log: Log) -> StoredWindow:
    window = await log.stores.messages.window(log.scope, log.session_id, count=1, covers_all=True)
    assert window is not None
    return window


async def test_an_owner_with_many_entries_is_searched_by_the_database(
    stores: Stores, database: Database
) -> None:
    asked = Asked(database)
    here = cached(stores, asked, exact_up_to=2)
    log = await Log.start(stores)
    for text in ("snow", "snow hut"):
        await log.say(text, EAST)
    assert len(await search(here, log.scope, "snow")) == 2
    await log.say("snow ice", EAST)
    for _ in range(2):
        assert len(await search(here, log.scope, "snow")) == 3
    assert [name.partition(":")[0] for name in asked.names].count("entries_since") == 2


async def test_an_expired_session_is_left_out_without_reading_the_entries_again(
    stores: Stores, database: Database
) -> None:
    asked, clock = Asked(database), FixedClock(datetime.now(UTC))
    here = cached(stores, asked, clock)
    log = await Log.start(stores)
    await log.say("snow", EAST)
    ends = clock.now() + timedelta(minutes=5)
    await (await Log.start(stores, log.scope, expires_at=ends)).say("snow again", EAST)

    async def texts() -> list[str]:
        asked.names.clear()
        return sorted(one.entry.text for one in await search(here, log.scope, "snow"))

    assert await texts() == await texts() == ["snow", "snow again"]
    clock.move(timedelta(minutes=6))
    assert await texts() == await texts() == ["snow"]
    assert asked.names == ["entries_now: 1"]


async def test_cached_entries_not_used_for_a_while_are_evicted(
    stores: Stores, database: Database
) -> None:
    asked, clock = Asked(database), FixedClock()
    here = cached(stores, asked, clock)
    one, other = await Log.start(stores), await Log.start(stores)
    await one.say("snow", EAST)
    await search(here, one.scope, "snow")
    clock.move(timedelta(minutes=11))
    await search(here, other.scope, "snow")
    asked.names.clear()
    await search(here, one.scope, "snow")
    assert asked.names == ["entries_since: 2"]


async def test_the_entries_of_the_least_recently_searching_owner_are_evicted(
    stores: Stores, database: Database
) -> None:
    asked = Asked(database)
    here = cached(stores, asked, max_bytes=10_000)  # one entry, not two
    one, other = await Log.start(stores), await Log.start(stores)
    for log in (one, other):
        await log.say("snow", EAST)
    for log in (one, other, other, one):
        assert len(await search(here, log.scope, "snow")) == 1
    assert [int(name[-1]) for name in asked.names] == [2, 2, 1, 2]


def names(asked: Asked) -> Sequence[str]:
    """The statements since the last call."""
    statements = [name.partition(":")[0] for name in asked.names]
    asked.names.clear()
    return statements


CHOSEN_HERE = ["binary_vectors_since", "search_entries"]


async def texts_near_east(stores: Stores, log: Log) -> set[str]:
    return {one.entry.text for one in await search(stores, log.scope, "", EAST)}


async def test_vectors_of_large_owners_are_cached_from_the_third_search_on(
    stores: Stores, database: Database
) -> None:
    asked, log = Asked(database), await Log.start(stores)
    here = cached(stores, asked, exact_up_to=1, from_first_search=False)
    expected = {"snow", "ice"}
    for text in expected:
        await log.say(text, EAST)
    statements = []
    for number in range(4):
        assert await texts_near_east(here, log) == expected
        statements.append(names(asked))
        await log.say(f"hut {number}", EAST)
        expected = expected | {f"hut {number}"}
    assert statements == [
        ["search_entries"],
        ["entries_since", "search_entries"],
        CHOSEN_HERE,
        CHOSEN_HERE,
    ]


async def test_cached_vectors_are_read_again_after_a_deletion(
    stores: Stores, database: Database
) -> None:
    asked, log = Asked(database), await Log.start(stores)
    here = cached(stores, asked, exact_up_to=1)
    said = [await log.say(text, EAST) for text in ("snow", "ice", "hut")]
    for _ in range(2):
        assert await texts_near_east(here, log) == {"snow", "ice", "hut"}
    (message_id,) = said[1].entry.message_ids
    await stores.messages.delete(log.scope, log.session_id, message_id, now=seconds_on(1))
    for _ in range(3):
        assert await texts_near_east(here, log) == {"snow", "hut"}


async def test_cached_vectors_of_a_large_owner_leave_out_expired_sessions(
    stores: Stores, database: Database
) -> None:
    clock = FixedClock(datetime.now(UTC))
    here, log = cached(stores, database, clock, exact_up_to=0), await Log.start(stores)
    await log.say("snow", EAST)
    ends = clock.now() + timedelta(minutes=5)
    await (await Log.start(stores, log.scope, expires_at=ends)).say("ice", EAST)
    for _ in range(3):
        assert await texts_near_east(here, log) == {"snow", "ice"}
    clock.move(timedelta(minutes=6))
    assert await texts_near_east(here, log) == {"snow"}


async def test_an_owner_with_few_entries_left_is_cached_as_a_small_one(
    stores: Stores, database: Database
) -> None:
    asked, log = Asked(database), await Log.start(stores)
    here = cached(stores, asked, exact_up_to=1)
    for text in ("snow", "ice"):
        await log.say(text, EAST)
    for _ in range(2):
        assert await texts_near_east(here, log) == {"snow", "ice"}
    message_id = log.messages[0].message_id
    await stores.messages.delete(log.scope, log.session_id, message_id, now=seconds_on(1))
    assert await texts_near_east(here, log) == {"ice"}
    names(asked)
    assert await texts_near_east(here, log) == {"ice"}
    assert names(asked) == ["entries_since"]
