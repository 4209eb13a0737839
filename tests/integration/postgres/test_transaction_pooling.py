"""The engine behind a pooler that gives every transaction another connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from conformance.contracts.branch_client import Talk
from recollect.domain.conversation.paging import PageRequest
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.errors import ConfigurationError
from recollect.system import SystemClock
from support.pooler import pooled

AS_THE_HOW_TO_SAYS = (
    "SET role = 'recollect_app'",
    "SET search_path = recollect, public",
    "SET statement_timeout = '60s'",
    "SET lock_timeout = '15s'",
    "SET idle_in_transaction_session_timeout = '60s'",
    "SET jit = off",
    "SET enable_seqscan = off",
    "SET enable_bitmapscan = off",
    "SET plan_cache_mode = force_generic_plan",
)


@asynccontextmanager
async def login_role(admin_dsn: str, *settings: str) -> AsyncIterator[str]:
    """The connection string of a role that may become the application's, with settings."""
    role = f"server_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE ROLE {role} LOGIN; GRANT recollect_app TO {role}")
    for setting in settings:
        await admin.execute(f"ALTER ROLE {role} {setting}")
    try:
        yield admin_dsn.replace("postgres@/", f"{role}@/")
    finally:
        await admin.execute(f"DROP ROLE {role}")
        await admin.close()


@asynccontextmanager
async def behind_pooler(
    admin_dsn: str, folder: Path, *settings: str, statement_cache: int
) -> AsyncIterator[Database]:
    async with (
        login_role(admin_dsn, *settings) as dsn,
        pooled(dsn, folder) as through,
        open_external(through, max_connections=4, statement_cache=statement_cache) as database,
    ):
        yield database


async def backends(database: Database) -> set[int]:
    pids = set()
    for _ in range(6):
        async with database.owned_by(uuid4()) as connection:
            pids.add(await connection.fetchval("SELECT pg_backend_pid()"))
    return pids


async def test_without_a_statement_cache_every_transaction_may_go_elsewhere(
    database: Database, admin_dsn: str, tmp_path: Path
) -> None:
    settings = AS_THE_HOW_TO_SAYS
    async with behind_pooler(admin_dsn, tmp_path, *settings, statement_cache=0) as through:
        assert len(await backends(through)) > 1
        stores = postgres_stores(through, SystemClock())
        talks = [await Talk.start(stores) for _ in range(3)]
        for text in ("one", "two", "three"):  # each edits the one before
            await asyncio.gather(*(talk.say(text) for talk in talks))
        for talk in talks:
            page = await stores.history.list(talk.scope, PageRequest(limit=10))
            assert {message.content for message in page.items} == {"three", "re: three"}
            window = await stores.messages.window(
                talk.scope, talk.session_id, count=2, covers_all=False
            )
            assert window is not None
            assert len(window.messages) == 2


async def test_with_a_statement_cache_it_would_not_work(
    database: Database, admin_dsn: str, tmp_path: Path
) -> None:
    """What the pooler of these tests is worth: it does give statements to other connections."""
    settings = AS_THE_HOW_TO_SAYS
    async with behind_pooler(admin_dsn, tmp_path, *settings, statement_cache=100) as through:
        with pytest.raises(asyncpg.InvalidSQLStatementNameError):
            await backends(through)


async def test_a_pooler_that_drops_the_role_is_refused(
    database: Database, admin_dsn: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=r"must start as recollect_app .* ALTER ROLE"):
        async with behind_pooler(
            admin_dsn, tmp_path, "SET search_path = recollect, public", statement_cache=0
        ):
            pass
