"""A database of its own, since a worker erases for all owners."""

from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest_asyncio

from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import open_external
from recollect.engines.postgres.migrations import migrate


@pytest_asyncio.fixture(scope="module")
async def own_dsn(admin_dsn: str) -> AsyncIterator[str]:
    """A database that nobody else works on."""
    name = f"privacy_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    dsn = admin_dsn.replace("@/postgres?", f"@/{name}?")
    await migrate(dsn)
    yield dsn
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest_asyncio.fixture(scope="module")
async def own_database(own_dsn: str) -> AsyncIterator[Database]:
    """Connections to it, as the role the server works as."""
    async with open_external(own_dsn, max_connections=10) as database:
        yield database


@pytest_asyncio.fixture
async def administrator(own_dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection that sees everybody's rows."""
    connection = await asyncpg.connect(own_dsn)
    yield connection
    await connection.close()
