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
from recollect.engines.postgres.kept_owners import AtHand, KeptOwners
from recollect.engines.postgres.recall_keys import model_key, term_key
from recollect.engines.postgres.recall_rows import candidates_from, vector_text
from recollect.engines.postgres.recall_scores import AllScores

Done = TypeVar("Done")

_NO_LIMIT: Final = 2**31 - 2
_CHOSEN_AT_ONCE: Final = 5_000  # takes about two milliseconds
_CHOSEN_AT_LEAST: Final = 150
_CHOSEN_FOR_EACH: Final = 2  # signs of vectors are not exact: the best are among so many more


class EntrySearch:
    """Finds the best entries by words and by meaning: exactly of few, chosen by signs of many.

    Those of an owner who searches again are kept at hand.
    """

    def __init__(self, database: Database, *, scored_at_once: int, kept: KeptOwners) -> None:
        self._database = database
        self._scored_at_once = scored_at_once
        self._kept = kept

    async def search(
        self, owner_id: UUID, asked: RecallQuery, *, now: datetime
    ) -> tuple[Candidate, ...]:
        """The best entries; where another store found the nearest, these are those by meaning."""
        if asked.nearest is not None:
            return candidates_from(await _search_outside(self._database, owner_id, asked, now=now))
        at_hand = await self._kept.of(owner_id, now=now)
        if at_hand is not None:
            return _search_at_hand(at_hand, asked)
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
        terms, weights, vector, key_of_model, _ = _sought(asked)
        rows = await self._database.read(
            "score_entries",
            owner_id,
            terms,
            weights,
            vector,
            key_of_model,
            self._scored_at_once + 1 if _is_plain(narrowed) else _NO_LIMIT,
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
        return AllScores.of(rows) if rows or not _is_plain(narrowed) else None


async def _done(scores: AllScores, work: Callable[[], Done]) -> Done:
    """Some work on scores; where there are very many, others are served meanwhile."""
    if len(scores.places) <= _CHOSEN_AT_ONCE:
        return work()
    return await asyncio.to_thread(work)


def _is_plain(narrowed: RecallFilter) -> bool:
    """Whether the owner's entries are narrowed to nothing that only the entries tell."""
    told = (narrowed.session_id, narrowed.tables, narrowed.databases, narrowed.speaker)
    return told == (None, None, None, None)


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


def _search_at_hand(at_hand: AtHand, asked: RecallQuery) -> tuple[Candidate, ...]:
    return at_hand.entries.search(
        _weights(asked),
        asked.vector,
        _key_of_model(asked),
        asked.narrowed,
        count=asked.count,
        expired=at_hand.expired,
    )


def _sought(asked: RecallQuery) -> tuple[object, ...]:
    """Words, their weights, the vector, what it can be compared with, and how many are wanted."""
    weights, vector = _weights(asked), asked.vector
    # As text: the driver takes ten times as long over an array of numbers.
    text = None if vector is None else vector_text(vector)
    return (list(weights), list(weights.values()), text, _key_of_model(asked), asked.count)


def _weights(asked: RecallQuery) -> dict[int, float]:
    """How much each word weighs, by the number that stands for it."""
    weights: dict[int, float] = {}
    for term, weight in asked.terms.items():
        key = term_key(term)
        weights[key] = weights.get(key, 0) + weight
    return weights


def _key_of_model(asked: RecallQuery) -> int | None:
    """What stands for the model of vectors that the question's can be compared with."""
    if asked.vector is None or asked.model is None:
        return None
    return model_key(asked.model, len(asked.vector))
