"""Connections to PostgreSQL: the pool, and the probe of whether it answers."""

import asyncio
from contextlib import suppress
from typing import Final

import asyncpg

from recollect.engines.postgres.connection.error_mapping import is_broken

_GONE: Final = (
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
_RECOVERY_SECONDS: Final = 5
_CLOSE_SECONDS: Final = 10
_FULL_SECONDS: Final = 60
_ANSWER_SECONDS: Final = 0.8
_PROBE_SECONDS: Final = 10
_PROBE_SETTINGS: Final = {"application_name": "recollect readiness"}


class ConnectionPool:
    """The driver's pool, and in front of it the connections whose last use went well.

    The driver's pool cleans each connection that comes back, in a task of its own: a third to a
    half of a read's time in this process. What has run to its end here has nothing to clean, for
    everything we set is bound to a transaction; it goes straight to the next user. What failed or
    was cancelled goes back to the driver's pool, and so does once a minute what lies idle, so that
    its limits of age hold. What has broken, or does not come to rest after a cancelled statement,
    is closed. See docs/decisions/0029-what-the-driver-does-not-do.md.
    """

    def __init__(self, pool: asyncpg.Pool, *, sweep_seconds: float = 60) -> None:
        self._pool = pool
        self._sweep_seconds = sweep_seconds
        self._idle: list[asyncpg.Connection] = []
        self._waiting = 0
        self._is_closing = False
        self._timer: asyncio.TimerHandle | None = None
        self._sweeping: asyncio.Task[None] | None = None
        self._recovering: set[asyncio.Task[None]] = set()
        self._full_at: float | None = None

    @property
    def were_refused_space(self) -> bool:
        """Whether PostgreSQL said within the last minute that its disk is full."""
        now = asyncio.get_running_loop().time()
        return self._full_at is not None and now - self._full_at < _FULL_SECONDS

    def use(self) -> dict[str, int]:
        """How many connections are busy and idle, and how many users wait for one."""
        idle = self._pool.get_idle_size() + len(self._idle)
        return {"busy": self._pool.get_size() - idle, "idle": idle, "wanted": self._waiting}

    async def take(self) -> asyncpg.Connection:
        """A connection for one use; waits while all are taken."""
        while self._idle:
            connection = self._idle.pop()
            if _is_open(connection):
                return connection
            _throw_away(connection)
        self._waiting += 1
        try:
            return await self._pool.acquire()
        finally:
            self._waiting -= 1

    async def give_back(self, connection: asyncpg.Connection) -> None:
        """End a use that went well: the last statement has ended, outside a transaction."""
        if self._waiting or self._is_closing or not _is_open(connection):
            with suppress(*_GONE):  # what was done with it is done
                await self._pool.release(connection)
            return
        self._idle.append(connection)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._sweep_seconds, self._begin_sweep)

    async def recover(
        self, connection: asyncpg.Connection, error: BaseException, *, rolls_back: bool = False
    ) -> None:
        """End a use that failed of this error; what can still be used goes back to the pool.

        PostgreSQL may not listen when it is told to cancel a statement: that happens in a task,
        for which the user does not wait.
        """
        if isinstance(error, asyncpg.DiskFullError):
            self._full_at = asyncio.get_running_loop().time()
        if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
            # After a fail-over: what is open leads to a server that became read-only.
            idle, self._idle = self._idle, []
            for one in idle:
                _throw_away(one)
            await self._pool.expire_connections()
        if is_broken(error):
            _throw_away(connection)
            return
        recovering = asyncio.create_task(self._reset(connection, rolls_back=rolls_back))
        self._recovering.add(recovering)
        recovering.add_done_callback(self._recovering.discard)
        if not isinstance(error, (asyncio.CancelledError, TimeoutError)):
            await asyncio.shield(recovering)

    async def fetch(self, statement: str, *arguments: object) -> list[asyncpg.Record]:
        """Run one statement, its own transaction."""
        connection = await self.take()
        try:
            records: list[asyncpg.Record] = await connection.fetch(statement, *arguments)
        except BaseException as error:
            await self.recover(connection, error)
            raise
        await self.give_back(connection)
        return records

    async def close(self) -> None:
        """Let running work finish, then close every connection; after a while in any case."""
        self._is_closing = True
        if self._timer is not None:
            self._timer.cancel()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                if self._sweeping is not None:
                    await self._sweeping
                while self._recovering:
                    await asyncio.wait(self._recovering)
                await self._sweep()
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    async def _reset(self, connection: asyncpg.Connection, *, rolls_back: bool) -> None:
        try:
            async with asyncio.timeout(_RECOVERY_SECONDS):
                if rolls_back:
                    await connection.execute("ROLLBACK")
                await self._pool.release(connection)
        except _GONE:
            _throw_away(connection)

    def _begin_sweep(self) -> None:
        self._timer = None
        self._sweeping = asyncio.create_task(self._sweep())

    async def _sweep(self) -> None:
        """Give what is idle back to the driver's pool, which closes what is too old or unused."""
        idle, self._idle = self._idle, []
        for connection in idle:
            await self._reset(connection, rolls_back=False)


def _is_open(connection: asyncpg.Connection) -> bool:
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:  # broken while it lay idle, and taken back by the pool
        return False


def _throw_away(connection: asyncpg.Connection) -> None:
    with suppress(asyncpg.InterfaceError):  # the pool may have taken it back already
        connection.terminate()


class Probe:
    """Asks PostgreSQL whether it answers, by a connection of its own, made when first asked.

    Those of the pool may all be at work, or wait without an end for a server that hangs.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._connection: asyncpg.Connection | None = None
        self._asking: asyncio.Task[None] | None = None

    async def ask(self) -> None:
        """Return once PostgreSQL has answered; raise what the driver does if it has not in time.

        All who ask at the same time wait for one answer. Who gives up leaves it to the next: on a
        busy machine a new connection may take longer than that.
        """
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
            self._asking.add_done_callback(self._forget)
        async with asyncio.timeout(_ANSWER_SECONDS):
            await asyncio.shield(self._asking)

    def close(self) -> None:
        """Hang up."""
        if self._asking is not None:
            self._asking.cancel()
        self._hang_up()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    def _forget(self, asking: asyncio.Task[None]) -> None:
        self._asking = None
        if not asking.cancelled():
            asking.exception()  # seen by those who wait; they may have gone

    async def _ask(self) -> None:
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                await self._select()
        except BaseException:
            self._hang_up()
            raise

    async def _select(self) -> None:
        if self._connection is not None and not self._connection.is_closed():
            with suppress(*_GONE):
                # A connection that broke since it was last used says nothing of the server now.
                await self._connection.execute("SELECT")
                return
        self._hang_up()
        self._connection = await asyncpg.connect(self._dsn, server_settings=_PROBE_SETTINGS)
        await self._connection.execute("SELECT")
