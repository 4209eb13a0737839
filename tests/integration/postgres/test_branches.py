"""A reply and a switch of branches at the same moment."""

import asyncio

import asyncpg

from recollect.ports import Stores
from support.examples import a_message, a_scope, append, start_session

SWITCH = "UPDATE messages SET is_active = false WHERE session_id = $1 AND owner_id = $2"
BLOCKED = """
SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))
"""


async def test_a_reply_that_waits_for_a_branch_switch_uses_the_branches_after_it(
    stores: Stores, admin_dsn: str
) -> None:
    scope = a_scope()
    session_id = (await start_session(stores, scope)).session_id
    (question,) = await append(stores, scope, session_id, a_message("user", "one"))
    reply = a_message("assistant", "re: one")
    switching = await asyncpg.connect(
        admin_dsn, server_settings={"search_path": "recollect, public"}
    )
    async with switching.transaction():
        await switching.execute(
            "SELECT FROM sessions WHERE session_id = $1 AND owner_id = $2 FOR UPDATE",
            *(session_id, scope.owner_id),
        )
        replying = asyncio.create_task(
            append(stores, scope, session_id, reply, reply_to=question.message_id)
        )
        while not await switching.fetchval(BLOCKED):  # noqa: ASYNC110  # PostgreSQL tells nobody
            await asyncio.sleep(0.01)
        await switching.execute(SWITCH, session_id, scope.owner_id)
    (late,) = await replying
    await switching.close()
    assert not late.is_active
    assert await stores.messages.last(scope, session_id, count=9) == ()
