"""The cached entries of one owner, and the search in them."""

from array import array
from bisect import insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import UUID

from asyncpg import Record

from recollect.domain.recall.entry import (
    Candidate,
    EntriesState,
    Entry,
    RecallFilter,
    neighbourhood,
)
from recollect.domain.recall.ranking import Bm25Index, neighbouring_positions
from recollect.domain.vectors import Vector
from recollect.engines.postgres.recall.index import entry_from

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADER: Final = 4  # bytes before a vector's numbers, as PostgreSQL sends it


class OwnerEntries:
    """Entries in the order in which they were added, each known by its row; none is removed."""

    def __init__(self, *, changes: int) -> None:
        self.changes = changes
        self.last_number = 0
        self.expired: frozenset[UUID] = frozenset()
        """Sessions whose entries are no longer to be found."""
        self.has_grown = False
        """Whether the last update added entries."""
        self._entries: list[Entry] = []
        self._words: Bm25Index[int] = Bm25Index()
        self._vectors: defaultdict[int, _Vectors] = defaultdict(_Vectors)
        self._rows_of: defaultdict[UUID, list[int]] = defaultdict(list)
        self._order: list[int] = []
        """Rows by session, and in each by sequence."""
        self._places: list[int] = []
        """Where each row stands in that order."""
        # What follows is by place, and the same for all questions until entries are added.
        self._ordered: list[Entry] = []
        self._sessions: list[UUID] = []
        self._is_named: list[bool] = []
        self._has_names = False
        self._neighbourhoods: dict[int, tuple[int, int]] = {}
        """Of the candidates so far; making all of 1,000 would take a millisecond."""

    def __len__(self) -> int:
        """How many there are."""
        return len(self._entries)

    @property
    def state(self) -> EntriesState:
        """The state up to which they are known."""
        return EntriesState(self.last_number, self.changes, self.expired)

    def add(self, rows: Iterable[Record], *, last_number: int) -> None:
        """Add entries; those that are here already are passed over."""
        before = len(self._entries)
        for row in sorted(rows, key=lambda row: row["number"]):
            if row["number"] > self.last_number:
                self._add(row)
        self.last_number = max(self.last_number, last_number)
        self.has_grown = len(self._entries) != before
        if self.has_grown:
            self._update_places()

    def search(
        self,
        weights: Mapping[int, float],
        vector: Vector | None,
        model_key: int | None,
        filters: RecallFilter,
        *,
        count: int,
    ) -> tuple[Candidate, ...]:
        """The best by words and by meaning and, in logs, the entries next to them."""
        lexical, excluded = self._words.scores(weights), self._excluded(filters)
        similarities = _Similarities((), None)
        if vector is not None and model_key is not None and model_key in self._vectors:
            similarities = self._vectors[model_key].compare(vector)
        matching = [row for row in lexical if row not in excluded] if excluded else lexical
        best = set(sorted(matching, key=lexical.__getitem__, reverse=True)[:count])
        best.update(similarities.nearest(count, excluded))
        places = {self._places[row] for row in best}
        if self._has_names:
            beside = neighbouring_positions(places, self._sessions, self._is_named)
            places |= {at for at in beside if self._order[at] not in excluded}
        return self._candidates(places, lexical, similarities.by_row(len(self._entries)))

    def _candidates(
        self,
        places: Iterable[int],
        lexical: Mapping[int, float],
        cosines: Sequence[float | None],
    ) -> tuple[Candidate, ...]:
        """The candidates at these places, given the scores of all rows."""
        candidates = []
        for at in places:
            entry, own = self._ordered[at], 0
            rows = self._order[at : at + 1]
            if entry.speaker is not None:
                first, end = self._neighbourhood(at)
                rows, own = self._order[first:end], at - first
            words = tuple([lexical.get(row, 0.0) for row in rows])
            candidates.append(Candidate(entry, words, tuple([cosines[row] for row in rows]), own))
        return tuple(candidates)

    def _neighbourhood(self, at: int) -> tuple[int, int]:
        known = self._neighbourhoods.get(at)
        if known is None:
            known = self._neighbourhoods[at] = neighbourhood(at, self._sessions)
        return known

    def _add(self, row: Record) -> None:
        number, entry = len(self._entries), entry_from(row)
        self._entries.append(entry)
        counts = dict(zip(row["terms"], row["counts"], strict=True))
        self._words.add(counts, length=row["length"])
        for message_id in entry.message_ids:
            self._rows_of[message_id].append(number)
        if row["vector"] is not None:
            self._vectors[row["model_key"]].add(number, row["vector"])
        insort(self._order, number, key=self._where)

    def _where(self, row: int) -> tuple[int, int]:
        entry = self._entries[row]
        return entry.session_id.int, entry.sequence

    def _update_places(self) -> None:
        self._ordered = ordered = [self._entries[row] for row in self._order]
        self._sessions = [entry.session_id for entry in ordered]
        self._is_named = [entry.speaker is not None for entry in ordered]
        self._has_names = any(self._is_named)
        self._neighbourhoods = {}
        self._places = [0] * len(ordered)
        for at, row in enumerate(self._order):
            self._places[row] = at

    def _excluded(self, filters: RecallFilter) -> set[int]:
        """The rows that a filter leaves out, and those of expired sessions."""
        rows = {row for message_id in filters.without for row in self._rows_of.get(message_id, ())}
        expired = self.expired
        if expired or filters != RecallFilter(without=filters.without):
            rows.update(
                row
                for row, entry in enumerate(self._entries)
                if entry.session_id in expired or not filters.matches(entry)
            )
        return rows


class _Similarities(NamedTuple):
    """The cosines of some rows with a question."""

    rows: Sequence[int]
    cosines: "NDArray[np.float32] | None"

    def nearest(self, count: int, excluded: Collection[int]) -> list[int]:
        """The rows with the highest cosines, without the excluded."""
        if self.cosines is None:
            return []
        first = (-self.cosines).argsort(kind="stable")[: count + len(excluded)].tolist()
        rows = (self.rows[at] for at in first)
        return [row for row in rows if row not in excluded][:count]

    def by_row(self, count: int) -> list[float | None]:
        """The cosine of each row; None for rows without one."""
        scores: list[float | None] = [None] * count
        if self.cosines is None:
            return scores
        cosines: list[float | None] = self.cosines.tolist()
        if len(cosines) == count:  # all rows have one, and they come in the order of the rows
            return cosines
        for row, cosine in zip(self.rows, cosines, strict=True):
            scores[row] = cosine
        return scores


class _Vectors:
    """The vectors of one model, and whose they are."""

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._added: list[bytes] = []
        self._matrix: NDArray[np.float32] | None = None

    def add(self, row: int, vector: bytes) -> None:
        """Add a row's vector as PostgreSQL sends it."""
        self._rows.append(row)
        self._added.append(vector)

    def compare(self, vector: Vector) -> _Similarities:
        """The cosine of each with a vector, which is rounded as they are."""
        import numpy as np  # noqa: PLC0415  # loaded with the first search

        if self._added:
            new = [np.frombuffer(one, dtype=">f2", offset=_HEADER) for one in self._added]
            stacked = np.stack(new).astype(np.float32)
            known = self._matrix
            self._matrix = stacked if known is None else np.concatenate((known, stacked))
            self._added = []
        assert self._matrix is not None  # noqa: S101  # a model has vectors once it is here
        other = np.frombuffer(array("f", vector), dtype=np.float32)  # half the time of np.array
        rounded = other.astype(np.float16).astype(np.float32)
        return _Similarities(self._rows, np.einsum("ij,j->i", self._matrix, rounded))
