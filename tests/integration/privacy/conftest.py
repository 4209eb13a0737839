"""A database of its own, since a worker erases for all owners."""

from collections.abc import AsyncIterator

import asyncpg
import pytest_asyncio

from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import open_external
from support.servers.databases import own_database


@pytest_asyncio.fixture(scope="module")
async def own_dsn(admin_dsn: str) -> AsyncIterator[str]:
    """A database that nobody else works on."""
    async with own_database(admin_dsn, "privacy") as dsn:
        yield dsn


@pytest_asyncio.fixture(scope="module", name="own_database")
async def connected_database(own_dsn: str) -> AsyncIterator[Database]:
    """Connections to it, as the role the server works as."""
    async with open_external(own_dsn, max_connections=10) as database:
        yield database


@pytest_asyncio.fixture
async def administrator(own_dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection that sees everybody's rows."""
    connection = await asyncpg.connect(own_dsn)
    yield connection
    await connection.close()
