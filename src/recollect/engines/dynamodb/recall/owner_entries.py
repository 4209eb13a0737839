"""The entries of one owner as they were read, and the search in them."""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Self
from uuid import UUID

from recollect.domain.recall.entry import Candidate, RecallQuery, question_length
from recollect.domain.recall.ranking import Bm25Index
from recollect.domain.recall.whole_search import best_candidates
from recollect.domain.vectors import Vector
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.recall.entry_items import StoredEntry, entry_from
from recollect.engines.dynamodb.table.items import Item

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Bytes that Python takes, as tracemalloc measures them.
_OWNER_BYTES: Final = 2_000
_ENTRY_BYTES: Final = 2_000
_TERM_BYTES: Final = 75


class OwnerEntries:
    """Entries by session and number; they never change, so that threads may search them."""

    def __init__(
        self, stored: Sequence[StoredEntry], vectors: Sequence["PackedVectors"], *, changes: int
    ) -> None:
        self.stored = stored
        self.changes = changes
        """The counter of changes when they were read."""
        self.characters = sum(len(one.entry.text) for one in stored)
        self._vectors = vectors
        self._entries = [one.entry for one in stored]
        self._words: Bm25Index[str] = Bm25Index()
        self._places: defaultdict[UUID, list[int]] = defaultdict(list)
        for at, one in enumerate(stored):
            self._words.add(one.terms, length=question_length(one.terms))
            self._places[one.entry.session_id].append(at)
        self.size = self._estimate()
        """How many bytes they take, about."""

    @classmethod
    def of(cls, items: Iterable[Item], *, changes: int) -> Self:
        """Read the items of an owner's entries."""
        stored: list[StoredEntry] = []
        packed: defaultdict[tuple[str, int], _Unpacked] = defaultdict(_Unpacked)
        for at, item in enumerate(items):
            stored.append(entry_from(item))
            vector = item.get("vector")
            if isinstance(vector, bytes) and vector:
                packed[str(item.get("model")), len(vector)].add(at, vector)
        vectors = [one.packed(model) for (model, _), one in packed.items()]
        return cls(stored, vectors, changes=changes)

    @property
    def sessions(self) -> Collection[UUID]:
        """The sessions of all entries."""
        return self._places.keys()

    def search(self, query: RecallQuery) -> tuple[Candidate, ...]:
        """Return the best by words and by meaning and, in logs, the entries next to them."""
        found = best_candidates(
            self._entries,
            query,
            lexical=self._words.scores(query.terms),
            meanings=tuple(self._meanings(query)),
        )
        return tuple(found.values())

    def hidden(self, sessions: Mapping[UUID, Conversation | None]) -> set[int]:
        """Where the entries of sessions are that are not of messages on an active branch."""
        return {
            at
            for session_id, one in sessions.items()
            for at in self._places.get(session_id, ())
            if not self.stored[at].is_valid(one)
        }

    def without(self, places: Collection[int]) -> "OwnerEntries":
        """The others: words are as rare as they are among these."""
        left = [at for at in range(len(self.stored)) if at not in places]
        moved = {before: at for at, before in enumerate(left)}
        return OwnerEntries(
            [self.stored[at] for at in left],
            [one.moved(moved) for one in self._vectors],
            changes=self.changes,
        )

    def _estimate(self) -> int:
        terms = sum(len(one.terms) for one in self.stored)
        vectors = sum(one.matrix.nbytes for one in self._vectors)
        entries = _ENTRY_BYTES * len(self.stored) + self.characters
        return _OWNER_BYTES + entries + _TERM_BYTES * terms + vectors

    def _meanings(self, query: RecallQuery) -> list[float | None]:
        """The cosine of each with the question, from a store outside or from vectors here."""
        nearest = query.nearest
        if nearest is not None:
            # The store may still have vectors of a model before.
            return [
                nearest.get(one.number) if one.model == query.model else None for one in self.stored
            ]
        meanings: list[float | None] = [None] * len(self.stored)
        for vectors in self._vectors:
            if query.vector is not None and vectors.is_comparable(query.vector, query.model):
                for at, cosine in zip(vectors.places, vectors.cosines(query.vector), strict=True):
                    meanings[at] = cosine
        return meanings


class PackedVectors(NamedTuple):
    """The vectors of one model and one length, and which entries they are of."""

    model: str
    places: Sequence[int]
    matrix: "NDArray[np.float32]"

    def is_comparable(self, vector: Vector, model: str | None) -> bool:
        """Whether these are of that model and as long as that vector."""
        return self.model == model and self.matrix.shape[1] == len(vector)

    def cosines(self, vector: Vector) -> list[float]:
        """The cosine of each with a vector."""
        import numpy as np  # noqa: PLC0415  # loaded with the first search

        other = np.frombuffer(array("f", vector), dtype=np.float32)
        cosines: list[float] = np.einsum("ij,j->i", self.matrix, other).tolist()
        return cosines

    def moved(self, places: Mapping[int, int]) -> "PackedVectors":
        """Those of the entries that have new places, at these."""
        rows = [row for row, at in enumerate(self.places) if at in places]
        return PackedVectors(
            self.model, [places[self.places[row]] for row in rows], self.matrix[rows]
        )


class _Unpacked:
    """Vectors of one model and one length, as they are read."""

    def __init__(self) -> None:
        self._places: list[int] = []
        self._vectors: list[bytes] = []

    def add(self, at: int, vector: bytes) -> None:
        """Add the vector of the entry at a place."""
        self._places.append(at)
        self._vectors.append(vector)

    def packed(self, model: str) -> PackedVectors:
        """All of them in one array."""
        import numpy as np  # noqa: PLC0415  # loaded with the first search

        numbers = np.frombuffer(b"".join(self._vectors), dtype="<f4")
        return PackedVectors(model, self._places, numbers.reshape(len(self._places), -1))
