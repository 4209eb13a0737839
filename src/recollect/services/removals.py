"""Taking out of a store outside what is gone from the database."""

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from recollect.ports.outside_entries import OutsideEntries, Removal
from recollect.ports.vector_store import VectorStore

_AT_ONCE: Final = 500

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removals:
    """Removes vectors whose entries are gone; what it leaves halfway, the next one does again.

    A removal is done when the store was looked at and had nothing left. Several may work at once.
    """

    entries: OutsideEntries
    vectors: VectorStore

    async def do_some(self) -> int:
        """Remove some that wait, and say how many; `VectorStoreUnavailable` leaves the rest."""
        waiting = await self.entries.removals(limit=_AT_ONCE)
        of_owner: defaultdict[UUID, list[Removal]] = defaultdict(list)
        for removal in waiting:
            of_owner[removal.owner_id].append(removal)
        for owner_id, removals in of_owner.items():
            await self.vectors.remove(owner_id, {removal.key for removal in removals})
            await self.entries.removed(removals)
        if waiting:
            logger.info("removals.done", extra={"facts": {"vectors": len(waiting)}})
        return len(waiting)

    async def do_all(self, *, progress: Callable[[int], None] = lambda _: None) -> int:
        """Remove all that wait, and say how many; progress hears the number so far."""
        count = 0
        while done := await self.do_some():
            count += done
            progress(count)
        return count

    async def waiting(self) -> int:
        """How many vectors are still to go."""
        return await self.entries.count_removals()
