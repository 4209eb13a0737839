"""Servers with a dashboard, and programs that call it as browsers do."""

from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest_asyncio

from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import TenantScope
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.services.services import Services
from recollect.settings import load_settings
from support.servers.http_servers import serving
from support.timeouts import PATIENCE


@pytest_asyncio.fixture
async def local(memory: Memory) -> AsyncIterator[httpx.AsyncClient]:
    """A browser of the local user."""
    app = create_app(memory, load_settings(tenant=f"tenant-{uuid4()}"))
    async with (
        serving(app) as url,
        httpx.AsyncClient(base_url=url, timeout=PATIENCE, trust_env=False) as client,
    ):
        yield client


@pytest_asyncio.fixture(scope="module")
async def keyed(memory: Memory) -> AsyncIterator[str]:
    """The address of a server that asks for API keys."""
    async with serving(create_app(memory, load_settings(user_id_source="api_key"))) as url:
        yield url


@pytest_asyncio.fixture
async def visitor(keyed: str) -> AsyncIterator[httpx.AsyncClient]:
    """A browser in which nobody has signed in."""
    async with httpx.AsyncClient(base_url=keyed, timeout=PATIENCE, trust_env=False) as client:
        yield client


@pytest_asyncio.fixture
async def key(services: Services) -> str:
    """A user's key of a tenant that nobody else has."""
    scope = TenantScope(tenant=f"tenant-{uuid4()}", actor="test")
    _, text = await services.api_keys.create(
        scope, name="a key", scopes=[KeyScope.USER], user="alice"
    )
    return text
