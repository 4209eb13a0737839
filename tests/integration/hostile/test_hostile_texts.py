"""No text, however it is sent, holds the event loop for long.

Measured is the CPU time of the loop's thread, so that a busy machine does not matter.
"""

from collections.abc import AsyncIterator, Iterable
from itertools import islice
from typing import Final
from uuid import uuid4

import asyncpg
import httpx
import pytest
import pytest_asyncio
from fastapi.routing import APIRoute

from recollect.interfaces.http.app import _ROUTES
from recollect.settings import load_settings
from support.chat_double import serving
from support.hostile_requests import (
    HostileDouble,
    HostileRequest,
    after_it,
    as_question,
    as_reply,
    said_in_session,
    send,
    settings_for,
)
from support.hostile_texts import SIZES, TEXTS
from support.measured_server import MeasuredServer, measured_server

LONGEST: Final = 0.05
"""CPU seconds that a request may hold the loop. Texts take a fifth of that or less here; bodies of
50,000 values take half of it."""
ATTEMPTS: Final = 3
"""Collecting garbage may hit any request once; what is slow is slow every time."""
GROWTH: Final = 6
"""Four times the text may take so many times the work: less than quadratic, which is sixteen."""
WRITING: Final = frozenset({"POST", "PUT", "PATCH"})


@pytest_asyncio.fixture(scope="module")
async def double() -> AsyncIterator[HostileDouble]:
    """The model that answers, and the data platform."""
    async with serving(HostileDouble()) as listening:
        yield listening


@pytest_asyncio.fixture(scope="module")
async def own_dsn(admin_dsn: str) -> AsyncIterator[str]:
    """A database that nobody but this server's worker works on."""
    name = f"hostile_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    yield admin_dsn.replace("@/postgres?", f"@/{name}?")
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest_asyncio.fixture(scope="module")
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


@pytest_asyncio.fixture(scope="module")
async def client(server: MeasuredServer, double: HostileDouble) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server that has loaded what the first requests load."""
    async with httpx.AsyncClient(timeout=600, trust_env=False) as opened:
        text = "Show me the sales of 2023. " * 1000
        for request in await everything(opened, server, text):
            await send(opened, server.url, request, double)
        yield opened


async def everything(
    client: httpx.AsyncClient, server: MeasuredServer, text: str
) -> list[HostileRequest]:
    """All requests with a text, or after it."""
    session_id = await said_in_session(client, server.url, text)
    return [*as_question(text), *after_it(session_id), *as_reply(text)]


async def loop_seconds(
    client: httpx.AsyncClient,
    server: MeasuredServer,
    double: HostileDouble,
    requests: Iterable[HostileRequest],
) -> float:
    """What the loop worked for all the requests; none of them may hold it for long."""
    worked = 0.0
    for request in requests:
        longest = 0.0
        for _ in range(ATTEMPTS):
            server.loop_time.take()
            await send(client, server.url, request, double)
            longest, total = server.loop_time.take()
            if longest <= LONGEST:
                break
        assert longest <= LONGEST, f"{request} held the loop for {longest * 1000:.0f} ms"
        worked += total
    return worked


@pytest.mark.parametrize("name", TEXTS)
async def test_a_hostile_text_holds_the_loop_through_no_route(
    name: str, client: httpx.AsyncClient, server: MeasuredServer, double: HostileDouble
) -> None:
    requests = await everything(client, server, TEXTS[name](SIZES[-1]))
    await loop_seconds(client, server, double, requests)


@pytest.mark.parametrize("name", TEXTS)
async def test_the_loop_works_in_proportion_to_the_length_of_a_text(
    name: str, client: httpx.AsyncClient, server: MeasuredServer, double: HostileDouble
) -> None:
    worked: dict[int, float] = {}
    for size in SIZES:
        session_id = await said_in_session(client, server.url, TEXTS[name](size))
        requests = islice(after_it(session_id), 4)  # a context, and those who answer with one
        worked[size] = await loop_seconds(client, server, double, requests)
    assert worked[SIZES[-1]] <= GROWTH * worked[SIZES[0]]


def test_no_route_that_takes_text_is_forgotten() -> None:
    sent = {
        (request.method, request.route)
        for request in (*as_question("x"), *after_it(str(uuid4())), *as_reply("x"))
    }
    routes = [route for module in _ROUTES for route in module.router.routes]
    assert all(isinstance(route, APIRoute) for route in routes)
    writing = {(method, route.path) for route in routes for method in route.methods & WRITING}
    assert writing
    assert writing <= sent
