import asyncio
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest

Ask = Callable[[str, str], object]


@pytest.fixture
def home(new_home: Path) -> Path:
    """A folder of its own, whose server is gone when the test ends."""
    return new_home


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
