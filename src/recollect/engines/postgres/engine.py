"""The whole engine: a server, its schema brought up to date, and connections to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg

from recollect.engines.postgres.connection.addresses import APP_ROLE, as_application, normalise
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.connection.error_mapping import translated
from recollect.engines.postgres.connection.migrate import ensure_current
from recollect.engines.postgres.embedded import running_server


@asynccontextmanager
async def open_embedded(home: Path, *, max_connections: int) -> AsyncIterator[Database]:
    """Work on the embedded server of a folder, starting it if need be."""
    async with running_server(home) as dsn:
        await ensure_current(dsn)
        await _let_application_log_in(dsn)
        application = as_application(dsn, logs_in=True)
        async with _connected(application, max_connections) as database:
            yield database


@asynccontextmanager
async def open_external(dsn: str, *, max_connections: int) -> AsyncIterator[Database]:
    """Work on a server of the user's own."""
    dsn = normalise(dsn)
    await ensure_current(dsn)
    async with _connected(as_application(dsn), max_connections) as database:
        yield database


@asynccontextmanager
async def _connected(dsn: str, max_connections: int) -> AsyncIterator[Database]:
    database = await Database.open(dsn, max_connections=max_connections)
    try:
        yield database
    finally:
        await database.close()


async def _let_application_log_in(dsn: str) -> None:
    """Let the role in by itself, for here nobody but us can reach the socket."""
    with translated():
        connection = await asyncpg.connect(dsn)
        try:
            await connection.execute(f"ALTER ROLE {APP_ROLE} LOGIN")
        finally:
            await connection.close()
