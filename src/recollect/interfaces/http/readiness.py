"""Whether the server can work: its database, its worker and its disk."""

import asyncio
import shutil
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from recollect.errors import DatabaseUnavailable
from recollect.interfaces.http.errors import log_unavailable
from recollect.interfaces.pulse import Pulse, WorkerState
from recollect.memory import Memory

_LOW_BYTES: Final = 1_000_000_000
_FULL_BYTES: Final = 64_000_000
"""PostgreSQL writes its log in files of 16 MB; without room for the next one it stops."""
_DISK_SECONDS: Final = 0.5


class DatabaseState(StrEnum):
    """How the database stands."""

    OK = "ok"
    UNAVAILABLE = "unavailable"


class DiskState(StrEnum):
    """How the disk stands that the memory is kept on."""

    OK = "ok"
    LOW = "low"
    """Less than 1 GB is free."""
    FULL = "full"
    """Less than 64 MB is free, or PostgreSQL has refused to store something for want of space."""
    UNKNOWN = "unknown"
    """The disk does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """What was found."""

    database: DatabaseState
    worker: WorkerState
    disk: DiskState

    @property
    def is_ready(self) -> bool:
        """Whether memory can be read and written."""
        return self.database is DatabaseState.OK and self.disk is not DiskState.FULL

    @property
    def is_degraded(self) -> bool:
        """Whether somebody should look, though requests are served."""
        is_worker_well = self.worker in {WorkerState.OK, WorkerState.ELSEWHERE}
        return not is_worker_well or self.disk is not DiskState.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """Looks at everything at once, and takes less than a second whatever hangs."""

    memory: Memory
    pulse: Pulse | None
    """The sign of life of this server's worker; None: it has none of its own."""
    home: Path | None
    """The folder of the embedded database; None: the database is elsewhere."""

    async def check(self) -> Checks:
        """How everything stands now."""
        database, disk = await asyncio.gather(self._database(), self._disk())
        worker = WorkerState.ELSEWHERE if self.pulse is None else self.pulse.state
        return Checks(database=database, worker=worker, disk=disk)

    async def _database(self) -> DatabaseState:
        try:
            await self.memory.is_ready()
        except DatabaseUnavailable as error:
            log_unavailable(error)
            return DatabaseState.UNAVAILABLE
        return DatabaseState.OK

    async def _disk(self) -> DiskState:
        if self.memory.is_out_of_space():
            return DiskState.FULL
        if self.home is None:
            return DiskState.OK
        try:
            async with asyncio.timeout(_DISK_SECONDS):
                return await asyncio.to_thread(disk_state, self.home)
        except OSError:  # also when it takes too long
            return DiskState.UNKNOWN


def disk_state(home: Path) -> DiskState:
    """How much room there is for a folder, which may not be there yet."""
    folder = next(part for part in (home, *home.absolute().parents) if part.exists())
    free = shutil.disk_usage(folder).free
    if free < _FULL_BYTES:
        return DiskState.FULL
    return DiskState.LOW if free < _LOW_BYTES else DiskState.OK
