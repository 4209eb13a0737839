"""A server that is sent texts and bodies that nobody sends in earnest."""

from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import httpx
import pytest_asyncio

from recollect.settings import load_settings
from support.doubles.chat_endpoint import serving
from support.hostile.measured_server import MeasuredServer, measured_server
from support.hostile.requests import HostileDouble, everything, send, settings_for


@pytest_asyncio.fixture(scope="package")
async def double() -> AsyncIterator[HostileDouble]:
    """The model that answers, and the data platform."""
    async with serving(HostileDouble()) as listening:
        yield listening


@pytest_asyncio.fixture(scope="package")
async def own_dsn(admin_dsn: str) -> AsyncIterator[str]:
    """A database that nobody but this server's worker works on."""
    name = f"hostile_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    yield admin_dsn.replace("@/postgres?", f"@/{name}?")
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest_asyncio.fixture(scope="package")
async def server(double: HostileDouble, own_dsn: str) -> AsyncIterator[MeasuredServer]:
    """A whole server with its background work, for long questions."""
    settings = load_settings(
        db_connection_string=own_dsn,
        tenant=f"hostile-{uuid4()}",
        embedding_model="none",
        **settings_for(double.url),
    )
    async with measured_server(settings) as started:
        yield started


@pytest_asyncio.fixture(scope="package")
async def client(server: MeasuredServer, double: HostileDouble) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server that has loaded what the first requests load."""
    async with httpx.AsyncClient(timeout=600, trust_env=False) as opened:
        text = "Show me the sales of 2023. " * 1000
        for request in await everything(opened, server.url, text):
            await send(opened, server.url, request, double)
        yield opened
