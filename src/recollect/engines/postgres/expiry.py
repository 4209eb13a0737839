"""Expired sessions in PostgreSQL."""

from datetime import datetime
from typing import Final

from recollect.engines.postgres.database import Database
from recollect.engines.postgres.queries import query

_LOCK: Final = 0x7265636F6C6C6578  # 'recollex': one clean-up at a time on a server


class PostgresExpiredSessions:
    """Finds expired sessions through the workers' own view."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def count(self, *, now: datetime) -> int:
        """How many sessions have expired."""
        async with self._database.working(now=now) as connection:
            count: int = await connection.fetchval(query("count_expired"), now)
        return count

    async def delete(self, *, now: datetime, limit: int) -> int:
        """Delete some expired sessions with everything in them, and say how many."""
        async with self._database.working(now=now) as connection:
            if not await connection.fetchval("SELECT pg_try_advisory_xact_lock($1)", _LOCK):
                return 0
            count: int = await connection.fetchval(query("delete_expired"), now, limit)
        return count
