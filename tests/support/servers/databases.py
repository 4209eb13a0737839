"""Databases of a test's own on the shared server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import asyncpg

from recollect.engines.postgres.migrations import migrate


@asynccontextmanager
async def own_database(admin_dsn: str, purpose: str) -> AsyncIterator[str]:
    """A database with the schema that nobody else works on; its connection string."""
    name = f"{purpose}_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    try:
        await admin.execute(f"CREATE DATABASE {name}")
        dsn = admin_dsn.replace("@/postgres?", f"@/{name}?")
        await migrate(dsn)
        yield dsn
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await admin.close()
