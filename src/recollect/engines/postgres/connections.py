"""Connections, the ones used last at hand for the next use."""

import asyncio
from contextlib import suppress
from typing import Final

import asyncpg

_CLOSE_SECONDS: Final = 10.0
_GONE: Final = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError)


class Connections:
    """The driver's pool, and in front of it the connections whose last use went well.

    The pool cleans every connection that comes back, in a task of its own: a quarter of the time
    of a read. What has run to its end here has nothing to clean, for everything we set is bound
    to a transaction; it goes straight to the next user. What failed or was cancelled goes back
    to the pool, and so does once a minute what lies idle: the pool's own limits stay in force.
    """

    __slots__ = (
        *("_idle", "_is_closing", "_pool", "_sweep_seconds"),
        *("_sweeping", "_timer", "_waiting"),
    )

    def __init__(self, pool: asyncpg.Pool, *, sweep_seconds: float = 60) -> None:
        self._pool = pool
        self._sweep_seconds = sweep_seconds
        self._idle: list[asyncpg.Connection] = []
        self._waiting = 0
        self._is_closing = False
        self._timer: asyncio.TimerHandle | None = None
        self._sweeping: asyncio.Task[None] | None = None

    async def take(self) -> asyncpg.Connection:
        """A connection for one use; waits while all are taken."""
        while self._idle:
            connection = self._idle.pop()
            if _is_open(connection):
                return connection
            await self._pool.release(connection)
        self._waiting += 1
        try:
            return await self._pool.acquire()
        finally:
            self._waiting -= 1

    async def give_back(self, connection: asyncpg.Connection, *, is_clean: bool) -> None:
        """End a use; clean is a connection whose last statement ended, outside a transaction."""
        if not is_clean or self._waiting or self._is_closing:
            await self._pool.release(connection)
            return
        self._idle.append(connection)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._sweep_seconds, self._begin_sweep)

    async def fetch(
        self, statement: str, *arguments: object, within: float | None = None
    ) -> list[asyncpg.Record]:
        """Run one statement, its own transaction, within so many seconds where they are given."""
        connection = await self.take()
        is_clean = False
        try:
            records: list[asyncpg.Record] = await connection.fetch(
                statement, *arguments, timeout=within
            )
            is_clean = True
        finally:
            await self.give_back(connection, is_clean=is_clean)
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
                await self._sweep()
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    def _begin_sweep(self) -> None:
        self._timer = None
        self._sweeping = asyncio.create_task(self._sweep())

    async def _sweep(self) -> None:
        """Give what is idle back to the pool, which closes what it finds too old or unused."""
        idle, self._idle = self._idle, []
        for connection in idle:
            with suppress(*_GONE):  # a connection that breaks here is one fewer to keep
                await self._pool.release(connection)


def _is_open(connection: asyncpg.Connection) -> bool:
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:  # broken while it lay idle, and taken back by the pool
        return False
