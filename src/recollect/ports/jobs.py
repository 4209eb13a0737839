"""Where work waits for a worker."""

from datetime import datetime, timedelta
from typing import Protocol

from recollect.domain.job import Job


class JobQueue(Protocol):
    """Hands each job to one worker at a time; a job survives until it is finished.

    Jobs are added by the stores, together with the write that makes them necessary.
    """

    async def take(self, *, now: datetime, lease: timedelta) -> Job | None:
        """The job that has waited longest, now this worker's for the time of the lease.

        A worker that dies leaves the job to the next one when the lease is over.
        """
        ...

    async def finish(self, job: Job) -> None:
        """The job is done; it goes, unless it was scheduled again meanwhile."""
        ...

    async def postpone(self, job: Job, *, until: datetime) -> None:
        """The job failed; it waits for another try."""
        ...

    async def depth(self, *, now: datetime) -> int:
        """How many jobs wait to be taken."""
        ...
