"""How commands reach the memory, or the database below it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from recollect.engines.postgres.connection.database import normalise
from recollect.engines.postgres.embedded import running_server
from recollect.memory import Memory
from recollect.settings import Settings, load_settings

Result = TypeVar("Result")


def with_memory(work: Callable[[Memory, Settings], Awaitable[Result]]) -> Result:
    """Open the memory that the settings name, do one thing with it, and close it."""
    settings = load_settings()

    async def run() -> Result:
        async with Memory.open(settings) as memory:
            return await work(memory, settings)

    return asyncio.run(run())


@asynccontextmanager
async def administered(settings: Settings) -> AsyncIterator[str]:
    """The connection string as the settings give it, the embedded server running meanwhile."""
    if settings.db_connection_string is not None:
        yield normalise(settings.db_connection_string.get_secret_value())
        return
    async with running_server(settings.home) as dsn:
        yield dsn
