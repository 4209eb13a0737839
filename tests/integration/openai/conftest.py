"""A server that passes requests on to a double of an endpoint."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
import pytest_asyncio

from recollect.ports import Stores
from support.http.callers import Tenant
from support.servers.openai_proxy import NumberingDouble, Stage, staged
from support.timeouts import PATIENCE


@pytest_asyncio.fixture(scope="session")
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """Connections to all servers."""
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as opened:
        yield opened


@pytest_asyncio.fixture(scope="session")
async def shared_stage(stores: Stores, client: httpx.AsyncClient) -> AsyncIterator[Stage]:
    """One server for all tests."""
    async with staged(stores, client) as stage:
        yield stage


@pytest.fixture
def stage(shared_stage: Stage) -> Stage:
    """The server with a tenant that nobody else has, and an endpoint that was asked nothing."""
    shared_stage.double.requests.clear()
    tenant = Tenant(server=shared_stage.tenant.server, services=shared_stage.services)
    return replace(shared_stage, tenant=tenant)


@pytest.fixture
def double(stage: Stage) -> NumberingDouble:
    """The endpoint."""
    return stage.double
