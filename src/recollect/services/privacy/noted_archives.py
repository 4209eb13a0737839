"""Erasing what archives have of an owner: the one that is set, and none that is noted beside it."""

from dataclasses import dataclass

from recollect.domain.erasure.erasure import Counts, Erasure, ErasureKind
from recollect.errors import ArchiveUnavailable
from recollect.ports.privacy.archive import ArchiveNotes
from recollect.services.privacy.archive_erasure import ARCHIVE, ArchivePlace


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedArchives:
    """An `Erasable`: all archives that may have sessions of the owner, as the database notes.

    It comes after the database, and empties the archive that is set. While another one is noted it
    raises `ArchiveUnavailable`: a process that reaches that one goes on.
    """

    notes: ArchiveNotes
    reached: ArchivePlace[Erasure] | None
    """None where no archive is set."""

    @property
    def name(self) -> str:
        """What receipts call the place."""
        return ARCHIVE

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:
        """Erase from the archive that is set; whether there may be more.

        Raises:
            ArchiveUnavailable: the archive cannot be reached, or another one is noted.
        """
        if self.reached is not None:
            if await self.reached.erase_some(erasure, limit=limit):
                return True
            if erasure.request.kind is ErasureKind.EVERYTHING:
                await self.notes.remove(erasure.owner_id, self.reached.store.address)
        elsewhere = await self._elsewhere(erasure)
        if elsewhere:
            raise _not_reached(elsewhere)
        return False

    async def remaining(self, erasure: Erasure) -> Counts:
        """What is left in the archive that is set, and how many others are noted."""
        left = {} if self.reached is None else await self.reached.remaining(erasure)
        return {**left, "elsewhere": len(await self._elsewhere(erasure))}

    async def _elsewhere(self, erasure: Erasure) -> list[str]:
        reached = None if self.reached is None else self.reached.store.address
        return [one for one in await self.notes.of_owner(erasure.owner_id) if one != reached]


def _not_reached(archives: list[str]) -> ArchiveUnavailable:
    problem = (
        "the erasure has begun, but archived sessions are left in an archive that is not set here "
        "(MEMORY_ARCHIVE): a server or worker with that archive goes on with it"
    )
    commands = " or ".join(f"'{one}'" for one in archives)
    return ArchiveUnavailable(
        problem,
        reason=f"it is {commands}; run the same with it set, or if it was deleted or moved, "
        "say so with 'recollect erase --forget-archive'",
    )
