"""The scores of all entries of an owner, and which of them are worth ranking."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from asyncpg import Record

from recollect.domain.recall.choice import best_places, places_beside
from recollect.domain.recall.entry import REACH, Candidate, Entry, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class AllScores:
    """What a question scores of each entry: columns, for most entries come no further.

    In the order of sessions, and in each in the order in which it was said.
    """

    numbers: Sequence[int]
    sessions: Sequence[UUID]
    semantic: Sequence[float | None]
    lexical: Mapping[int, float]
    """By the numbers of entries; those that share no word with the question have none."""
    named: Collection[int]
    """The numbers of entries that name their speaker."""
    left_out: Collection[int]
    """The numbers of entries that a filter leaves out."""

    @classmethod
    def of(cls, row: Record) -> Self:
        """As the database tells them; it says nothing of what there is none of."""
        return cls(
            numbers=row["numbers"] or (),
            sessions=row["sessions"] or (),
            semantic=row["semantic"] or (),
            lexical=dict(zip(row["worded"] or (), row["lexical"] or (), strict=True)),
            named=frozenset(row["named"] or ()),
            left_out=frozenset(row["left_out"] or ()),
        )

    def best(self, count: int) -> set[int]:
        """The places of the best by words and by meaning, and of what is said beside them."""
        meant = [
            (at, number) for at, number in enumerate(self.numbers) if number not in self.left_out
        ]
        words, meanings = self.lexical, self.semantic
        best = best_places(
            {at: words[number] for at, number in meant if number in words},
            {at: meaning for at, _ in meant if (meaning := meanings[at]) is not None},
            count=count,
        )
        if not self.named:
            return best
        is_named = [number in self.named for number in self.numbers]
        beside = places_beside(best, self.sessions, is_named)
        return best | {at for at in beside if self.numbers[at] not in self.left_out}

    def candidates(self, places: Collection[int], rows: Sequence[Record]) -> Iterator[Candidate]:
        """Those at some places, as far as their rows are still there."""
        place_of = {self.numbers[at]: at for at in places}
        for row in rows:
            at = place_of[row[0]]
            before = range(at - 1, max(at - 1 - REACH, -1), -1)
            after = range(at + 1, min(at + 1 + REACH, len(self.numbers)))
            yield Candidate(
                _entry(row), self._scores(at), self._near(at, before), self._near(at, after)
            )

    def _near(self, at: int, places: Sequence[int]) -> tuple[Scores, ...]:
        """The scores at those of the places that are in the same session."""
        sessions, session_id = self.sessions, self.sessions[at]
        return tuple([self._scores(near) for near in places if sessions[near] == session_id])

    def _scores(self, at: int) -> Scores:
        return Scores(self.lexical.get(self.numbers[at], 0.0), self.semantic[at])


def _entry(row: Record) -> Entry:
    _, session_id, turn_number, sequence, message_ids, text, said_at, speaker, tables = row
    names = tuple(tables) if tables else ()
    return Entry(
        session_id, turn_number, sequence, tuple(message_ids), text, said_at, speaker, names
    )
