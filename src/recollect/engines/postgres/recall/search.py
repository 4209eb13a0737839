"""Searching the index: the scores of entries, and which are worth ranking."""

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, chain, repeat
from typing import Any, Final, Self, TypeVar
from uuid import UUID

from asyncpg import Record

from recollect.domain.recall.entry import REACH, Candidate, Entry, RecallFilter, RecallQuery
from recollect.domain.recall.ranking import best_positions, neighbouring_positions
from recollect.domain.recall.words import K1, B
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.recall.cached_search import CachedSearch
from recollect.engines.postgres.recall.large_owners import LargeOwners
from recollect.engines.postgres.recall.query_parameters import (
    is_unfiltered,
    query_parameters,
    rescoring_count,
)
from recollect.engines.postgres.recall.rows import candidates_from

Done = TypeVar("Done")
_NO_LIMIT: Final = 2**31 - 2
_CHOSEN_AT_ONCE: Final = 5_000  # takes about two milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class AllScores:
    """What a question scores of each entry: columns, for most entries come no further.

    Sessions follow each other, and in each its entries in the order in which they were said.
    """

    places: Mapping[int, int]
    """Where an entry stands, by its number; in the order of places."""
    semantic: Sequence[float | None]
    lexical: Mapping[int, float]
    """By the numbers of entries; those that share no word with the question have none."""
    starts: Sequence[int]
    """Where each session starts, and where one after the last would."""
    named: Collection[int]
    """The numbers of entries that name their speaker."""
    left_out: Collection[int]
    """The numbers of entries that a filter leaves out."""

    @classmethod
    def of(cls, rows: Sequence[Record]) -> Self:
        """As the database tells them: a row for each session, and one of words."""
        said = [row for row in rows if row["session_id"] is not None]
        worded = [row for row in rows if row["session_id"] is None]
        numbers = _joined(said, "numbers")
        words, weights = _joined(worded, "numbers"), _joined(worded, "scores")
        return cls(
            places=dict(zip(numbers, range(len(numbers)), strict=True)),
            semantic=_joined(said, "scores"),
            lexical=dict(zip(words, weights, strict=True)),
            starts=list(accumulate((len(row["numbers"]) for row in said), initial=0)),
            named=frozenset(_joined(said, "named")),
            left_out=frozenset(_joined(said, "left_out")),
        )

    def best(self, count: int) -> list[int]:
        """The numbers of the best by words and by meaning, and of what is said beside them."""
        places, words = self.places, self.lexical
        lexical = {places[number]: words[number] for number in words.keys() & places.keys()}
        semantic = {at: score for at, score in enumerate(self.semantic) if score is not None}
        out = {places[number] for number in self.left_out}
        for at in out:
            lexical.pop(at, None)
            semantic.pop(at, None)
        best = best_positions(lexical, semantic, count=count)
        if self.named:
            best |= self._beside(best) - out
        numbers = list(places)
        return [numbers[at] for at in best]

    def _beside(self, best: Collection[int]) -> set[int]:
        lengths = (end - start for start, end in zip(self.starts, self.starts[1:], strict=False))
        sessions = chain.from_iterable(map(repeat, range(len(self.starts)), lengths))
        is_named = [number in self.named for number in self.places]
        return neighbouring_positions(best, list(sessions), is_named)

    def candidates(self, rows: Sequence[Record]) -> Iterator[Candidate]:
        """The entries in these rows, each with its scores and those around it."""
        starts, meanings = self.starts, tuple(self.semantic)
        words = tuple(map(self.lexical.get, self.places, repeat(0.0)))
        for row in rows:
            at = self.places[row[0]]
            session = bisect_right(starts, at)
            first = max(starts[session - 1], at - REACH)
            end = min(starts[session], at + 1 + REACH)
            yield Candidate(_entry(row), words[first:end], meanings[first:end], at - first)


def _joined(rows: Iterable[Record], column: str) -> list[Any]:
    """The lists of all rows in one; the database says nothing where one is empty."""
    return list(chain.from_iterable(row[column] or () for row in rows))


