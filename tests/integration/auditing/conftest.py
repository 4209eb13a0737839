"""A server that records every operation, and what it has recorded."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
import pytest_asyncio

from recollect.domain.identity.audit import AuditPolicy
from recollect.domain.policy import Policies
from recollect.ports import Stores
from support.http.callers import Tenant
from support.servers.openai_proxy import Stage, staged
from support.timeouts import PATIENCE


@pytest_asyncio.fixture(scope="session")
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """Connections to all servers."""
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as opened:
        yield opened


@pytest_asyncio.fixture(scope="session")
async def shared_stage(stores: Stores, client: httpx.AsyncClient) -> AsyncIterator[Stage]:
    """One server for all tests."""
    policies = Policies(audit=AuditPolicy(is_on=True), profile_keys=("colour",))
    async with staged(stores, client, policies=policies) as stage:
        yield stage
        await stage.services.settle()


@pytest.fixture
def stage(shared_stage: Stage) -> Stage:
    """The server with a tenant that nobody else has."""
    tenant = Tenant(server=shared_stage.tenant.server, services=shared_stage.services)
    return replace(shared_stage, tenant=tenant)
