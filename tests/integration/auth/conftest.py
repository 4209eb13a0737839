"""Servers with the settings that a test asks for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
import pytest_asyncio

from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.services.services import Services
from recollect.settings import load_settings
from support.http.callers import Caller, Serve, Tenant
from support.servers.http_servers import serving
from support.timeouts import PATIENCE


@pytest_asyncio.fixture(scope="session")
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """Connections to all servers."""
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as opened:
        yield opened


@pytest.fixture(scope="session")
def serve(memory: Memory, client: httpx.AsyncClient) -> Serve:
    """Start a server with settings; a caller of it without credentials."""

    @asynccontextmanager
    async def served(**settings: object) -> AsyncIterator[Caller]:
        async with serving(create_app(memory, load_settings(**settings))) as url:
            yield Caller(client=client, url=url)

    return served


@pytest_asyncio.fixture(scope="session")
async def keyed(serve: Serve) -> AsyncIterator[Caller]:
    """A server that asks for API keys."""
    async with serve(user_id_source="api_key") as caller:
        yield caller


@pytest.fixture
def tenant(keyed: Caller, services: Services) -> Tenant:
    """A tenant that nobody else has."""
    return Tenant(server=keyed, services=services)


@pytest.fixture
def other_tenant(keyed: Caller, services: Services) -> Tenant:
    """Another one."""
    return Tenant(server=keyed, services=services)
