"""Entries of small owners, cached in the process."""

from array import array
from bisect import insort
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from heapq import nlargest
from itertools import groupby, repeat
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar
from uuid import UUID

from asyncpg import Record

from recollect.domain.recall.entry import REACH, Candidate, Entry, RecallFilter, Vector
from recollect.domain.recall.words import K1, B, rarity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Cached = TypeVar("Cached")
_MOST_OWNERS: Final = 10_000
_UNUSED: Final = timedelta(minutes=10)
_candidate: Final = partial(tuple.__new__, Candidate)  # half the time of calling the class
_HEADER: Final = 4  # bytes before a vector's numbers, as PostgreSQL sends it


@dataclass(slots=True)
class CachedOwner(Generic[Cached]):
    """One who has searched."""

    searched_at: datetime
    kept: Cached | None = None
    size: int = 0
    has_too_many: bool = False
    is_gone: bool = False
    """Whether it was dropped, perhaps while somebody still reads for it."""


class OwnerLru(Generic[Cached]):
    """Keeps something of each, up to a size of all together; what is not used for minutes goes."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._owners: OrderedDict[UUID, CachedOwner[Cached]] = OrderedDict()
        self._size = 0

    def touch(self, owner_id: UUID, now: datetime) -> tuple[CachedOwner[Cached], bool]:
        """The owner, who searches now, and whether that is so again."""
        while self._owners:
            last, unused = next(iter(self._owners.items()))
            if unused.searched_at > now - _UNUSED and len(self._owners) <= _MOST_OWNERS:
                break
            self.forget(unused)
            unused.is_gone = True
            del self._owners[last]
        owner = self._owners.get(owner_id)
        if owner is None:
            owner = self._owners[owner_id] = CachedOwner(searched_at=now)
            return owner, False
        self._owners.move_to_end(owner_id)
        owner.searched_at = now
        return owner, True

    def keep(self, owner: CachedOwner[Cached], kept: Cached, *, size: int) -> None:
        """Keep this of the owner in place of what was; who searched longest ago makes room."""
        if owner.is_gone:
            return
        self._size += size - owner.size
        owner.kept, owner.size = kept, size
        for other in self._owners.values():
            if self._size <= self._most:
                return
            self.forget(other)

    def forget(self, owner: CachedOwner[Cached]) -> None:
        """Keep nothing of the owner."""
        self._size -= owner.size
        owner.kept, owner.size = None, 0


class EntryCache:
    """Entries in the order in which they came, each known by its row; they only become more."""

    def __init__(self, *, changes: int) -> None:
        self.changes = changes
        self.last_number = 0
        self.expired: frozenset[UUID] = frozenset()
        """Sessions whose entries are no longer to be found."""
        self.grows = False
        """Whether there were new ones when somebody looked last."""
        self._entries: list[Entry] = []
        self._lengths: list[int] = []
        self._length = 0
        self._words: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._vectors: defaultdict[int, _Vectors] = defaultdict(_Vectors)
        self._rows_of: defaultdict[UUID, list[int]] = defaultdict(list)
        self._has_speakers = False
        self._order: list[int] = []
        """Rows by session, and in each in the order in which they were said."""
        self._places: list[int] = []
        """Where each row stands in that."""
        self._around: list[tuple[int, int]] = []
        """By place, where what is told with it starts, and where that ends."""

    def __len__(self) -> int:
        """How many there are."""
        return len(self._entries)

    @property
    def state(self) -> "OwnerState":
        """Up to where they are known."""
        return OwnerState(self.last_number, self.changes, self.expired)

    def add(self, found: Iterable[Record], *, last_number: int) -> None:
        """Take in entries; those that are here already are passed over."""
        before = len(self._entries)
        for one in sorted(found, key=lambda one: one["number"]):
            if one["number"] > self.last_number:
                self._add(one)
        self.last_number = max(self.last_number, last_number)
        self.grows = len(self._entries) != before
        if len(self._places) != len(self._order):
            self._find_places()

    def search(
        self,
        terms: Mapping[int, float],
        vector: Vector | None,
        key_of_model: int | None,
        filters: RecallFilter,
        *,
        count: int,
    ) -> tuple[Candidate, ...]:
        """The best by words and by meaning, and in logs those beside them."""
        lexical, meanings = self._lexical(terms), self._compared(vector, key_of_model)
        out = self._left_out(filters)
        worded = {row: lexical[row] for row in lexical.keys() - out} if out else lexical
        best = set(worded)
        if len(worded) > count:
            best = set(nlargest(count, worded, key=worded.__getitem__))
        best.update(meanings.nearest(count, out))
        if self._has_speakers:
            best |= self._beside(best) - out
        order, cosines = self._order, meanings.by_row(len(self._entries))
        words = tuple(map(lexical.get, order, repeat(0.0)))
        return tuple(self._candidates(best, words, tuple(map(cosines.__getitem__, order))))

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
        self._length += one["length"]
        self._has_speakers = self._has_speakers or entry.speaker is not None
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
        """BM25 of the entries that share a word with the question; see `domain.recall.bm25`."""
        entries, lengths = len(self._entries), self._lengths
        fixed, for_length = K1 * (1 - B), K1 * B * entries / max(self._length, 1)
        scores: dict[int, float] = {}
        for term, weight in terms.items():
            said = self._words.get(term, ())
            worth = weight * (K1 + 1) * rarity(len(said), of=entries)
            for row, count in said:
                norm = fixed + for_length * lengths[row]
                scores[row] = scores.get(row, 0.0) + worth * count / (count + norm)
        return scores

    def _compared(self, vector: Vector | None, key: int | None) -> "_Meanings":
        if vector is None or key is None or key not in self._vectors:
            return _Meanings((), None)
        return self._vectors[key].compared(vector)

    def _left_out(self, filters: RecallFilter) -> set[int]:
        out = {row for known in filters.without for row in self._rows_of.get(known, ())}
        expired = self.expired
        if expired or filters != RecallFilter(without=filters.without):
            out.update(
                row
                for row, entry in enumerate(self._entries)
                if entry.session_id in expired or not filters.matches(entry)
            )
        return out

    def _beside(self, best: Collection[int]) -> set[int]:
        """Those right before and after in logs, where both name their speakers."""
        entries, order = self._entries, self._order
        named = (row for row in best if entries[row].speaker is not None)
        places = ((at, *self._around[at]) for at in map(self._places.__getitem__, named))
        beside = (
            order[place]
            for at, start, end in places
            for place in (at - 1, at + 1)
            if start <= place < end  # which ends within the session
        )
        return {row for row in beside if entries[row].speaker is not None}

    def _candidates(
        self, rows: Iterable[int], words: tuple[float, ...], meanings: tuple[float | None, ...]
    ) -> Iterator[Candidate]:
        """Entries with their scores and those around them, out of all in their order."""
        entries, places, around = self._entries, self._places, self._around
        for row in rows:
            at = places[row]
            first, end = around[at]
            yield _candidate((entries[row], words[first:end], meanings[first:end], at - first))

    def _find_places(self) -> None:
        """Say where everything is, after something was added."""
        order, entries = self._order, self._entries
        self._places = [0] * len(order)
        self._around = []
        for _, places in groupby(range(len(order)), lambda at: entries[order[at]].session_id):
            session = list(places)
            start, end = session[0], session[-1] + 1
            for at in session:
                self._places[order[at]] = at
                self._around.append((max(start, at - REACH), min(end, at + 1 + REACH)))


class OwnerState(NamedTuple):
    """How an owner's entries stand."""

    last_number: int
    changes: int
    expired: frozenset[UUID]


