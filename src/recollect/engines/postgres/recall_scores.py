"""The scores of all entries of an owner, and which of them are worth ranking."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, repeat
from typing import Self

from asyncpg import Record

from recollect.domain.recall.choice import best_places, places_beside
from recollect.domain.recall.entry import REACH, Candidate, Entry, Scores


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
        worded = [row for row in rows if row["session_id"] is None and row["numbers"]]
        numbers = [number for row in said for number in row["numbers"]]
        return cls(
            places=dict(zip(numbers, range(len(numbers)), strict=True)),
            semantic=[score for row in said for score in row["scores"]],
            lexical={
                number: score
                for row in worded
                for number, score in zip(row["numbers"], row["scores"], strict=True)
            },
            starts=list(accumulate((len(row["numbers"]) for row in said), initial=0)),
            named=_numbers_in(said, "named"),
            left_out=_numbers_in(said, "left_out"),
        )

    def best(self, count: int) -> list[int]:
        """The numbers of the best by words and by meaning, and of what is said beside them."""
        places, out = self.places, {self.places[number] for number in self.left_out}
        lexical = {
            places[number]: score for number, score in self.lexical.items() if number in places
        }
        semantic = {at: score for at, score in enumerate(self.semantic) if score is not None}
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
        starts, numbers, words = self.starts, list(self.places), self.lexical
        for row in rows:
            at = self.places[row[0]]
            session = bisect_right(starts, at)
            first, last = max(starts[session - 1], at - REACH), min(starts[session], at + REACH + 1)
            said = zip(numbers[first:last], self.semantic[first:last], strict=True)
            near = tuple([Scores(words.get(number, 0.0), meaning) for number, meaning in said])
            own = at - first
            yield Candidate(_entry(row), near[own], near[:own][::-1], near[own + 1 :])


def _numbers_in(rows: Sequence[Record], column: str) -> frozenset[int]:
    """The numbers in all rows; the database says nothing where there are none."""
    return frozenset(number for row in rows for number in row[column] or ())


def _entry(row: Record) -> Entry:
    _, session_id, turn_number, sequence, message_ids, text, said_at, speaker, tables = row
    names = tuple(tables) if tables else ()
    return Entry(
        session_id, turn_number, sequence, tuple(message_ids), text, said_at, speaker, names
    )
