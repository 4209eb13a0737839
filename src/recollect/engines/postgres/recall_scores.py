"""The scores of all entries of an owner, and which of them are worth ranking."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, repeat
from typing import Any, Self

from asyncpg import Record

from recollect.domain.recall.choice import best_places, places_beside
from recollect.domain.recall.entry import REACH, Candidate, Entry


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
        best = best_places(lexical, semantic, count=count)
        if self.named:
            best |= self._beside(best) - out
        numbers = list(places)
        return [numbers[at] for at in best]

    def _beside(self, best: Collection[int]) -> set[int]:
        lengths = (end - start for start, end in zip(self.starts, self.starts[1:], strict=False))
        sessions = chain.from_iterable(map(repeat, range(len(self.starts)), lengths))
        is_named = [number in self.named for number in self.places]
        return places_beside(best, list(sessions), is_named)

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
