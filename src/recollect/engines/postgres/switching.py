"""Making messages active or inactive, so that counters, summaries and recall stay true."""

from collections.abc import Sequence
from uuid import UUID

from asyncpg import Connection

from recollect.domain.scope import Scope
from recollect.engines.postgres.queries import query


async def switch_messages(
    connection: Connection,
    scope: Scope,
    session_id: UUID,
    *,
    shown: Sequence[UUID] = (),
    hidden: Sequence[UUID] = (),
    first: int,
) -> None:
    """Show some messages of a locked session and hide others; `first` is the lowest number.

    A summary that tells of another branch is dropped.
    """
    owner = scope.owner_id
    await connection.execute(query("switch_messages"), owner, session_id, shown, hidden)
    await connection.execute(query("delete_stale_summaries"), owner, [session_id], [first])
    await connection.execute(query("recount_sessions"), owner, [session_id])
