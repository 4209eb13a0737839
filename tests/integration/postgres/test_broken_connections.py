"""Whatever a connection breaks of, whoever uses it is told that the database is away."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from uuid import uuid4

import asyncpg
import psutil
import pytest
import pytest_asyncio

from recollect.engines.postgres.accounts import PostgresStateStore
from recollect.engines.postgres.connection.addresses import as_application
from recollect.engines.postgres.connection.database import Database
from recollect.errors import DatabaseUnavailable
from recollect.system import SystemClock
from support.examples import a_scope

PID = "SELECT pg_backend_pid()"


@pytest_asyncio.fixture
async def one(admin_dsn: str) -> AsyncIterator[Database]:
    """A database that is reached by one connection."""
    database = await Database.open(as_application(admin_dsn), max_connections=1)
    yield database
    await database.aclose()


async def backend_of(database: Database) -> psutil.Process:
    async with database.owned_by(uuid4()) as connection:
        return psutil.Process(await connection.fetchval(PID))


def end_backend(backend: psutil.Process) -> None:
    """End a connection's process while the event loop does not look."""
    backend.send_signal(signal.SIGTERM)
    while psutil.pid_exists(backend.pid):
        time.sleep(0.001)


@pytest.mark.parametrize("steps", range(5))
async def test_a_connection_that_ends_while_idle_never_breaks_its_next_user(
    one: Database, steps: int
) -> None:
    """PostgreSQL says why it ends, and hangs up later: the driver can be met in between."""
    end_backend(await backend_of(one))
    for _ in range(steps):
        await asyncio.sleep(0)
    try:
        async with one.owned_by(uuid4()) as connection:
            await connection.fetchval("SELECT 1")
    except DatabaseUnavailable as error:
        assert error.__cause__ is not None  # noqa: PT017  # either way of it is right

    assert await backend_of(one), "the next user has a connection that works"


@pytest.mark.parametrize("steps", range(5))
async def test_a_connection_lost_in_a_transaction_raises_database_unavailable(
    one: Database, steps: int
) -> None:
    async def work() -> None:
        async with one.owned_by(uuid4()) as connection:
            end_backend(psutil.Process(await connection.fetchval(PID)))
            for _ in range(steps):
                await asyncio.sleep(0)
            await connection.fetchval("SELECT 1")

    with pytest.raises(DatabaseUnavailable):
        await work()
    assert await backend_of(one)


async def test_a_connection_lost_before_the_commit_raises_database_unavailable(
    one: Database,
) -> None:
    async def work() -> None:
        async with one.owned_by(uuid4()) as connection:
            end_backend(psutil.Process(await connection.fetchval(PID)))
            await asyncio.sleep(0.05)

    with pytest.raises(DatabaseUnavailable):
        await work()
    assert await backend_of(one)


async def test_a_timeout_on_a_hanging_database_ends_at_once(one: Database) -> None:
    backend = await backend_of(one)
    backend.suspend()
    try:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2), one.owned_by(uuid4()) as connection:
                await connection.fetchval("SELECT 1")
        assert backend.status() == psutil.STATUS_STOPPED, "it has not waited for it"
    finally:
        backend.resume()

    assert await backend_of(one)


async def test_probing_a_hanging_database_raises_database_unavailable(one: Database) -> None:
    others = await _probes(one)
    assert await one.is_answering()
    async with one.owned_by(uuid4()):  # all connections are taken: that is not being away
        assert await one.is_answering()
    (probe,) = await _probes(one) - others
    os.kill(probe, signal.SIGSTOP)
    try:
        with pytest.raises(DatabaseUnavailable):
            await one.is_answering()
        assert psutil.Process(probe).status() == psutil.STATUS_STOPPED
    finally:
        os.kill(probe, signal.SIGCONT)
    assert await one.is_answering()


async def _probes(database: Database) -> set[int]:
    async with database.owned_by(uuid4()) as connection:
        rows = await connection.fetch(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'recollect readiness'"
        )
    return {row["pid"] for row in rows}


async def test_a_refusal_for_lack_of_disk_space_is_remembered(one: Database) -> None:
    assert not one.was_full_lately()
    with pytest.raises(DatabaseUnavailable) as caught:
        async with one.owned_by(uuid4()) as connection:
            await connection.execute("DO $$ BEGIN RAISE 'no room' USING ERRCODE = '53100'; END $$")

    assert one.was_full_lately()
    assert "no room" not in str(caught.value)
    assert caught.value.reason == "DiskFullError: no room"


async def test_an_sql_error_is_not_reported_as_database_unavailable(one: Database) -> None:
    with pytest.raises(asyncpg.UndefinedTableError):
        async with one.owned_by(uuid4()) as connection:
            await connection.execute("SELECT FROM there_is_no_such_table")

    assert await backend_of(one)


async def test_after_a_fail_over_the_old_server_is_left(database: Database, admin_dsn: str) -> None:
    """A server that has become read-only is away for writers; new connections find the other."""
    role, scope = f"server_{uuid4().hex}", a_scope()
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE ROLE {role} LOGIN; GRANT recollect_app TO {role}")
    await admin.execute(f"ALTER ROLE {role} SET default_transaction_read_only = on")
    dsn = as_application(admin_dsn.replace("postgres@/", f"{role}@/"))
    through = await Database.open(dsn, max_connections=3)
    states = PostgresStateStore(through, SystemClock())
    try:
        await asyncio.gather(*(states.get(scope) for _ in range(3)))  # three connections are open
        with pytest.raises(DatabaseUnavailable) as caught:
            await states.put(scope, "halted", now=SystemClock().now())
        assert str(caught.value) == "the database does not answer"
        assert caught.value.reason.startswith("ReadOnlySQLTransactionError")

        await admin.execute(f"ALTER ROLE {role} RESET default_transaction_read_only")
        with suppress(DatabaseUnavailable):  # the pool may have connected again before that
            await states.put(scope, "on", now=SystemClock().now())
        for mode in ("halted", "on", "halted"):
            await states.put(scope, mode, now=SystemClock().now())
    finally:
        await through.aclose()
        await admin.execute(f"DROP ROLE {role}")
        await admin.close()


async def test_an_address_that_does_not_answer_is_named_in_the_log_alone() -> None:
    dsn = "postgresql://somebody@127.0.0.1:9/nowhere"
    with pytest.raises(DatabaseUnavailable) as caught:
        await Database.open(dsn, max_connections=1)
    assert str(caught.value) == "the database does not answer"
    assert "127.0.0.1" in caught.value.reason
