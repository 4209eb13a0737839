"""A database of its own, since whoever indexes does so for all owners."""

from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest_asyncio

from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.engines.postgres.migrations import migrate
from recollect.ports import Stores
from recollect.system import SystemClock


@pytest_asyncio.fixture
async def own_dsn(admin_dsn: str) -> AsyncIterator[str]:
    """A database that nobody else works on."""
    name = f"indexing_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    dsn = admin_dsn.replace("@/postgres?", f"@/{name}?")
    await migrate(dsn)
    yield dsn
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest_asyncio.fixture
async def own_stores(own_dsn: str) -> AsyncIterator[Stores]:
    """The stores of that database."""
    async with open_external(own_dsn, max_connections=5) as database:
        yield postgres_stores(database, SystemClock())
