"""Searching the entries of one owner."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from asyncpg import Record

from recollect.domain.recall.bm25 import K1, B
from recollect.domain.recall.entry import REACH, Candidate, RecallFilter, RecallQuery
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.recall_keys import model_key, term_key
from recollect.engines.postgres.recall_rows import (
    best_candidates_from,
    candidates_from,
    vector_text,
)

_NO_LIMIT: Final = 2**31 - 2
_OWNERS_KNOWN: Final = 10_000
_CHOSEN_AT_LEAST: Final = 150
_CHOSEN_FOR_EACH: Final = 2  # signs of vectors are not exact: the best are among so many more


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """From how many entries of an owner on a search goes another way."""

    sent_at_once: int = 250
    """Up to so many, sending them all is faster than choosing on the server which to send."""
    words_at_once: int = 20_000
    """So long all of those may be together: about a hundred kilobytes."""
    scored_at_once: int = 1_000
    """Up to so many, scoring them all is as fast as choosing first which to score."""


class EntrySearch:
    """Finds the best entries by words and by meaning: exactly of few, chosen by signs of many."""

    def __init__(self, database: Database, steps: Steps) -> None:
        self._database = database
        self._steps = steps
        self._with_more: dict[UUID, None] = {}
        """Owners last seen with more entries than are sent at once: they need not be tried."""

    async def search(
        self, owner_id: UUID, asked: RecallQuery, *, now: datetime
    ) -> tuple[Candidate, ...]:
        """The best entries; where another store found the nearest, these are those by meaning."""
        if asked.nearest is not None:
            return candidates_from(await _search_outside(self._database, owner_id, asked, now=now))
        if owner_id not in self._with_more:
            rows = await _search_few(self._database, owner_id, asked, now=now, steps=self._steps)
            if rows:
                return best_candidates_from(rows, count=asked.count)
        rows = await self._search_more(owner_id, asked, now=now)
        if rows:
            self._remember(owner_id)
        return candidates_from(rows)

    async def _search_more(
        self, owner_id: UUID, asked: RecallQuery, *, now: datetime
    ) -> list[Record]:
        limit = self._steps.scored_at_once if _is_plain(asked.narrowed) else _NO_LIMIT
        rows = await _search_all(self._database, owner_id, asked, now=now, limit=limit)
        if rows and rows[0]["session_id"] is None:
            rows = await _search_many(self._database, owner_id, asked, now=now)
        return rows

    def _remember(self, owner_id: UUID) -> None:
        while len(self._with_more) >= _OWNERS_KNOWN:
            self._with_more.pop(next(iter(self._with_more)))
        self._with_more[owner_id] = None


def _is_plain(narrowed: RecallFilter) -> bool:
    """Whether the owner's entries are narrowed to nothing that only the entries tell."""
    told = (narrowed.session_id, narrowed.tables, narrowed.databases, narrowed.speaker)
    return told == (None, None, None, None)


async def _search_few(
    database: Database, owner_id: UUID, asked: RecallQuery, *, now: datetime, steps: Steps
) -> list[Record]:
    narrowed = asked.narrowed
    terms, weights, vector, key_of_model, _ = _sought(asked)
    return await database.read(
        "search_few_entries",
        owner_id,
        terms,
        weights,
        vector,
        key_of_model,
        steps.sent_at_once,
        K1,
        B,
        narrowed.session_id,
        now,
        narrowed.since,
        narrowed.until,
        None if narrowed.tables is None else list(narrowed.tables),
        None if narrowed.databases is None else list(narrowed.databases),
        narrowed.speaker,
        list(narrowed.without) or None,
        steps.words_at_once,
    )


async def _search_all(
    database: Database, owner_id: UUID, asked: RecallQuery, *, now: datetime, limit: int
) -> list[Record]:
    narrowed = asked.narrowed
    return await database.read(
        "search_all_entries",
        owner_id,
        *_sought(asked),
        limit + 1,
        K1,
        B,
        narrowed.session_id,
        now,
        narrowed.since,
        narrowed.until,
        None if narrowed.tables is None else list(narrowed.tables),
        None if narrowed.databases is None else list(narrowed.databases),
        narrowed.speaker,
        list(narrowed.without) or None,
        REACH,
    )


async def _search_many(
    database: Database, owner_id: UUID, asked: RecallQuery, *, now: datetime
) -> list[Record]:
    narrowed = asked.narrowed
    return await database.read(
        "search_many_entries",
        owner_id,
        *_sought(asked),
        max(_CHOSEN_AT_LEAST, asked.count * _CHOSEN_FOR_EACH),
        K1,
        _NO_LIMIT,
        now,
        narrowed.since,
        narrowed.until,
        list(narrowed.without) or None,
        REACH,
        B,
    )


async def _search_outside(
    database: Database, owner_id: UUID, asked: RecallQuery, *, now: datetime
) -> list[Record]:
    narrowed, nearest = asked.narrowed, asked.nearest or {}
    terms, weights, _, key_of_model, count = _sought(asked)
    is_narrowed = not _is_plain(narrowed) or (narrowed.since, narrowed.until) != (None, None)
    return await database.read(
        "search_outside_entries",
        owner_id,
        terms,
        weights,
        list(nearest),
        list(nearest.values()),
        key_of_model,
        count,
        K1,
        B,
        narrowed.session_id,
        now,
        narrowed.since,
        narrowed.until,
        None if narrowed.tables is None else list(narrowed.tables),
        None if narrowed.databases is None else list(narrowed.databases),
        narrowed.speaker,
        list(narrowed.without) or None,
        REACH,
        _NO_LIMIT,
        is_narrowed,
    )


def _sought(asked: RecallQuery) -> tuple[object, ...]:
    """Words, their weights, the vector, what it can be compared with, and how many are wanted."""
    weights: dict[int, float] = {}
    for term, weight in asked.terms.items():
        key = term_key(term)
        weights[key] = weights.get(key, 0) + weight
    vector, model = asked.vector, asked.model
    key_of_model = None if vector is None or model is None else model_key(model, len(vector))
    # As text: the driver takes ten times as long over an array of numbers.
    text = None if vector is None else vector_text(vector)
    return (list(weights), list(weights.values()), text, key_of_model, asked.count)
