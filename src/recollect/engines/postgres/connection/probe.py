"""Whether PostgreSQL answers, asked by a connection of its own."""

import asyncio
from contextlib import suppress
from typing import Final

import asyncpg

from recollect.engines.postgres.connection.error_mapping import CONNECTION_ERRORS

_ANSWER_SECONDS: Final = 0.8
_PROBE_SECONDS: Final = 10
_PROBE_SETTINGS: Final = {"application_name": "recollect readiness"}


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
            with suppress(*CONNECTION_ERRORS):
                # A connection that broke since it was last used says nothing of the server now.
                await self._connection.execute("SELECT")
                return
        self._hang_up()
        self._connection = await asyncpg.connect(self._dsn, server_settings=_PROBE_SETTINGS)
        await self._connection.execute("SELECT")
