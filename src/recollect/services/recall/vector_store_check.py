"""Comparing what a store outside has with what it should have."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from recollect.ports.models import Embedder
from recollect.ports.recall import OutsideEntries, VectorStore
from recollect.services.recall.outside_index import OutsideIndex, stored_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """What was not as it should be, and is set right."""

    missing: int = 0
    """Vectors that the store had lost: their entries are to be embedded again."""
    surplus: int = 0
    """Vectors of entries that are gone: they were removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorStoreCheck:
    """Sets right what differs: after a store was restored, lost, or changed by somebody else."""

    index: OutsideIndex
    embedder: Embedder

    @property
    def _entries(self) -> OutsideEntries:
        return self.index.entries

    @property
    def _vectors(self) -> VectorStore:
        return self.index.vectors

    async def do_all(
        self, *, progress: Callable[[int, int], None] = lambda _done, _of: None
    ) -> Differences:
        """Compare everybody's vectors; progress hears how many owners are done, of how many."""
        model = self.embedder.model
        stored = stored_name(model, await self._dimensions())
        known = await self._entries.owners(model=self.index.name_of(model))
        owners = sorted(known | await self._vectors.owners())
        missing = surplus = 0
        for number, owner_id in enumerate(owners, start=1):
            found = await self._compare(owner_id, self.index.name_of(model), stored)
            missing, surplus = missing + found.missing, surplus + found.surplus
            progress(number, len(owners))
        return Differences(missing=missing, surplus=surplus)

    async def forget_other_models(self) -> bool:
        """Delete what other models left in the store; whether nothing needs these any more."""
        model = self.embedder.model
        if await self.index.count_outdated(model=model):
            return False
        await self._vectors.keep_only(stored_name(model, await self._dimensions()))
        return True

    async def _compare(self, owner_id: UUID, model: str, stored: str) -> Differences:
        """Nothing has to stand still: what is on its way counts as neither missing nor surplus.

        It is claimed in the database before it comes to the store, and placed afterwards.
        """
        expected = await self._entries.keys(owner_id, model=model)
        there = await self._vectors.keys(owner_id, model=stored)
        claimed = await self._entries.keys(owner_id)
        missing, surplus = expected - there, there - claimed
        if missing:
            await self._entries.displace(owner_id, missing)
        if surplus:
            await self._vectors.remove(owner_id, surplus)
        return Differences(missing=len(missing), surplus=len(surplus))

    async def _dimensions(self) -> int:
        known = self.embedder.dimensions
        if known is not None:
            return known
        (vector,) = await self.embedder.embed(["how long are your vectors?"])
        return len(vector)
