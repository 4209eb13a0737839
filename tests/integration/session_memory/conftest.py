"""Databases of their own, for tests that run workers and clean-ups at the real time."""

from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest_asyncio

from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.engines.postgres.migrations import migrate
from recollect.ports import Stores
from recollect.system import SystemClock


@pytest_asyncio.fixture(scope="session")
async def template(admin_dsn: str) -> AsyncIterator[str]:
    """The name of a database with the schema and nothing else, to be copied."""
    name = f"template_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    await migrate(admin_dsn.replace("@/postgres?", f"@/{name}?"))
    yield name
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest_asyncio.fixture
async def own_dsn(admin_dsn: str, template: str) -> AsyncIterator[str]:
    """A database that nobody else works on."""
    name = f"test_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    yield admin_dsn.replace("@/postgres?", f"@/{name}?")
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest_asyncio.fixture
async def own_stores(own_dsn: str) -> AsyncIterator[Stores]:
    """The stores of a database that nobody else works on."""
    async with open_external(own_dsn, max_connections=5) as database:
        yield postgres_stores(database, SystemClock())
