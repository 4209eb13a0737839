"""Erasing what archives have of an owner: the one that is set, and none that is noted beside it."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from recollect.domain.erasure.erasure import EMPTIED, Counts, Erasure, ErasureKind
from recollect.errors import ArchiveUnavailable
from recollect.ports.privacy.archive import ArchiveNotes
from recollect.services.privacy.archive_erasure import ARCHIVE, ArchivePlace


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedArchives:
    """An `Erasable`: all archives that may have sessions of the owner, as the database notes.

    It comes after the database, and empties the archive that is set. While another one is noted
    that was not emptied yet it raises `ArchiveUnavailable`: a process that reaches it goes on.
    """

    notes: ArchiveNotes
    reached: ArchivePlace[Erasure] | None
    """None where no archive is set."""
    count: Callable[[Erasure, str, Counts], Awaitable[None]]
    """Records with an erasure which archives are emptied."""

    @property
    def name(self) -> str:
        """What receipts call the place."""
        return ARCHIVE

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:
        """Erase from the archive that is set; whether there may be more.

        Raises:
            ArchiveUnavailable: the archive cannot be reached, or another one is to be emptied.
        """
        if self.reached is not None:
            # Read first: what is moved into the archive from now on changes the notes.
            noted = await self.notes.of_owner(erasure.owner_id)
            if await self.reached.erase_some(erasure, limit=limit):
                return True
            await self._note_emptied(erasure, self.reached.store.address, noted)
        elsewhere = await self._elsewhere(erasure)
        if elsewhere:
            raise _not_reached(elsewhere)
        return False

    async def remaining(self, erasure: Erasure) -> Counts:
        """What is left in the archive that is set, and how many others are to be emptied."""
        left = {} if self.reached is None else await self.reached.remaining(erasure)
        return {**left, "elsewhere": len(await self._elsewhere(erasure))}

    async def _note_emptied(self, erasure: Erasure, archive: str, noted: Sequence[str]) -> None:
        """Let no other process wait for this archive; after a part it stays noted."""
        if erasure.request.kind is ErasureKind.EVERYTHING:
            await self.notes.remove(erasure.owner_id, archive)
            return
        mark = _mark(archive, noted)
        if len(noted) > 1 and archive in noted and mark not in erasure.counts.get(EMPTIED, {}):
            await self.count(erasure, EMPTIED, {mark: 1})

    async def _elsewhere(self, erasure: Erasure) -> list[str]:
        reached = None if self.reached is None else self.reached.store.address
        noted = await self.notes.of_owner(erasure.owner_id)
        emptied = erasure.counts.get(EMPTIED, {})
        return [one for one in noted if one != reached and _mark(one, noted) not in emptied]


def _mark(archive: str, noted: Sequence[str]) -> str:
    """What stands for an archive that is emptied, as long as the same ones are noted.

    Another one that is forgotten may have been moved into it.
    """
    return hashlib.sha256("\0".join([archive, *sorted(noted)]).encode()).hexdigest()[:32]


def _not_reached(archives: list[str]) -> ArchiveUnavailable:
    problem = (
        "the erasure has begun, but archived sessions are left in an archive that is not set here "
        "(MEMORY_ARCHIVE): a server or worker with that archive goes on with it"
    )
    names = " and ".join(f"'{one}'" for one in archives)
    which = "it" if len(archives) == 1 else "each of them"
    return ArchiveUnavailable(
        problem,
        reason=f"it is {names}; run the same with {which} set, or if one was deleted or moved, "
        "say so with 'recollect erase --forget-archive'",
    )
