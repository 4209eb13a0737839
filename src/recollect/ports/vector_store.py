"""Where vectors are kept outside the database."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from recollect.domain.recall.entry import Vector


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class EntryKey:
    """What names an entry among those of its owner, for good.

    What is indexed again gets another number: a late removal of what was there before never
    takes away what is there now.
    """

    session_id: UUID
    number: int


class VectorStore(Protocol):
    """Keeps the vectors of each owner apart; it holds ids and vectors and never text.

    It is fed and emptied by durable work: everything may come twice, and later than in the
    database. Every method raises `VectorStoreUnavailable` when the store does not answer.
    """

    async def put(self, owner_id: UUID, vectors: Mapping[EntryKey, Vector], *, model: str) -> None:
        """Keep a model's vectors, each in place of the one of that key; found once this returns.

        `InvalidInput` if a vector is not as long as that model's others.
        """
        ...

    async def nearest(
        self,
        owner_id: UUID,
        vector: Vector,
        *,
        model: str,
        count: int,
        session_id: UUID | None = None,
    ) -> dict[EntryKey, float]:
        """The nearest of the owner's vectors of that model, with their cosines; may be none."""
        ...

    async def remove(self, owner_id: UUID, keys: Collection[EntryKey]) -> None:
        """Delete the vectors of these keys, of every model, and look that they are gone."""
        ...

    async def erase(self, owner_id: UUID) -> None:
        """Delete everything of the owner, of every model, and look that it is gone."""
        ...

    async def keys(self, owner_id: UUID, *, model: str) -> frozenset[EntryKey]:
        """What the store has of the owner and that model, to compare with what it should have."""
        ...

    async def owners(self) -> frozenset[UUID]:
        """Everybody of whom it may have vectors, of any model."""
        ...

    async def keep_only(self, model: str) -> None:
        """Delete the vectors of all other models, whoever owns them."""
        ...
