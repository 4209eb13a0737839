"""A transaction that is bound to whom it serves."""

from types import TracebackType

import asyncpg

from recollect.engines.postgres.connections import Connections
from recollect.engines.postgres.faults import translated, unavailable


class Transaction:
    """A connection for the time of an `async with`; it commits at the end, or undoes everything.

    A class and no generator, which takes longer: most requests that change something come here.
    """

    __slots__ = ("_connection", "_connections", "_settings")

    def __init__(self, connections: Connections, settings: str) -> None:
        self._connections = connections
        self._settings = settings
        self._connection: asyncpg.Connection | None = None

    async def __aenter__(self) -> asyncpg.Connection:
        """Begin and bind in one round trip.

        The simple protocol binds no parameters: the settings are written from a UUID or a time,
        whose texts hold digits, letters and signs of their own whatever anybody sent.
        """
        with translated():
            connection = await self._connections.take()
            try:
                await connection.execute(f"BEGIN; {self._settings}")
            except BaseException as error:
                await self._connections.recover(connection, error, rolls_back=True)
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
        if error is None:
            with translated():
                await self._commit(connection)
            return
        await self._connections.recover(connection, error, rolls_back=True)
        reported = unavailable(error)
        if reported is not None:
            raise reported from error

    async def _commit(self, connection: asyncpg.Connection) -> None:
        try:
            await connection.execute("COMMIT")
        except BaseException as error:
            await self._connections.recover(connection, error, rolls_back=True)
            raise
        await self._connections.give_back(connection)
