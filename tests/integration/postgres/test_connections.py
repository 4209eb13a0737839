"""Connections that go from one user straight to the next, and those that may not."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from recollect.engines.postgres.connection import pool as pool_module
from recollect.engines.postgres.connection.pool import ConnectionPool

BACKEND_PID = "SELECT pg_backend_pid()"


@pytest_asyncio.fixture
async def pool(admin_dsn: str) -> AsyncIterator[asyncpg.Pool]:
    """The driver's pool, of two connections."""
    async with asyncpg.create_pool(admin_dsn, min_size=0, max_size=2) as opened:
        yield opened


@pytest_asyncio.fixture
async def connections(pool: asyncpg.Pool) -> AsyncIterator[ConnectionPool]:
    """The pool in front of that pool, closed at the end."""
    opened = ConnectionPool(pool)
    yield opened
    await opened.close()


async def backend_pid(connections: ConnectionPool) -> int:
    rows = await connections.fetch(BACKEND_PID)
    process: int = rows[0][0]
    return process


async def test_one_user_after_the_other_gets_the_same_connection(
    connections: ConnectionPool,
) -> None:
    assert len({await backend_pid(connections) for _ in range(5)}) == 1


async def test_more_users_than_connections_all_get_their_turn(connections: ConnectionPool) -> None:
    processes = await asyncio.gather(*(backend_pid(connections) for _ in range(20)))

    assert len(processes) == 20
    assert len(set(processes)) <= 2


async def test_a_waiting_user_gets_the_first_connection_that_is_free(
    connections: ConnectionPool,
) -> None:
    taken = [await connections.take(), await connections.take()]
    waiting = asyncio.create_task(backend_pid(connections))
    await asyncio.sleep(0)
    process = taken[0].get_server_pid()
    await connections.give_back(taken[0])

    assert await waiting == process
    await connections.give_back(taken[1])


async def test_while_one_may_come_back_no_other_connection_is_opened(pool: asyncpg.Pool) -> None:
    connections = ConnectionPool(pool, open_delay_seconds=60)
    taken = await connections.take()
    process = taken.get_server_pid()
    users = [asyncio.create_task(backend_pid(connections)) for _ in range(5)]
    await asyncio.sleep(0.05)
    assert connections.use() == {"busy": 1, "idle": 0, "wanted": 5}
    await connections.give_back(taken)

    assert await asyncio.gather(*users) == [process] * 5
    assert pool.get_size() == 1
    await connections.close()


async def test_a_connection_whose_use_failed_goes_to_the_next_user(pool: asyncpg.Pool) -> None:
    connections = ConnectionPool(pool, open_delay_seconds=60)
    taken = await connections.take()
    process = taken.get_server_pid()
    user = asyncio.create_task(backend_pid(connections))
    await asyncio.sleep(0)
    await connections.recover(taken, ValueError())

    assert await user == process
    assert pool.get_size() == 1
    await connections.close()


async def test_connections_are_opened_one_after_the_other(admin_dsn: str) -> None:
    opening, most = 0, 0

    async def connect(dsn: str, **options: object) -> asyncpg.Connection:
        nonlocal opening, most
        opening += 1
        most = max(most, opening)
        try:
            return await asyncpg.connect(dsn, **options)
        finally:
            opening -= 1

    async with asyncpg.create_pool(admin_dsn, min_size=0, max_size=5, connect=connect) as pool:
        connections = ConnectionPool(pool, open_delay_seconds=0)
        taken = await asyncio.gather(*(connections.take() for _ in range(5)))
        assert (len({one.get_server_pid() for one in taken}), most) == (5, 1)
        for one in taken:
            await connections.give_back(one)
        await connections.close()


async def test_all_who_wait_are_told_why_there_is_no_connection(admin_dsn: str) -> None:
    tries = 0

    async def connect(*_: object, **__: object) -> asyncpg.Connection:
        nonlocal tries
        tries += 1
        raise ConnectionRefusedError

    async with asyncpg.create_pool(admin_dsn, min_size=0, max_size=5, connect=connect) as pool:
        connections = ConnectionPool(pool)
        users = [asyncio.create_task(connections.take()) for _ in range(4)]
        errors = await asyncio.gather(*users, return_exceptions=True)
        assert [type(one) for one in errors] == [ConnectionRefusedError] * 4
        with pytest.raises(ConnectionRefusedError):
            await connections.take()
        assert tries == 2
        await connections.close()


