"""Transactions, and what must be set in each of them."""

from collections.abc import Sequence
from types import TracebackType
from uuid import UUID

import asyncpg
from asyncpg import Connection

from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.error_mapping import translated, unavailable
from recollect.engines.postgres.connection.pool import ConnectionPool
from recollect.engines.postgres.sql import statement


async def switch_messages(
    connection: Connection,
    scope: Scope,
    session_id: UUID,
    *,
    shown: Sequence[UUID] = (),
    hidden: Sequence[UUID] = (),
    first: int,
) -> None:
    """Show some messages of a locked session and hide others; `first` is the lowest number.

    A summary that tells of another branch is dropped.
    """
    owner = scope.owner_id
    await connection.execute(
        *statement(
            "switch_messages", owner_id=owner, session_id=session_id, shown=shown, hidden=hidden
        )
    )
    await connection.execute(
        *statement(
            "delete_stale_summaries", owner_id=owner, session_ids=[session_id], first_gone=[first]
        )
    )
    await connection.execute(
        *statement("recount_sessions", owner_id=owner, session_ids=[session_id])
    )


class Transaction:
    """A connection for the time of an `async with`; it commits at the end, or undoes everything.

    A class and no generator, which takes longer: most requests that change something come here.
    """

    __slots__ = ("_connection", "_connections", "_settings")

    def __init__(self, connections: ConnectionPool, settings: str) -> None:
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
