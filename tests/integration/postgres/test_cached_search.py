"""Entries at hand in one process, while others change them in the database."""

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

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
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.recall import cached_search
from recollect.engines.postgres.recall.index import PostgresRecallIndex
from recollect.ports.stores import Stores
from recollect.system import SystemClock
from recollect.testing.fakes import FIRST_MOMENT, FixedClock
from support.examples import a_scope
from support.searching import Asked, assert_same, found

WORDS = ("skis", "sledge", "snow", "ice", "hut", "lift", "pass", "glove", "scarf", "cap")
VECTORS = (EAST, NORTH, NORTH_EAST, None)
OTHER_MODEL = "model-b:3"


def at_hand(stores: Stores, database: Database, *, scored_at_once: int = 1_000) -> Stores:
    """The same, as another process sees it that keeps everything at hand."""
    index = PostgresRecallIndex(
        database, SystemClock(), scored_at_once=scored_at_once, keeps_at_once=True
    )
    return replace(stores, recall=index)


@pytest.mark.parametrize("scored_at_once", [1_000, 0], ids=["entries", "signs"])
async def test_whatever_others_do_the_same_is_found_as_by_the_database(
    stores: Stores, database: Database, scored_at_once: int
) -> None:
    chance = random.Random(11)  # noqa: S311  # the same course of events on every run
    here = at_hand(stores, database, scored_at_once=scored_at_once)
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
                await found(stores, scope, words, model=model),
            )
        known = frozenset(m.message_id for log in logs for m in log.messages[:1])
        for filters in ({"without": known}, {"speaker": "Anna"}):
            assert_same(
                await found(here, scope, words, **filters),
                await found(stores, scope, words, **filters),
            )


@pytest.mark.parametrize("scored_at_once", [1_000, 0], ids=["entries", "signs"])
async def test_many_searches_at_once_find_what_each_must(
    stores: Stores, database: Database, scored_at_once: int
) -> None:
    here = at_hand(stores, database, scored_at_once=scored_at_once)
    log = await Log.start(stores)
    for number in range(10):
        told = log.say(f"snow {number}", EAST)
        searches = (log_search(here, log.scope) for _ in range(5))
        _, *counts = await asyncio.gather(told, *searches)
        assert set(counts) <= {number, number + 1}
        assert await log_search(here, log.scope) == number + 1


async def log_search(stores: Stores, scope: Scope) -> int:
    return len(await search(stores, scope, "snow"))


async def test_entries_are_read_at_the_second_search_and_then_only_what_is_new(
    stores: Stores, database: Database
) -> None:
    asked = Asked(database)
    here = replace(stores, recall=PostgresRecallIndex(asked, SystemClock()))
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

    assert [name.partition(":")[0] for name in seen[0]] == ["score_entries", "read_scored_entries"]
    assert seen[1:] == [["entries_since: 3"], ["entries_since: 1"], ["entries_now: 1"]]
    assert hut.entry.text == "hut"
    assert asked.names == ["entries_now: 1", "entries_since: 2", "entries_since: 2"]


async def test_an_owner_with_many_entries_is_left_to_the_database(
    stores: Stores, database: Database
) -> None:
    asked = Asked(database)
    index = PostgresRecallIndex(asked, SystemClock(), scored_at_once=2, keeps_at_once=True)
    here = replace(stores, recall=index)
    log = await Log.start(stores)
    for text in ("snow", "snow hut"):
        await log.say(text, EAST)
    assert len(await search(here, log.scope, "snow")) == 2
    await log.say("snow ice", EAST)
    for _ in range(2):
        assert len(await search(here, log.scope, "snow")) == 3
    assert [name.partition(":")[0] for name in asked.names].count("entries_since") == 2


async def test_a_session_that_has_expired_is_left_out_and_costs_no_more(
    stores: Stores, database: Database
) -> None:
    asked, clock = Asked(database), FixedClock(datetime.now(UTC))
    here = replace(stores, recall=PostgresRecallIndex(asked, clock, keeps_at_once=True))
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


async def test_what_is_not_used_for_a_while_is_forgotten(
    stores: Stores, database: Database
) -> None:
    asked, clock = Asked(database), FixedClock()
    index = PostgresRecallIndex(asked, clock, keeps_at_once=True)
    here = replace(stores, recall=index)
    one, other = await Log.start(stores), await Log.start(stores)
    await one.say("snow", EAST)
    await search(here, one.scope, "snow")
    clock.move(timedelta(minutes=11))
    await search(here, other.scope, "snow")
    asked.names.clear()
    await search(here, one.scope, "snow")
    assert asked.names == ["entries_since: 2"]


async def test_who_searched_longest_ago_makes_room(
    stores: Stores, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached_search, "_MOST_ENTRIES", 1)
    asked = Asked(database)
    index = PostgresRecallIndex(asked, SystemClock(), keeps_at_once=True)
    here = replace(stores, recall=index)
    one, other = await Log.start(stores), await Log.start(stores)
    for log in (one, other):
        await log.say("snow", EAST)
    for log in (one, other, other, one):
        assert len(await search(here, log.scope, "snow")) == 1
    assert [int(name[-1]) for name in asked.names] == [2, 2, 1, 2]
