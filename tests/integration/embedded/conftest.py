import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncpg
import pytest

from recollect.engines.postgres.embedded import EmbeddedServer

Ask = Callable[[str, str], object]


@pytest.fixture
def home(open_folder: Path) -> Iterator[Path]:
    """A folder of its own, whose server is gone when the test ends."""
    folder = open_folder / "home"
    yield folder
    server = EmbeddedServer(folder)
    if server.is_running():
        server.start()
        server.stop()


@pytest.fixture
def ask() -> Ask:
    """Ask a server for one value."""

    async def fetch(dsn: str, question: str) -> object:
        connection = await asyncpg.connect(dsn)
        try:
            return await connection.fetchval(question)
        finally:
            await connection.close()

    return lambda dsn, question: asyncio.run(fetch(dsn, question))
