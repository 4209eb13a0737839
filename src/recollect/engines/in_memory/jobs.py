"""Work that waits in a plain dictionary."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from recollect.domain.job import Job, JobKind, job_id_for
from recollect.domain.scope import Scope
from recollect.engines.in_memory.state import State


def queue_compaction(state: State, scope: Scope, session_id: UUID, *, now: datetime) -> None:
    """Let the compaction of a session wait for a worker, unless it waits already."""
    job = Job(
        job_id=job_id_for(JobKind.COMPACT, session_id),
        kind=JobKind.COMPACT,
        scope=Scope.stored(tenant=scope.tenant, user=scope.user),
        session_id=session_id,
        attempts=0,
        scheduled_at=now,
    )
    state.jobs.setdefault(_key(job), job)


@dataclass(frozen=True, slots=True)
class InMemoryJobs:
    """Implements `recollect.ports.jobs.JobQueue`."""

    state: State

    async def take(self, *, now: datetime, lease: timedelta) -> Job | None:
        """The job that has waited longest, now this worker's for the time of the lease."""
        longest = min(self._waiting(now), key=_order, default=None)
        if longest is None:
            return None
        taken = replace(longest, scheduled_at=now + lease, attempts=longest.attempts + 1)
        self.state.jobs[_key(taken)] = taken
        return taken

    async def finish(self, job: Job) -> None:
        """The job is done; it goes, unless it was scheduled again meanwhile."""
        if self._is_still(job):
            del self.state.jobs[_key(job)]

    async def postpone(self, job: Job, *, until: datetime) -> None:
        """The job failed; it waits for another try."""
        if self._is_still(job):
            kept = self.state.jobs[_key(job)]
            self.state.jobs[_key(job)] = replace(kept, scheduled_at=until)

    async def depth(self, *, now: datetime) -> int:
        """How many jobs wait to be taken."""
        return len(self._waiting(now))

    def _waiting(self, now: datetime) -> list[Job]:
        return [job for job in self.state.jobs.values() if job.scheduled_at <= now]

    def _is_still(self, job: Job) -> bool:
        """Whether the job is still as its worker took it: not the next one's by now."""
        kept = self.state.jobs.get(_key(job))
        return kept is not None and kept.scheduled_at == job.scheduled_at


def _key(job: Job) -> tuple[UUID, UUID]:
    return job.scope.owner_id, job.job_id


def _order(job: Job) -> tuple[datetime, UUID]:
    return job.scheduled_at, job.job_id