class _Meanings(NamedTuple):
    """The cosines of some rows."""

    rows: Sequence[int]
    cosines: "NDArray[np.float32] | None"

    def nearest(self, count: int, out: Collection[int]) -> list[int]:
        """The rows with the highest, but for those left out."""
        if self.cosines is None:
            return []
        first = (-self.cosines).argsort(kind="stable")[: count + len(out)].tolist()
        rows = (self.rows[at] for at in first)
        return [row for row in rows if row not in out][:count]

    def by_row(self, count: int) -> list[float | None]:
        """The cosine of each row; None for those that have none."""
        cosines: list[float] = [] if self.cosines is None else self.cosines.tolist()
        scores: list[float | None] = [None] * count
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
        """Keep a vector as PostgreSQL sends it."""
        self._rows.append(row)
        self._added.append(vector)

    def compared(self, vector: Vector) -> _Meanings:
        """The cosine of each with another, which is rounded as they are."""
        import numpy as np  # noqa: PLC0415  # not before somebody searches

        if self._added:
            new = [np.frombuffer(one, dtype=">f2", offset=_HEADER) for one in self._added]
            stacked = np.stack(new).astype(np.float32)
            known = self._matrix
            self._matrix = stacked if known is None else np.concatenate((known, stacked))
            self._added = []
        assert self._matrix is not None  # noqa: S101  # nobody makes one without adding to it
        asked = np.frombuffer(array("f", vector), dtype=np.float32)  # half the time of np.array
        other = asked.astype(np.float16).astype(np.float32)
        return _Meanings(self._rows, np.einsum("ij,j->i", self._matrix, other))
