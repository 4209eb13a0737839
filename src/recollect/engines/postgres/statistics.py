"""Sizes of tables and depths of queues in PostgreSQL."""

from datetime import timedelta

from recollect.engines.postgres.connection.database import PostgresStore
from recollect.engines.postgres.sql import statement
from recollect.ports.statistics import StoreStatistics


class PostgresStatistics(PostgresStore):
    """Reads PostgreSQL's own statistics, and counts what waits as a worker does."""

    async def read(self) -> StoreStatistics:
        now = self._clock.now()
        async with self._database.working(now=now) as connection:
            tables = await connection.fetch(*statement("table_sizes"))
            queues = await connection.fetch(*statement("queue_depths", now=now))
        return StoreStatistics(
            database_bytes=sum(row["bytes"] for row in tables),
            table_bytes={row["name"]: row["bytes"] for row in tables},
            table_rows={row["name"]: row["rows"] for row in tables},
            queue_depth={row["queue"]: row["depth"] for row in queues},
            queue_oldest_seconds={
                row["queue"]: max(timedelta(), now - row["oldest"]).total_seconds()
                for row in queues
                if row["oldest"] is not None
            },
        )
