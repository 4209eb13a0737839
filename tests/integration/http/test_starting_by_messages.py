"""Whether messages for a new session id start their session: the preset decides."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import httpx
import pytest

from recollect.composition import build_services
from recollect.engines.in_memory import in_memory_stores
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.models.tokens import token_counter_for
from recollect.services.services import ServiceDependencies
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds, SystemClock
from support.http.callers import Caller
from support.servers.http_servers import serving

MESSAGE = {"role": "user", "content": "Who is Rena?"}
REPLY = {"role": "assistant", "content": "Hello", "reply_to": str(uuid4())}


@asynccontextmanager
async def a_server(client: httpx.AsyncClient, **given: object) -> AsyncIterator[Caller]:
    settings = load_settings(**given)
    around = ServiceDependencies(
        clock=SystemClock(), ids=RandomIds(), counter_for=token_counter_for, sql=SqlglotReader()
    )
    services = build_services(in_memory_stores(), around, settings.policies())
    async with serving(create_app(Memory(services), settings)) as url:
        yield Caller(client=client, url=url)


@pytest.mark.parametrize(
    ("settings", "starts"),
    [
        ({}, True),
        ({"preset": "data-questions"}, True),
        ({"preset": "agent"}, True),
        ({"preset": "assistant"}, True),
        ({"preset": "app"}, True),
        ({"preset": "chat"}, False),
        ({"preset": "chat", "missing_session": "create"}, True),
        ({"unknown_session": "reject"}, False),
        ({"preset": "agent", "unknown_session": "reject"}, False),
    ],
    ids=str,
)
async def test_the_preset_decides_whether_messages_start_their_session(
    client: httpx.AsyncClient, settings: dict[str, str], *, starts: bool
) -> None:
    async with a_server(client, **settings) as caller:
        for path, body in (
            ("/messages", MESSAGE),
            ("/messages:batch", {"messages": [MESSAGE]}),
            ("/exchanges", {"question": "Who?", "answer": "Rena."}),
        ):
            session = f"/api/v1/sessions/{uuid4()}"
            response = await caller.post(session + path, body)
            assert response.status_code == (201 if starts else 404), path
            assert (await caller.get(session)).status_code == (200 if starts else 404)
        # What replies to a message that is not there starts nothing.
        reply = await caller.post(f"/api/v1/sessions/{uuid4()}/messages", REPLY)
        assert reply.status_code == 404
        # Without a session named, the user-wide one is meant.
        assert (await caller.post("/api/v1/history", MESSAGE)).status_code == 201


async def test_a_session_that_messages_start_has_the_tenants_retention(
    client: httpx.AsyncClient,
) -> None:
    async with a_server(client, preset="agent") as caller:
        session = f"/api/v1/sessions/{uuid4()}"
        old = {**MESSAGE, "timestamp": "2019-01-01T00:00:00.000Z"}
        assert (await caller.post(f"{session}/messages", old)).status_code == 201
        told = (await caller.get(session)).json()
        assert told["created_at"] > "2025"
        assert told["expires_at"] > told["created_at"]