async def test_who_came_after_a_try_had_begun_is_not_refused_with_it(admin_dsn: str) -> None:
    has_begun, may_fail = asyncio.Event(), asyncio.Event()

    async def connect(dsn: str, **options: object) -> asyncpg.Connection:
        if has_begun.is_set():
            return await asyncpg.connect(dsn, **options)
        has_begun.set()
        await may_fail.wait()
        raise ConnectionRefusedError

    async with asyncpg.create_pool(admin_dsn, min_size=0, max_size=5, connect=connect) as pool:
        connections = ConnectionPool(pool)
        early = asyncio.create_task(backend_pid(connections))
        await has_begun.wait()
        late = asyncio.create_task(backend_pid(connections))
        await asyncio.sleep(0)
        may_fail.set()

        assert await late
        with pytest.raises(ConnectionRefusedError):
            await early
        await connections.close()


async def test_a_connection_for_who_leaves_at_that_moment_goes_to_the_next(
    connections: ConnectionPool,
) -> None:
    taken = [await connections.take(), await connections.take()]
    gone, leaving, staying = (asyncio.create_task(connections.take()) for _ in range(3))
    await asyncio.sleep(0)
    gone.cancel()
    await connections.give_back(taken[0])
    leaving.cancel()  # it has the connection, and has not begun to use it

    assert (await staying).get_server_pid() == taken[0].get_server_pid()
    assert leaving.cancelled()
    assert gone.cancelled()
    await connections.give_back(taken[0])
    await connections.give_back(taken[1])
    assert connections.use() == {"busy": 0, "idle": 2, "wanted": 0}


async def test_what_was_in_use_at_a_fail_over_is_not_used_again(
    connections: ConnectionPool,
) -> None:
    written, read = await connections.take(), await connections.take()
    process = read.get_server_pid()
    await connections.recover(written, asyncpg.ReadOnlySQLTransactionError())
    await connections.give_back(read)

    assert process not in {await backend_pid(connections) for _ in range(3)}


async def test_closing_refuses_those_who_still_wait(
    pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "_CLOSE_SECONDS", 0.05)
    connections = ConnectionPool(pool)
    for _ in range(2):
        await connections.take()
    user = asyncio.create_task(connections.take())
    await asyncio.sleep(0)
    await connections.close()

    with pytest.raises(asyncpg.InterfaceError):
        await user


async def test_a_connection_that_broke_while_idle_is_replaced(
    connections: ConnectionPool, admin_dsn: str
) -> None:
    broken = await backend_pid(connections)
    administrator = await asyncpg.connect(admin_dsn)
    await administrator.execute("SELECT pg_terminate_backend($1, 5000)", broken)
    await administrator.close()

    assert await backend_pid(connections) != broken


async def test_a_cancelled_statement_ends_before_the_next_user_comes(
    connections: ConnectionPool,
) -> None:
    asleep = asyncio.create_task(connections.fetch("SELECT pg_sleep(60)"))
    while not await connections.fetch(  # noqa: ASYNC110  # another process falls asleep
        "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        " AND query = 'SELECT pg_sleep(60)'"
    ):
        await asyncio.sleep(0.01)
    asleep.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asleep

    assert len(await asyncio.gather(*(backend_pid(connections) for _ in range(4)))) == 4


@pytest.mark.filterwarnings("ignore:.*active transaction")
async def test_an_open_transaction_is_rolled_back_before_its_connection_is_reused(
    connections: ConnectionPool,
) -> None:
    used = await connections.take()
    process = used.get_server_pid()
    await used.execute(
        "BEGIN; SET LOCAL recollect.owner_id = 'x'; SELECT set_config('a.b', 'x', false)"
    )
    await connections.recover(used, ValueError())

    rows = await connections.fetch(
        "SELECT pg_backend_pid(), current_setting('recollect.owner_id', true),"
        " current_setting('a.b', true)"
    )
    assert rows[0][0] == process
    assert not any(rows[0][1:])


async def test_an_idle_connection_returns_to_the_pool(pool: asyncpg.Pool) -> None:
    connections = ConnectionPool(pool, sweep_seconds=0.01)
    for _ in range(2):
        process = await backend_pid(connections)
        while not pool.get_idle_size():  # noqa: ASYNC110  # the driver has no event for it
            await asyncio.sleep(0.01)
        assert await backend_pid(connections) == process
    await connections.close()


async def test_closing_the_pool_waits_for_connections_in_use(pool: asyncpg.Pool) -> None:
    connections = ConnectionPool(pool)
    await backend_pid(connections)
    used = await connections.take()
    closing = asyncio.create_task(connections.close())
    await asyncio.sleep(0)

    assert await used.fetchval("SELECT 1") == 1
    assert not closing.done()
    await connections.give_back(used)
    await closing
    with pytest.raises(asyncpg.InterfaceError):
        await backend_pid(connections)
