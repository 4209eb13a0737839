"""Real servers on loopback: one for local use, one that asks for API keys."""

from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from recollect.engines.postgres.connection.database import Database
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.services.services import Services
from recollect.settings import load_settings
from support.http.bad_requests import Bystander
from support.http.callers import Caller, Tenant
from support.servers.http_servers import serving
from support.timeouts import PATIENCE


@pytest_asyncio.fixture(scope="session")
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """Connections to all servers."""
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as opened:
        yield opened


@pytest_asyncio.fixture(scope="session")
async def local(memory: Memory, client: httpx.AsyncClient) -> AsyncIterator[Caller]:
    """The one user of a server without credentials; tests share it, each in its own session."""
    settings = load_settings(tenant=f"local-{uuid4()}")
    async with serving(create_app(memory, settings)) as url:
        yield Caller(client=client, url=url)


@pytest_asyncio.fixture(scope="session")
async def anonymous(memory: Memory, client: httpx.AsyncClient) -> AsyncIterator[Caller]:
    """A caller without credentials of a server that asks for API keys."""
    settings = load_settings(user_id_source="api_key")
    async with serving(create_app(memory, settings)) as url:
        yield Caller(client=client, url=url)


@pytest.fixture
def tenant(anonymous: Caller, services: Services) -> Tenant:
    """A tenant that nobody else has."""
    return Tenant(server=anonymous, services=services)


@pytest.fixture
def other_tenant(anonymous: Caller, services: Services) -> Tenant:
    """Another one."""
    return Tenant(server=anonymous, services=services)


@pytest_asyncio.fixture
async def alice(tenant: Tenant) -> Caller:
    """A user with an empty memory."""
    return await tenant.user("alice")


@pytest_asyncio.fixture
async def operator(tenant: Tenant) -> Caller:
    """The program that Alice speaks to, acting for her."""
    return (await tenant.service()).with_headers({"X-Memory-User": "alice"})


@pytest_asyncio.fixture(scope="session")
async def shared_bystander(anonymous: Caller, services: Services, database: Database) -> Bystander:
    """A user with one exchange, for all tests that must leave it alone."""
    tenant = Tenant(server=anonymous, services=services)
    alice = await tenant.user("alice")
    session = await alice.start_session(name="Sales")
    question = await alice.add(session, "Sales?")
    await alice.add(session, "2.5M", role="assistant")
    return Bystander(
        caller=alice,
        database=database,
        owner_id=tenant.scope("alice").owner_id,
        session_id=session["session_id"],
        message_id=question["message_id"],
    )


@pytest_asyncio.fixture
async def bystander(shared_bystander: Bystander) -> AsyncIterator[Bystander]:
    """Somebody whose memory must be after the test what it was before."""
    before = await shared_bystander.rows()
    yield shared_bystander
    assert await shared_bystander.rows() == before
