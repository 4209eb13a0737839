"""The entries of one owner at hand: the same search as the database's, without asking it."""

import math
from bisect import insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from typing import TYPE_CHECKING, Final
from uuid import UUID

from asyncpg import Record

from recollect.domain.recall.bm25 import K1, B
from recollect.domain.recall.entry import REACH, Candidate, Entry, RecallFilter, Scores, Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADER: Final = 4  # bytes before a vector's numbers, as PostgreSQL sends it


class KeptEntries:
    """Entries in the order in which they came, each known by its row; they only become more."""

    def __init__(self, *, changes: int) -> None:
        self.changes = changes
        self.last_number = 0
        self._entries: list[Entry] = []
        self._lengths: list[int] = []
        self._words: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._vectors: defaultdict[int, _Vectors] = defaultdict(_Vectors)
        self._rows_of: defaultdict[UUID, list[int]] = defaultdict(list)
        self._order: list[int] = []
        self._places: list[int] = []

    def __len__(self) -> int:
        """How many there are."""
        return len(self._entries)

    def add(self, found: Iterable[Record], *, last_number: int) -> None:
        """Take in entries; those that are here already are passed over."""
        for one in sorted(found, key=lambda one: one["number"]):
            if one["number"] > self.last_number:
                self._add(one)
        self.last_number = max(self.last_number, last_number)
        if len(self._places) != len(self._order):
            self._places = [0] * len(self._order)
            for place, row in enumerate(self._order):
                self._places[row] = place

    def search(
        self,
        terms: Mapping[int, float],
        vector: Vector | None,
        key_of_model: int | None,
        narrowed: RecallFilter,
        *,
        count: int,
        expired: Collection[UUID],
    ) -> tuple[Candidate, ...]:
        """The best by words and by meaning, and in logs those beside them."""
        lexical = self._lexical(terms)
        semantic = self._semantic(vector, key_of_model)
        out = self._left_out(narrowed, expired)
        worded = lexical if not out else {row: lexical[row] for row in lexical.keys() - out}
        best = {*nlargest(count, worded, key=worded.__getitem__)}
        best.update(_nearest(semantic, count, out))
        best |= self._beside(best) - out
        return tuple(self._candidate(row, lexical, semantic) for row in best)

    def _add(self, one: Record) -> None:
        row = len(self._entries)
        entry = Entry(
            one["session_id"],
            one["turn_number"],
            one["sequence"],
            tuple(one["message_ids"]),
            one["text"],
            one["said_at"],
            one["speaker"],
            tuple(one["tables"] or ()),
        )
        self._entries.append(entry)
        self._lengths.append(one["length"])
        for term, count in zip(one["terms"], one["counts"], strict=True):
            self._words[term].append((row, count))
        for message_id in entry.message_ids:
            self._rows_of[message_id].append(row)
        if one["vector"] is not None:
            self._vectors[one["model_key"]].add(row, one["vector"])
        insort(self._order, row, key=self._where)

    def _where(self, row: int) -> tuple[int, int]:
        entry = self._entries[row]
        return entry.session_id.int, entry.sequence

    def _lexical(self, terms: Mapping[int, float]) -> dict[int, float]:
        """BM25 of the entries that share a word with the question."""
        entries, lengths = len(self._entries), self._lengths
        fixed, for_length = K1 * (1 - B), K1 * B * entries / max(sum(lengths), 1)
        scores: defaultdict[int, float] = defaultdict(float)
        for term, weight in terms.items():
            said = self._words.get(term, ())
            rarity = math.log(1 + (entries - len(said) + 0.5) / (len(said) + 0.5))
            worth = weight * (K1 + 1) * rarity
            for row, count in said:
                scores[row] += worth * count / (count + fixed + for_length * lengths[row])
        return scores

    def _semantic(self, vector: Vector | None, key: int | None) -> list[float | None]:
        """The cosine of each entry; None for those that the question's model has not embedded."""
        scores: list[float | None] = [None] * len(self._entries)
        if vector is not None and key is not None and key in self._vectors:
            for row, score in self._vectors[key].compared(vector):
                scores[row] = score
        return scores

    def _left_out(self, narrowed: RecallFilter, expired: Collection[UUID]) -> set[int]:
        out = {row for known in narrowed.without for row in self._rows_of.get(known, ())}
        if expired or narrowed != RecallFilter(without=narrowed.without):
            out.update(
                row
                for row, entry in enumerate(self._entries)
                if entry.session_id in expired or not narrowed.means(entry)
            )
        return out

    def _beside(self, best: Collection[int]) -> set[int]:
        """Those right before and after in logs, where both name their speakers."""
        return {
            row
            for one in best
            if self._entries[one].speaker is not None
            for row in (*self._near(one, -1)[:1], *self._near(one, 1)[:1])
            if self._entries[row].speaker is not None
        }

    def _near(self, row: int, step: int) -> list[int]:
        """The rows before or after one in its session, the nearest first."""
        order, session_id = self._order, self._entries[row].session_id
        near: list[int] = []
        place = self._places[row] + step
        while len(near) < REACH and 0 <= place < len(order):
            if self._entries[order[place]].session_id != session_id:
                break
            near.append(order[place])
            place += step
        return near

    def _candidate(
        self, row: int, lexical: Mapping[int, float], semantic: Sequence[float | None]
    ) -> Candidate:
        own, before, after = (
            tuple(Scores(lexical.get(one, 0.0), semantic[one]) for one in rows)
            for rows in ((row,), self._near(row, -1), self._near(row, 1))
        )
        return Candidate(self._entries[row], own[0], before, after)


class _Vectors:
    """The vectors of one model, and whose they are."""

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._added: list[bytes] = []
        self._matrix: NDArray[np.float32] | None = None

    def add(self, row: int, vector: bytes) -> None:
        """Keep a vector as PostgreSQL sends it."""
        self._rows.append(row)
        self._added.append(vector)

    def compared(self, vector: Vector) -> Iterable[tuple[int, float]]:
        """The cosine of each with another, which is rounded as they are."""
        import numpy as np  # noqa: PLC0415  # not before somebody searches

        if self._added:
            new = [np.frombuffer(one, dtype=">f2", offset=_HEADER) for one in self._added]
            stacked = np.stack(new).astype(np.float32)
            known = self._matrix
            self._matrix = stacked if known is None else np.concatenate((known, stacked))
            self._added = []
        assert self._matrix is not None  # noqa: S101  # nobody makes one without adding to it
        other = np.array(vector, dtype=np.float16).astype(np.float32)
        return zip(self._rows, (self._matrix @ other).tolist(), strict=True)


def _nearest(semantic: Sequence[float | None], count: int, out: Collection[int]) -> list[int]:
    meant = [
        (score, -row) for row, score in enumerate(semantic) if score is not None and row not in out
    ]
    return [-row for _, row in nlargest(count, meant)]
