"""The pool of connections to PostgreSQL."""

import asyncio
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from contextvars import Context
from typing import Final

import asyncpg

from recollect.engines.postgres.connection.error_mapping import CONNECTION_ERRORS, is_broken

_OPEN_DELAY_SECONDS: Final = 0.02
"""How long the first waiter waits for a connection in use before another one is opened."""
_RECOVERY_SECONDS: Final = 5
_CLOSE_SECONDS: Final = 10
_FULL_SECONDS: Final = 60
_EXPIRY_SECONDS: Final = 120
"""Longer than a statement may take: what was in use when connections expired is back by then."""


class ConnectionPool:
    """The driver's pool, and in front of it the connections whose last use went well.

    The driver's pool cleans each connection that comes back, in a task of its own: a third to a
    half of a read's time in this process. What has run to its end here has nothing to clean, for
    everything we set is bound to a transaction; it goes straight to the next user. What failed or
    was cancelled goes back to the driver's pool, and so does once a minute what lies idle, so that
    its limits of age hold. What has broken, or does not come to rest after a cancelled statement,
    is closed. See docs/decisions/0029-what-the-driver-does-not-do.md.

    Connections are opened one after the other, and only while users wait who have not got one that
    came back. See docs/decisions/0058-connections-are-opened-one-by-one.md.
    """

    def __init__(
        self,
        pool: asyncpg.Pool,
        *,
        sweep_seconds: float = 60,
        open_delay_seconds: float = _OPEN_DELAY_SECONDS,
    ) -> None:
        self._pool = pool
        self._sweep_seconds = sweep_seconds
        self._open_delay_seconds = open_delay_seconds
        self._idle: list[asyncpg.Connection] = []
        self._waiters: deque[asyncio.Future[asyncpg.Connection]] = deque()
        self._opening: asyncio.Task[None] | None = None
        self._is_closing = False
        self._timer: asyncio.TimerHandle | None = None
        self._sweeping: asyncio.Task[None] | None = None
        self._recovering: set[asyncio.Task[None]] = set()
        self._full_at: float | None = None
        self._expired_at: float | None = None

    @property
    def were_refused_space(self) -> bool:
        """Whether PostgreSQL said within the last minute that its disk is full."""
        now = asyncio.get_running_loop().time()
        return self._full_at is not None and now - self._full_at < _FULL_SECONDS

    def use(self) -> dict[str, int]:
        """How many connections are busy and idle, and how many users wait for one."""
        idle = self._pool.get_idle_size() + len(self._idle)
        return {"busy": self._pool.get_size() - idle, "idle": idle, "wanted": self._wanted}

    async def take(self) -> asyncpg.Connection:
        """A connection for one use; waits while all are taken."""
        while self._idle:
            connection = self._idle.pop()
            if _is_open(connection):
                return connection
            _throw_away(connection)
        if self._is_closing or (self._pool.get_idle_size() and not self._wanted):
            return await self._pool.acquire()
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        if self._opening is None:
            # An empty context: the connection also serves others than the caller.
            self._opening = asyncio.create_task(self._open_while_wanted(), context=Context())
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                with suppress(ValueError):  # it was passed over at the same moment
                    self._waiters.remove(waiter)
            elif waiter.exception() is None:  # it got a connection at the same moment
                await self.give_back(waiter.result())
            raise

    async def give_back(self, connection: asyncpg.Connection) -> None:
        """End a use that went well: the last statement has ended, outside a transaction."""
        if _is_open(connection) and not self._expired_recently:
            await self._pass_on(connection)
            return
        with suppress(*CONNECTION_ERRORS):  # what was done with it is done
            await self._pool.release(connection)
        await self._serve_from_driver()

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
            self._expired_at = asyncio.get_running_loop().time()
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
        if self._opening is not None and not self._wanted:
            self._opening.cancel()  # else the driver would wait for what it opens
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
        finally:
            if self._opening is not None:
                self._opening.cancel()
            self._refuse(tuple(self._waiters), asyncpg.InterfaceError("pool is closed"))

    @property
    def _expired_recently(self) -> bool:
        """Whether one that is in use may lead to a server that became read-only.

        The driver knows which do, and closes them.
        """
        if self._expired_at is None:
            return False
        return asyncio.get_running_loop().time() - self._expired_at < _EXPIRY_SECONDS

    @property
    def _wanted(self) -> int:
        """How many users wait for a connection."""
        return sum(not waiter.done() for waiter in self._waiters)

    async def _open_while_wanted(self) -> None:
        """Get one connection after the other of the driver's pool, as long as users wait."""
        try:
            while self._wanted:
                first = next(waiter for waiter in self._waiters if not waiter.done())
                if self._pool.get_size():  # all of them are in use, and may come back
                    await asyncio.sleep(self._open_delay_seconds)
                if not first.done():
                    await self._open_one()
        finally:
            self._opening = None

    async def _open_one(self) -> None:
        """Get a connection for the user who waits longest; tell those who wait if there is none."""
        waiters = tuple(self._waiters)
        try:
            connection = await self._pool.acquire()
        except Exception as error:  # noqa: BLE001  # whatever it is, they must be told
            self._refuse(waiters, error)
        else:
            await self._pass_on(connection)

    def _refuse(
        self, waiters: Iterable[asyncio.Future[asyncpg.Connection]], error: Exception
    ) -> None:
        """Raise the error in those of them that still wait."""
        for waiter in waiters:
            if not waiter.done():
                waiter.set_exception(error)
        self._waiters = deque(waiter for waiter in self._waiters if not waiter.done())

    async def _serve_from_driver(self) -> None:
        """Pass on what the driver's pool has got back, if a user waits."""
        if self._wanted and self._pool.get_idle_size():
            with suppress(*CONNECTION_ERRORS):  # another one is being opened for those who wait
                await self._pass_on(await self._pool.acquire())

    async def _pass_on(self, connection: asyncpg.Connection) -> None:
        """Give a connection to the user who waits longest, or keep it for the next one."""
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return
        if self._is_closing:
            with suppress(*CONNECTION_ERRORS):
                await self._pool.release(connection)
            return
        self._idle.append(connection)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._sweep_seconds, self._begin_sweep)

    async def _reset(self, connection: asyncpg.Connection, *, rolls_back: bool) -> None:
        try:
            async with asyncio.timeout(_RECOVERY_SECONDS):
                if rolls_back:
                    await connection.execute("ROLLBACK")
                await self._pool.release(connection)
        except CONNECTION_ERRORS:
            _throw_away(connection)
        await self._serve_from_driver()

    def _begin_sweep(self) -> None:
        self._timer = None
        self._sweeping = asyncio.create_task(self._sweep())

    async def _sweep(self) -> None:
        """Give what is idle back to the driver's pool, which closes what is too old or unused.

        What was used last comes last, and is there for users until then.
        """
        for _ in range(len(self._idle)):
            if self._idle:
                await self._reset(self._idle.pop(0), rolls_back=False)


def _is_open(connection: asyncpg.Connection) -> bool:
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:  # broken while it lay idle, and taken back by the pool
        return False


def _throw_away(connection: asyncpg.Connection) -> None:
    with suppress(asyncpg.InterfaceError):  # the pool may have taken it back already
        connection.terminate()
