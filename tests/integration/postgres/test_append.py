"""Appends that meet other writers of their session."""

import asyncio

import asyncpg
import pytest

from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.conversations.messages import lock_sessions, remove
from recollect.errors import MessageNotFound
from recollect.ports import Stores
from support.examples import a_message, append, seconds_on, start_conversation


async def has_to_wait_for(connection: asyncpg.Connection) -> bool:
    """Whether somebody waits for what the connection's transaction holds."""
    process = connection.get_server_pid()
    waiting: bool = await connection.fetchval(
        "SELECT EXISTS (SELECT FROM pg_locks WHERE $1 = ANY(pg_blocking_pids(pid)))", process
    )
    return waiting


async def test_a_reply_does_not_bring_back_the_turn_that_was_deleted_before_it(
    stores: Stores, database: Database, scope: Scope
) -> None:
    session_id, (question,) = await start_conversation(stores, scope, ("user",))
    reply = a_message("assistant", "Too late")
    async with database.transaction(scope.owner_id) as transaction:
        locked = await lock_sessions(transaction, session_id, now=seconds_on(0))
        replying = asyncio.create_task(
            append(stores, scope, session_id, reply, reply_to=question.message_id)
        )
        while not await has_to_wait_for(transaction.connection):  # noqa: ASYNC110  # another process waits
            await asyncio.sleep(0.01)
        await remove(transaction, "delete_message", locked, message_id=question.message_id)

    with pytest.raises(MessageNotFound):
        await replying
    assert await stores.turns.get(scope, session_id, 1) is None
    session = await stores.sessions.get(scope, session_id)
    assert session is not None
    assert session.message_count == 0
