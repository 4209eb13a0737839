"""Searching the entries of one owner."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID

from asyncpg import Record

from recollect.domain.recall.bm25 import K1, B
from recollect.domain.recall.entry import REACH, Candidate, RecallFilter, RecallQuery
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.kept_owners import KeptOwners
from recollect.engines.postgres.large_owners import LargeOwners
from recollect.engines.postgres.recall_rows import candidates_from
from recollect.engines.postgres.recall_scores import AllScores
from recollect.engines.postgres.recall_sought import (
    is_plain,
    likely_count,
    sought,
)

Done = TypeVar("Done")

_NO_LIMIT: Final = 2**31 - 2
_CHOSEN_AT_ONCE: Final = 5_000  # takes about two milliseconds


class EntrySearch:
    """Finds the best entries by words and by meaning: exactly of few, chosen by signs of many.

    Of an owner who searches again these are kept at hand, or where they are many, the signs.
    """

    def __init__(
        self, database: Database, *, scored_at_once: int, kept: KeptOwners, large: LargeOwners
    ) -> None:
        self._database = database
        self._scored_at_once = scored_at_once
        self._kept = kept
        self._large = large

    async def search(
        self, owner_id: UUID, asked: RecallQuery, *, now: datetime
    ) -> tuple[Candidate, ...]:
        """The best entries; where another store found the nearest, these are those by meaning."""
        if asked.nearest is not None:
            return candidates_from(await _search_outside(self._database, owner_id, asked, now=now))
        found = await self._kept.search(owner_id, asked, now=now)
        if found is not None:
            return found
        if asked.narrowed == RecallFilter(without=asked.narrowed.without):
            found = await self._large.search(owner_id, asked, now=now)
            if found is not None:
                return found
        scores = await self._all_scores(owner_id, asked, now=now)
        if scores is None:
            return candidates_from(await _search_many(self._database, owner_id, asked, now=now))
        numbers = await _done(scores, lambda: scores.best(asked.count))
        if not numbers:
            return ()
        rows = await self._database.read("read_scored_entries", owner_id, numbers, len(numbers))
        return await _done(scores, lambda: tuple(scores.candidates(rows)))

    async def _all_scores(
        self, owner_id: UUID, asked: RecallQuery, *, now: datetime
    ) -> AllScores | None:
        """The scores of all entries; None where there are too many, or none at all."""
        narrowed = asked.narrowed
        terms, weights, vector, key_of_model, _ = sought(asked)
        rows = await self._database.read(
            "score_entries",
            owner_id,
            terms,
            weights,
            vector,
            key_of_model,
            self._scored_at_once + 1 if is_plain(narrowed) else _NO_LIMIT,
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
            _NO_LIMIT,
        )
        return AllScores.of(rows) if rows or not is_plain(narrowed) else None


async def _done(scores: AllScores, work: Callable[[], Done]) -> Done:
    """Some work on scores; where there are very many, others are served meanwhile."""
    if len(scores.places) <= _CHOSEN_AT_ONCE:
        return work()
    return await asyncio.to_thread(work)


async def _search_many(
    database: Database, owner_id: UUID, asked: RecallQuery, *, now: datetime
) -> list[Record]:
    narrowed = asked.narrowed
    return await database.read(
        "search_many_entries",
        owner_id,
        *sought(asked),
        likely_count(asked),
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
    terms, weights, _, key_of_model, count = sought(asked)
    is_narrowed = not is_plain(narrowed) or (narrowed.since, narrowed.until) != (None, None)
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
