"""Owners with many entries: the signs of their vectors at hand, the entries in the database."""

import asyncio
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from conformance.contracts.recall_shared import (
    EAST,
    MODEL,
    NORTH,
    Log,
    entry_of,
    index_of,
    search,
)
from recollect.domain.recall.entry import IndexedEntry, Vector
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.recall import large_owners
from recollect.engines.postgres.recall.index import PostgresRecallIndex
from recollect.ports.stores import Stores
from recollect.testing.fakes import FixedClock
from support.examples import a_message, append, seconds_on
from support.searching import Asked, assert_same, found

WORDS = ("skis", "sledge", "snow", "ice", "hut", "lift", "pass", "glove", "scarf", "cap")
DIMENSIONS = 70
MANY = 400
COUNT = 20
LATER = FixedClock(datetime.now(UTC) + timedelta(hours=1))
AT_HAND = ["words_and_signs", "read_likely_entries"]
BY_THE_DATABASE = ["score_entries", "search_many_entries"]


def signs_at_hand(stores: Stores, database: Database, **options: object) -> Stores:
    """The same, as another process sees it that has the signs of everybody at hand."""
    options = {"scored_at_once": 0, "keeps_at_once": True, **options}
    index = PostgresRecallIndex(database, LATER, **options)  # type: ignore[arg-type]
    return replace(stores, recall=index)


def without_signs(stores: Stores, database: Database) -> Stores:
    """The same, where the database searches always."""
    index = PostgresRecallIndex(database, LATER, scored_at_once=0, signs_bytes=0)
    return replace(stores, recall=index)


def names(asked: Asked) -> list[str]:
    """What was asked for since the last time, but for how small owners stand."""
    told = [name.partition(":")[0] for name in asked.names]
    asked.names.clear()
    return [name for name in told if name != "entries_since"]


def rows_of_signs(asked: Asked) -> int:
    """How many rows came since the last time: one with signs, where there were any to read."""
    (told,) = (name for name in asked.names if name.startswith("words_and_signs"))
    asked.names.clear()
    return int(told.partition(": ")[2])


class Speaker:
    """Says words by chance, and means something by each that nobody else does."""

    def __init__(self) -> None:
        self._chance = random.Random(5)  # noqa: S311  # the same on every run

    def vector(self) -> Vector:
        numbers = [self._chance.gauss() for _ in range(DIMENSIONS)]
        length = sum(number * number for number in numbers) ** 0.5
        return tuple(number / length for number in numbers)

    def words(self, count: int) -> str:
        return " ".join(self._chance.choices(WORDS, k=count))

    async def fill(self, log: Log, count: int) -> None:
        """Index so many messages, each of a length of its own: no two have the same score."""
        new = [a_message(content=self.words(5)) for _ in range(count)]
        said = await append(log.stores, log.scope, log.session_id, *new)
        log.messages += said
        entries = [
            IndexedEntry(
                entry=entry_of([message], message.content),
                terms=Counter(message.content.split()) + Counter(er=message.sequence),
                model=MODEL,
                vector=self.vector(),
            )
            for message in said
        ]
        await log.index(entries)


