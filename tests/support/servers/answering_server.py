"""A server with an answerer on the shared database, with settings chosen by the test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import httpx

from recollect.adapters import open_adapters
from recollect.composition import build_services
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.ports import Stores
from recollect.settings import load_settings
from support.http.callers import Caller
from support.servers.http_servers import serving
from support.timeouts import PATIENCE


@asynccontextmanager
async def answering_server(stores: Stores, **settings: object) -> AsyncIterator[Caller]:
    """A server built as `Memory.open` builds it, and a caller of it; nobody else has its tenant."""
    chosen = load_settings(**{"tenant": f"tenant-{uuid4()}", **settings})
    async with (
        open_adapters(chosen) as adapters,
        httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client,
    ):
        services = build_services(stores, adapters.dependencies, chosen.policies())
        memory = Memory(services, tenant=chosen.tenant, denodo=adapters.denodo)
        async with serving(create_app(memory, chosen)) as url:
            yield Caller(client=client, url=url)
        await services.settle()
