"""Holding an owner's entries while they are changed."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from asyncpg import Connection

from recollect.engines.postgres.queries import query


async def hold_entries(connection: Connection, owner_id: UUID) -> None:
    """Hold the owner's entries against other writers.

    Whoever needs sessions holds these before, so that two never wait for each other in a circle.
    """
    await connection.execute(query("lock_recall"), owner_id)


async def hold_some_sessions(
    connection: Connection, owner_id: UUID, sessions: Collection[UUID], *, now: datetime
) -> frozenset[UUID]:
    """Hold those of the sessions that are there and have not expired."""
    rows = await connection.fetch(query("lock_some_sessions"), owner_id, sorted(sessions), now)
    return frozenset(row["session_id"] for row in rows)
