"""The program that users start, with its worker, on a database of its own."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import httpx
import pytest
import pytest_asyncio

from recollect.composition import build_services
from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.engines.postgres.migrations import migrate
from recollect.models.tokens import token_counter_for
from recollect.services.services import ServiceDependencies, Services
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds, SystemClock
from support.http.callers import Caller, Tenant
from support.servers.http_servers import ServerProgram
from support.timeouts import PATIENCE


@pytest_asyncio.fixture(scope="session")
async def own_dsn(admin_dsn: str) -> AsyncIterator[str]:
    """A database that nobody but these tests works on."""
    name = f"recalling_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    dsn = admin_dsn.replace("@/postgres?", f"@/{name}?")
    await migrate(dsn)
    yield dsn
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest_asyncio.fixture(scope="session")
async def keys(own_dsn: str) -> AsyncIterator[Services]:
    """The use cases on that database, for making keys; they do no work."""
    around = ServiceDependencies(
        clock=SystemClock(), ids=RandomIds(), counter_for=token_counter_for, sql=SqlglotReader()
    )
    async with open_external(own_dsn, max_connections=2) as database:
        yield build_services(postgres_stores(database, SystemClock()), around)


@pytest_asyncio.fixture(scope="session")
async def server(own_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Caller]:
    """The server of that database, called without credentials."""
    program = ServerProgram(
        tmp_path_factory.mktemp("home"),
        env={"MEMORY_DB_CONNECTION_STRING": own_dsn, "MEMORY_USER_ID_SOURCE": "api_key"},
    )
    await asyncio.to_thread(program.start)
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
        yield Caller(client=client, url=program.url)
    await asyncio.to_thread(program.stop)


@pytest.fixture
def tenant(server: Caller, keys: Services) -> Tenant:
    """A tenant that nobody else has."""
    return Tenant(server=server, services=keys)


@pytest_asyncio.fixture
async def alice(tenant: Tenant) -> Caller:
    """A user with an empty memory."""
    return await tenant.user("alice")
