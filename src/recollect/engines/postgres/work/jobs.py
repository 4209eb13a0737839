"""The queue of background work, and the deletion of what has expired."""

from datetime import datetime, timedelta
from typing import Final

from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.rows import job_from
from recollect.engines.postgres.sql import statement
from recollect.ports.work import Job, JobKind

_KINDS: Final = [str(kind) for kind in JobKind]
_LOCK: Final = 0x7265636F6C6C6578  # 'recollex': one clean-up at a time on a server


class PostgresJobQueue:
    """Keeps jobs in the table of that name; a worker takes them for all owners."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, *, now: datetime, lease: timedelta) -> Job | None:
        """The job that has waited longest, now this worker's for the time of the lease."""
        rows = await self._database.work("take_job", now=now, lease_until=now + lease, kinds=_KINDS)
        return job_from(rows[0]) if rows else None

    async def finish(self, job: Job) -> None:
        """The job is done; it goes, unless it was scheduled again meanwhile."""
        owner = job.scope.owner_id
        await self._database.write(
            "finish_job", owner_id=owner, job_id=job.job_id, scheduled_at=job.scheduled_at
        )

    async def postpone(self, job: Job, *, until: datetime) -> None:
        """The job failed; it waits for another try."""
        owner = job.scope.owner_id
        async with self._database.owned_by(owner) as connection:
            await connection.execute(
                *statement(
                    "postpone_job",
                    owner_id=owner,
                    job_id=job.job_id,
                    scheduled_at=job.scheduled_at,
                    until=until,
                )
            )

    async def depth(self, *, now: datetime) -> int:
        """How many jobs wait to be taken."""
        async with self._database.working(now=now) as connection:
            count: int = await connection.fetchval(*statement("count_jobs", now=now))
        return count


class PostgresExpiredSessions:
    """Finds expired sessions through the workers' own view."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def count(self, *, now: datetime) -> int:
        """How many sessions have expired."""
        async with self._database.working(now=now) as connection:
            count: int = await connection.fetchval(*statement("count_expired", now=now))
        return count

    async def delete(self, *, now: datetime, limit: int) -> int:
        """Delete some expired sessions with everything in them, and say how many."""
        async with self._database.working(now=now) as connection:
            if not await connection.fetchval("SELECT pg_try_advisory_xact_lock($1)", _LOCK):
                return 0
            count: int = await connection.fetchval(
                *statement("delete_expired", now=now, limit=limit)
            )
        return count
