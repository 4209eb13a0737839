"""What the database knows of entries whose vectors another store keeps."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from recollect.domain.recall.entry import Entry
from recollect.ports.vector_store import EntryKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """An entry that is gone here, and still has to go from the other store."""

    removal_id: int
    owner_id: UUID
    key: EntryKey


class OutsideEntries(Protocol):
    """Knows which entries the other store may have, has, and is to lose.

    An entry is claimed before its vector is sent away and placed after it has arrived: whoever
    dies in between leaves an entry that is embedded again, and whatever goes meanwhile is
    removed there, too.
    """

    @property
    def kept_in(self) -> str:
        """The name of the other store."""
        ...

    async def claim(self, owner_id: UUID, entries: Sequence[Entry]) -> tuple[EntryKey | None, ...]:
        """Note that the store may have these from now on; None for what is not there any more."""
        ...

    async def place(
        self, owner_id: UUID, keys: Collection[EntryKey], *, model: str, dimensions: int
    ) -> None:
        """The store has the vectors of these; what has gone meanwhile is to be removed there."""
        ...

    async def displace(self, owner_id: UUID, keys: Collection[EntryKey]) -> None:
        """The store has lost the vectors of these: they count as embedded by no model."""
        ...

    async def keys(self, owner_id: UUID, *, model: str | None = None) -> frozenset[EntryKey]:
        """What the store may have of an owner, or with a model: what it should have."""
        ...

    async def owners(self, *, model: str) -> frozenset[UUID]:
        """Everybody of whom the store should have vectors of that model; a worker's question."""
        ...

    async def removals(self, *, limit: int) -> tuple[Removal, ...]:
        """The oldest of what is to go, whoever owned it; a worker's question."""
        ...

    async def removed(self, removals: Collection[Removal]) -> None:
        """These are gone from the store."""
        ...

    async def count_removals(self) -> int:
        """How much is still to go; a worker's question."""
        ...
