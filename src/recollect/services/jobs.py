"""Background jobs, taken from the queue one after the other and retried when they fail."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from recollect.errors import RecollectError
from recollect.ports.jobs import Job, JobKind, JobQueue
from recollect.ports.runtime import Clock

_LEASE: Final = timedelta(minutes=5)
_FIRST_PAUSE: Final = timedelta(seconds=10)
_LONGEST_PAUSE: Final = timedelta(hours=1)

logger = logging.getLogger(__name__)

Handler = Callable[[Job], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Takes jobs one after the other; several workers never get the same one at a time."""

    jobs: JobQueue
    clock: Clock
    handlers: Mapping[JobKind, Handler]

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
            pause = min(_FIRST_PAUSE * 2 ** min(job.attempts - 1, 10), _LONGEST_PAUSE)
            await self.jobs.postpone(job, until=self.clock.now() + pause)
        else:
            logger.info("job.done", extra={"facts": facts})
            await self.jobs.finish(job)
        return True

    async def waiting(self) -> int:
        """How many jobs wait."""
        return await self.jobs.depth(now=self.clock.now())
