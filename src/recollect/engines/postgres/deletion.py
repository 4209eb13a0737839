"""Deleting messages so that counters, turns and the audit log stay true."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from asyncpg import Connection

from recollect.domain.audit import AuditAction
from recollect.domain.scope import Scope
from recollect.engines.postgres.audit import record
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.queries import query


async def remove_message(
    database: Database, scope: Scope, message_id: UUID, session_id: UUID | None, *, now: datetime
) -> bool:
    """Delete one message, of a given session or of any; whether there was one."""
    async with database.owned_by(scope.owner_id) as connection:
        await connection.fetch(query("lock_sessions"), scope.owner_id, session_id)
        found = await connection.fetchval(
            query("delete_message"), scope.owner_id, message_id, session_id
        )
        if found is None:
            return False
        await _settle(connection, scope, [found])
        await record(connection, scope, AuditAction.MESSAGE_DELETED, message_id, count=1, now=now)
    return True


async def remove_messages(
    connection: Connection, scope: Scope, statement: str, argument: object
) -> int:
    """Delete the messages a statement names, the sessions being locked; how many there were."""
    rows = await connection.fetch(query(statement), scope.owner_id, argument)
    await _settle(connection, scope, [row["session_id"] for row in rows])
    return sum(row["count"] for row in rows)


async def _settle(connection: Connection, scope: Scope, sessions: Sequence[UUID]) -> None:
    """Take the empty turns away and count anew."""
    await connection.execute(query("delete_empty_turns"), scope.owner_id, sessions)
    await connection.execute(query("recount_sessions"), scope.owner_id, sessions)
