"""Searches of owners with many entries: a first pass in the database, then rescoring."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from conformance.contracts.recall_shared import EAST, MODEL, Log, entry_of, search
from recollect.domain.recall.entry import (
    IndexedEntry,
)
from recollect.domain.vectors import Vector
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.recall.index import PostgresRecallIndex
from recollect.ports import Stores
from recollect.testing import FixedClock
from support.examples import a_message, append
from support.recall.search_comparison import Asked, assert_same, found

WORDS = ("skis", "sledge", "snow", "ice", "hut", "lift", "pass", "glove", "scarf", "cap")
DIMENSIONS = 70
FEW = 100
"""All of these are rescored: the two stages must find exactly the same."""
MANY = 400
COUNT = 20
LATER = FixedClock(datetime.now(UTC) + timedelta(hours=1))


def indexed(stores: Stores, database: Database, *, exact_up_to: int) -> Stores:
    """The same, where the vectors of larger owners are searched in two stages."""
    return replace(stores, recall=PostgresRecallIndex(database, LATER, exact_up_to=exact_up_to))


class Speaker:
    """Says random words, each time with another vector."""

    def __init__(self) -> None:
        self._chance = random.Random(5)  # noqa: S311  # the same on every run
        self.entries: list[IndexedEntry] = []

    def vector(self) -> Vector:
        numbers = [self._chance.gauss() for _ in range(DIMENSIONS)]
        length = sum(number * number for number in numbers) ** 0.5
        return tuple(number / length for number in numbers)

    def words(self, count: int) -> str:
        return " ".join(self._chance.choices(WORDS, k=count))

    async def fill(self, log: Log, count: int) -> None:
        """Index messages, each of a length of its own: no two have the same score."""
        new = [a_message(content=self.words(5)) for _ in range(count)]
        messages = await append(log.stores, log.scope, log.session_id, *new)
        log.messages += messages
        entries = [
            IndexedEntry(
                entry=entry_of([message], message.content),
                terms=Counter(message.content.split()) + Counter(er=message.sequence),
                model=MODEL,
                vector=self.vector(),
            )
            for message in messages
        ]
        self.entries += entries
        await log.index(entries)


@pytest.mark.parametrize("kind", ["none", "without", "since", "until", "session"])
async def test_two_stages_find_what_comparing_all_vectors_finds(
    stores: Stores, database: Database, kind: str
) -> None:
    staged = indexed(stores, database, exact_up_to=0)
    exact = indexed(stores, database, exact_up_to=10_000)
    log, speaker = await Log.start(stores), Speaker()
    ends = LATER.now() - timedelta(minutes=1)
    expired = await Log.start(stores, log.scope, expires_at=ends)
    other = await Log.start(stores, log.scope)
    await speaker.fill(log, FEW)
    await speaker.fill(expired, COUNT)
    await speaker.fill(other, COUNT)
    middle = log.messages[FEW // 2].created_at
    filters: Mapping[str, Mapping[str, object]] = {
        "none": {},
        "without": {"without": frozenset(one.message_id for one in log.messages[:50])},
        "since": {"since": middle},
        "until": {"until": middle + timedelta(microseconds=1)},
        "session": {"session_id": other.session_id},
    }
    for vector in (speaker.vector(), speaker.vector(), None):
        query = (log.scope, speaker.words(3), vector)
        chosen = await found(staged, *query, count=COUNT, **filters[kind])
        assert 0 < len(chosen) <= 2 * COUNT
        assert_same(chosen, await found(exact, *query, count=COUNT, **filters[kind]))
        assert expired.session_id not in {session_id for session_id, _ in chosen}


async def test_of_many_the_nearest_is_found(stores: Stores, database: Database) -> None:
    staged = indexed(stores, database, exact_up_to=0)
    log, speaker = await Log.start(stores), Speaker()
    await speaker.fill(log, MANY)
    for number in (0, MANY // 2, MANY - 1):
        nearest = log.messages[number]
        (stored,) = [one for one in speaker.entries if one.entry.sequence == nearest.sequence]
        candidates = await search(staged, log.scope, "", stored.vector, count=1)
        assert [one.entry.sequence for one in candidates] == [nearest.sequence]


async def test_a_search_is_one_statement_however_many_entries_there_are(
    stores: Stores, database: Database
) -> None:
    asked, log = Asked(database), await Log.start(stores)
    for text in ("snow", "ice"):
        await log.say(text, EAST)
    for exact_up_to in (0, 1_000):
        await search(indexed(stores, asked, exact_up_to=exact_up_to), log.scope, "snow")
    assert asked.names == ["search_entries: 2", "search_entries: 2"]
