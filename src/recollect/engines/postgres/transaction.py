"""A transaction that is bound to whom it serves."""

from contextlib import suppress
from types import TracebackType

import asyncpg

from recollect.engines.postgres.faults import translated, unavailable


class Transaction:
    """A connection for the time of an `async with`; it commits at the end, or undoes everything.

    A class and no generator: every write of every request goes through here.
    """

    __slots__ = ("_connection", "_pool", "_settings")

    def __init__(self, pool: asyncpg.Pool, settings: str) -> None:
        self._pool = pool
        self._settings = settings
        self._connection: asyncpg.Connection | None = None

    async def __aenter__(self) -> asyncpg.Connection:
        """Begin and bind in one round trip.

        The simple protocol binds no parameters: the settings are written from a UUID or a time,
        whose texts hold digits, letters and signs of their own whatever anybody sent.
        """
        with translated():
            connection = await self._pool.acquire()
            try:
                await connection.execute(f"BEGIN; {self._settings}")
            except BaseException:
                await self._pool.release(connection)
                raise
        self._connection = connection
        return connection

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Commit, or after an error roll back; either way the connection goes back."""
        assert self._connection is not None  # noqa: S101  # entered before
        connection, self._connection = self._connection, None
        try:
            if error is None:
                with translated():
                    await connection.execute("COMMIT")
            elif not connection.is_closed():
                with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                    # Where it fails the connection is gone, and with it what was begun.
                    await connection.execute("ROLLBACK")
        finally:
            await self._pool.release(connection)
        reported = None if error is None else unavailable(error)
        if reported is not None:
            raise reported from error
