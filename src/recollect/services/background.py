"""Background work: jobs from the queue, retried when they fail, and deleting what has expired."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final, Protocol
from uuid import UUID

from recollect.domain.conversation.session import LEAST_PATIENCE
from recollect.errors import RecollectError
from recollect.ports.conversations import TurnStore
from recollect.ports.jobs import ExpiredSessions, Job, JobKind, JobQueue
from recollect.ports.metrics import JOBS
from recollect.ports.runtime import Clock
from recollect.ports.telemetry import UNMEASURED, Telemetry

_LEASE: Final = timedelta(minutes=5)
_FIRST_PAUSE: Final = timedelta(seconds=10)
_LONGEST_PAUSE: Final = timedelta(hours=1)

_CLEANED_AT_ONCE: Final = 500
Handler = Callable[[Job], Awaitable[None]]
logger = logging.getLogger(__name__)


async def repeat(do_some: Callable[[], Awaitable[int]], progress: Callable[[int], None]) -> int:
    """Do some work until none is left, and return how much; `progress` gets the number so far."""
    count = 0
    while done := await do_some():
        count += done
        progress(count)
    return count


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Takes jobs one after the other; several workers never get the same one at a time."""

    jobs: JobQueue
    clock: Clock
    handlers: Mapping[JobKind, Handler]
    telemetry: Telemetry = UNMEASURED

    async def do_waiting(self) -> int:
        """Do the jobs that wait now, and not those that come meanwhile; how many there were.

        A conversation that goes on makes one job of several.
        """
        began, count = self.clock.now(), 0
        while await self.do_one(waiting_at=began):
            count += 1
        return count

    async def do_one(self, *, waiting_at: datetime | None = None) -> bool:
        """Do the job that has waited longest, now or then; whether there was one.

        A job that fails waits for another try, longer each time.
        """
        now = self.clock.now()
        then = waiting_at or now
        job = await self.jobs.take(now=then, lease=now - then + _LEASE)
        if job is None:
            return False
        facts = {"kind": str(job.kind), "attempt": job.attempts}
        try:
            await self.handlers[job.kind](job)
        except Exception as error:  # one bad job must not end all background work
            facts["problem"] = type(error).__name__
            is_expected = isinstance(error, RecollectError)
            logger.warning(
                "job.failed", extra={"facts": facts}, exc_info=None if is_expected else error
            )
            self.telemetry.count(JOBS, job.kind, "failed")
            pause = min(_FIRST_PAUSE * 2 ** min(job.attempts - 1, 10), _LONGEST_PAUSE)
            await self.jobs.postpone(job, until=self.clock.now() + pause)
        else:
            self.telemetry.count(JOBS, job.kind, "done")
            logger.info("job.done", extra={"facts": facts})
            await self.jobs.finish(job)
        return True


class ExpiredArchive(Protocol):
    """Where expired sessions go before they are deleted."""

    async def move_some(self, *, now: datetime, unreadable: set[UUID]) -> int:
        """Archive some sessions that have expired by then and delete them; return how many.

        Those of `unreadable` owners stay; owners whose content cannot be decrypted are added.
        """

    async def count_outdated(self) -> int:
        """Return how many archived sessions are older than the archive keeps them."""

    async def prune(self) -> int:
        """Delete those from the archive, and return how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Cleans up after sessions that have expired; readers do not see them any more anyway."""

    expired: ExpiredSessions
    turns: TurnStore
    clock: Clock
    patience: timedelta = LEAST_PATIENCE
    """How long a question waits for its answer before its server is taken to be gone."""
    archive: ExpiredArchive | None = None
    """None: what has expired is deleted for good."""

    async def count(self) -> int:
        """How many sessions a clean-up would delete."""
        return await self.expired.count(now=self.clock.now())

    async def clean_up(self, *, progress: Callable[[int], None] = lambda _: None) -> int:
        """Delete all expired sessions, some at a time, and say how many went.

        With an archive, each is in it before it is deleted; if the archive cannot be reached, the
        sessions stay and `ArchiveUnavailable` is raised. Those stay, too, whose content cannot be
        decrypted, which is logged. While another replica is at it, nothing is
        left to do here. Questions that nobody will answer any more, because the server that had
        them was killed, are failed on the way.
        """
        await self.settle_abandoned()
        now = self.clock.now()
        if self.archive is not None:
            move = partial(self.archive.move_some, now=now, unreadable=set())
            return await repeat(move, progress)
        delete = partial(self.expired.delete, now=now, limit=_CLEANED_AT_ONCE)
        return await repeat(delete, progress)

    async def count_archived(self) -> int:
        """How many archived sessions a clean-up would delete from the archive."""
        return 0 if self.archive is None else await self.archive.count_outdated()

    async def prune_archive(self) -> int:
        """Delete what the archive has kept for long enough, and say how many sessions went."""
        return 0 if self.archive is None else await self.archive.prune()

    async def settle_abandoned(self) -> int:
        """Fail the turns of all owners that have waited for too long, and say how many.

        Those are questions of servers that were killed. An answer that comes all the same still
        completes its turn.
        """
        since = self.clock.now() - self.patience
        abandoned = await self.turns.fail_abandoned(started_by=since)
        if abandoned:
            logger.info("turns.abandoned", extra={"facts": {"turns": abandoned}})
        return abandoned
