"""Deleting messages so that counters, turns, summaries, names and recall stay true."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from asyncpg import Connection

from recollect.domain.conversation.session import name_from_question
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.sql import statement


async def lock_sessions(
    connection: Connection, scope: Scope, session_id: UUID | None, *, now: datetime
) -> list[UUID]:
    """Hold one session, or all of the owner's, against writers; those that have not expired."""
    rows = await connection.fetch(
        *statement("lock_sessions", owner_id=scope.owner_id, session_id=session_id, now=now)
    )
    return [row["session_id"] for row in rows]


async def remove(
    connection: Connection,
    scope: Scope,
    deletion: str,
    sessions: Sequence[UUID],
    **parameters: object,
) -> int:
    """Delete the messages of locked sessions that a statement names; how many there were."""
    rows = await connection.fetch(
        *statement(deletion, owner_id=scope.owner_id, session_ids=sessions, **parameters)
    )
    touched = [row["session_id"] for row in rows]
    first_gone = [row["first_gone"] for row in rows]
    owner = scope.owner_id
    await connection.execute(*statement("delete_empty_turns", owner_id=owner, session_ids=touched))
    await connection.execute(
        *statement(
            "delete_stale_summaries", owner_id=owner, session_ids=touched, first_gone=first_gone
        )
    )
    await connection.execute(
        *statement(
            "delete_stale_entries", owner_id=owner, session_ids=touched, first_gone=first_gone
        )
    )
    await connection.execute(*statement("recount_sessions", owner_id=owner, session_ids=touched))
    await _name_anew(connection, scope, touched)
    return sum(row["count"] for row in rows)


async def _name_anew(connection: Connection, scope: Scope, sessions: Sequence[UUID]) -> None:
    """Name sessions whose question is gone after the first one left, or not at all."""
    rows = await connection.fetch(
        *statement("unname_sessions", owner_id=scope.owner_id, session_ids=sessions)
    )
    names = [
        (row["session_id"], name, row["turn_number"])
        for row in rows
        if row["question"] is not None and (name := name_from_question(row["question"]))
    ]
    if names:
        session_ids, texts, turns = (list(column) for column in zip(*names, strict=True))
        await connection.execute(
            *statement(
                "name_sessions",
                owner_id=scope.owner_id,
                session_ids=session_ids,
                names=texts,
                turn_numbers=turns,
            )
        )
