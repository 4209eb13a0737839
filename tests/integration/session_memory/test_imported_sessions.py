"""Long sessions that were stored a moment ago, of which the database has no statistics yet."""

from datetime import UTC, datetime

import asyncpg

from recollect.engines.postgres.sql import statement
from support.erasures import load
from support.examples import a_scope

READ = """
SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid)) FROM pg_index
WHERE indrelid = 'recollect.messages'::regclass
"""


async def test_a_page_reads_no_more_messages_than_it_has(own_dsn: str) -> None:
    scope = a_scope()
    await load(own_dsn, scope, sessions=1, turns=10_000)
    connection = await asyncpg.connect(
        own_dsn, server_settings={"search_path": "recollect, public", "role": "recollect_app"}
    )
    async with connection.transaction():
        await connection.execute(f"SET LOCAL recollect.owner_id = '{scope.owner_id}'")
        session_id = await connection.fetchval("SELECT session_id FROM sessions")
        page = statement(
            "list_messages",
            owner_id=scope.owner_id,
            session_id=session_id,
            newest_first=True,
            after_sequence=10_000,
            include_inactive=False,
            limit=50,
            offset=0,
            now=datetime.now(UTC),
        )
        numbers = [row["sequence"] for row in await connection.fetch(*page)]
        assert await connection.fetchval(READ) == 50
    await connection.close()
    assert numbers == [*range(9_999, 9_949, -1)]