@pytest.mark.parametrize("at_once", [large_owners._CHOSEN_AT_ONCE, 0], ids=["here", "in a thread"])
async def test_of_many_the_same_are_chosen_as_by_the_database(
    stores: Stores, database: Database, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(large_owners, "_CHOSEN_AT_ONCE", at_once)
    here, there = signs_at_hand(stores, database), without_signs(stores, database)
    log, speaker = await Log.start(stores), Speaker()
    ends = LATER.now() - timedelta(minutes=1)
    other = await Log.start(stores, log.scope, expires_at=ends)
    await speaker.fill(log, MANY)
    await speaker.fill(other, 40)
    for vector in (*(speaker.vector() for _ in range(4)), None):
        known = frozenset(message.message_id for message in log.messages[:50])
        asked = (log.scope, speaker.words(3), vector)
        for without in (frozenset(), known):
            chosen = await found(here, *asked, count=COUNT, without=without)
            assert COUNT <= len(chosen) <= 2 * COUNT
            assert_same(chosen, await found(there, *asked, count=COUNT, without=without))
    assert all(session_id == log.session_id for session_id, _ in chosen)


async def test_signs_are_read_at_the_second_search_and_then_only_what_is_new(
    stores: Stores, database: Database
) -> None:
    asked, log = Asked(database), await Log.start(stores)
    here = signs_at_hand(stores, asked, keeps_at_once=False)
    for text in ("snow", "ice"):
        await log.say(text, EAST)
    seen = []
    for text in ("hut", "lift", "pass", "cap"):
        await search(here, log.scope, "snow", EAST)
        seen.append(names(asked))
        await log.say(text, EAST)
    assert seen == [BY_THE_DATABASE, AT_HAND, AT_HAND, AT_HAND]
    assert await log_texts(here, log) == {"snow", "ice", "hut", "lift", "pass", "cap"}


async def log_texts(stores: Stores, log: Log) -> set[str]:
    return {one.entry.text for one in await search(stores, log.scope, "", EAST)}


async def test_after_a_change_the_database_searches_once_and_signs_are_read_again(
    stores: Stores, database: Database
) -> None:
    asked, log = Asked(database), await Log.start(stores)
    here = signs_at_hand(stores, asked)
    said = [await log.say(text, EAST) for text in ("snow", "ice", "hut")]
    assert await log_texts(here, log) == {"snow", "ice", "hut"}
    names(asked)
    await index_of(stores).embed(log.scope, [(said[0].entry, NORTH)], model="model-b:3")
    await stores.messages.delete(
        log.scope, log.session_id, said[1].entry.message_ids[0], now=seconds_on(1)
    )
    seen = []
    for _ in range(3):
        assert await log_texts(here, log) == {"hut"}
        seen.append(names(asked))
    assert seen == [["words_and_signs", *BY_THE_DATABASE], AT_HAND, AT_HAND]


async def test_another_model_finds_its_own_vectors(stores: Stores, database: Database) -> None:
    asked, log = Asked(database), await Log.start(stores)
    here = signs_at_hand(stores, asked)
    await log.say("snow", EAST)
    await log.say("ice", EAST, model="model-b:3")
    rows = []
    for model, text in ((MODEL, "snow"), *[("model-b:3", "ice")] * 2, (MODEL, "snow")):
        candidates = await search(here, log.scope, "", EAST, model=model)
        assert [one.entry.text for one in candidates] == [text]
        rows.append(rows_of_signs(asked))
    assert rows == [2, 2, 1, 2]


class Held(Asked):
    """A database that takes its time over signs."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.is_asked, self.may_go_on = asyncio.Event(), asyncio.Event()

    async def read(self, name: str, owner_id: UUID, *arguments: object) -> list[object]:
        if name == "words_and_signs":
            self.is_asked.set()
            await self.may_go_on.wait()
        return await super().read(name, owner_id, *arguments)


async def test_while_signs_are_read_for_one_the_database_searches_for_others(
    stores: Stores, database: Database
) -> None:
    held, log = Held(database), await Log.start(stores)
    here = signs_at_hand(stores, held)
    await log.say("snow", EAST)
    first = asyncio.create_task(log_texts(here, log))
    await held.is_asked.wait()
    assert await log_texts(here, log) == {"snow"}
    assert names(held) == BY_THE_DATABASE
    held.may_go_on.set()
    assert await first == {"snow"}
    assert names(held) == AT_HAND


async def test_who_searched_longest_ago_makes_room(stores: Stores, database: Database) -> None:
    asked = Asked(database)
    here = signs_at_hand(stores, asked, signs_bytes=1_500)  # one owner's, with some to spare
    one, other = await Log.start(stores), await Log.start(stores)
    for log in (one, other):
        await log.say("snow", EAST)
    rows = []
    for log in (one, one, other, one):
        assert await log_texts(here, log) == {"snow"}
        rows.append(rows_of_signs(asked))
    assert rows == [2, 1, 2, 2]


async def test_signs_that_find_no_room_stay_in_the_database(
    stores: Stores, database: Database
) -> None:
    asked, log = Asked(database), await Log.start(stores)
    here = signs_at_hand(stores, asked, signs_bytes=50)  # of one entry, not of two
    for text in ("snow", "ice"):
        await log.say(text, EAST)
    assert await log_texts(here, log) == {"snow", "ice"}
    assert names(asked) == ["words_and_signs", *BY_THE_DATABASE]
    found_by_words = await search(here, log.scope, "snow", None)
    assert [one.entry.text for one in found_by_words] == ["snow"]


async def test_an_owner_who_has_few_entries_left_is_not_large(
    stores: Stores, database: Database
) -> None:
    asked, log = Asked(database), await Log.start(stores)
    here = signs_at_hand(stores, asked, scored_at_once=1)
    for text in ("snow", "ice"):
        await log.say(text, EAST)
    assert await log_texts(here, log) == {"snow", "ice"}
    assert names(asked) == AT_HAND
    await stores.messages.delete(
        log.scope, log.session_id, log.messages[0].message_id, now=seconds_on(1)
    )
    assert await log_texts(here, log) == {"ice"}
    assert names(asked) == ["words_and_signs", "score_entries", "read_scored_entries"]