def _entry(row: Record) -> Entry:
    _, session_id, turn_number, sequence, message_ids, text, said_at, speaker, tables = row
    names = tuple(tables) if tables else ()
    return Entry(
        session_id, turn_number, sequence, tuple(message_ids), text, said_at, speaker, names
    )


class EntrySearch:
    """Finds the best entries by words and by meaning: exactly of few, chosen by signs of many.

    Of an owner who searches again these are kept at hand, or where they are many, the signs.
    """

    def __init__(
        self, database: Database, *, scored_at_once: int, kept: CachedSearch, large: LargeOwners
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
        if asked.filters == RecallFilter(without=asked.filters.without):
            found = await self._large.search(owner_id, asked, now=now)
            if found is not None:
                return found
        scores = await self._all_scores(owner_id, asked, now=now)
        if scores is None:
            return candidates_from(await _search_many(self._database, owner_id, asked, now=now))
        numbers = await _done(scores, lambda: scores.best(asked.count))
        if not numbers:
            return ()
        rows = await self._database.read(
            "read_scored_entries", owner_id=owner_id, numbers=numbers, row_limit=len(numbers)
        )
        return await _done(scores, lambda: tuple(scores.candidates(rows)))

    async def _all_scores(
        self, owner_id: UUID, asked: RecallQuery, *, now: datetime
    ) -> AllScores | None:
        """The scores of all entries; None where there are too many, or none at all."""
        filters = asked.filters
        terms, weights, vector, key_of_model, _ = query_parameters(asked)
        rows = await self._database.read(
            "score_entries",
            owner_id=owner_id,
            terms=terms,
            weights=weights,
            vector=vector,
            model_key=key_of_model,
            max_entries=self._scored_at_once + 1 if is_unfiltered(filters) else _NO_LIMIT,
            k1=K1,
            b=B,
            session_id=filters.session_id,
            now=now,
            since=filters.since,
            until=filters.until,
            tables=None if filters.tables is None else list(filters.tables),
            databases=None if filters.databases is None else list(filters.databases),
            speaker=filters.speaker,
            without=list(filters.without) or None,
            row_limit=_NO_LIMIT,
        )
        return AllScores.of(rows) if rows or not is_unfiltered(filters) else None


async def _done(scores: AllScores, work: Callable[[], Done]) -> Done:
    """Some work on scores; where there are very many, others are served meanwhile."""
    if len(scores.places) <= _CHOSEN_AT_ONCE:
        return work()
    return await asyncio.to_thread(work)


async def _search_many(
    database: Database, owner_id: UUID, asked: RecallQuery, *, now: datetime
) -> list[Record]:
    filters = asked.filters
    terms, weights, vector, key_of_model, count = query_parameters(asked)
    return await database.read(
        "search_many_entries",
        owner_id=owner_id,
        terms=terms,
        weights=weights,
        vector=vector,
        model_key=key_of_model,
        count=count,
        rescoring_count=rescoring_count(asked),
        k1=K1,
        b=B,
        now=now,
        since=filters.since,
        until=filters.until,
        without=list(filters.without) or None,
        reach=REACH,
        row_limit=_NO_LIMIT,
    )


async def _search_outside(
    database: Database, owner_id: UUID, asked: RecallQuery, *, now: datetime
) -> list[Record]:
    filters, nearest = asked.filters, asked.nearest or {}
    terms, weights, _, key_of_model, count = query_parameters(asked)
    is_filtered = not is_unfiltered(filters) or (filters.since, filters.until) != (None, None)
    return await database.read(
        "search_outside_entries",
        owner_id=owner_id,
        terms=terms,
        weights=weights,
        numbers=list(nearest),
        cosines=list(nearest.values()),
        model_key=key_of_model,
        count=count,
        k1=K1,
        b=B,
        session_id=filters.session_id,
        now=now,
        since=filters.since,
        until=filters.until,
        tables=None if filters.tables is None else list(filters.tables),
        databases=None if filters.databases is None else list(filters.databases),
        speaker=filters.speaker,
        without=list(filters.without) or None,
        reach=REACH,
        row_limit=_NO_LIMIT,
        is_filtered=is_filtered,
    )
