"""An expired session is gone from every route in the second it expires.

In memory, by a clock that the test moves: a second before its end everything works, at its end
nothing does.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from recollect.composition import build_services
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory import in_memory_stores
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.models.tokens import token_counter_for
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds
from recollect.testing import FixedClock
from support.http.callers import Caller, Json
from support.http.openapi_operations import Operation, operations
from support.servers.http_servers import serving
from support.timeouts import PATIENCE

OPERATIONS = operations()
STARTING = {
    "POST /api/v1/sessions/{session_id}/messages",
    "POST /api/v1/sessions/{session_id}/messages:batch",
    "POST /api/v1/sessions/{session_id}/exchanges",
}
IN_NO_SESSION = {
    "GET /api/v1/privacy/erase/{erasure_id}",
    "GET /api/v1/privacy/tenant/erase/{erasure_id}",
    *(f"{method} /api/v1/profile/{{key}}" for method in ("GET", "PUT", "PATCH", "DELETE")),
    *(f"{method} /api/v1/memory/{{fact_id}}" for method in ("GET", "PATCH", "DELETE")),
    "POST /api/v1/memory/{fact_id}/restore",
    *(str(operation) for operation in OPERATIONS if operation.is_for_admins),
}
OF_ONE_THING = [
    operation
    for operation in OPERATIONS
    if operation.names_something and str(operation) not in STARTING | IN_NO_SESSION
]
A_WEEK = timedelta(days=7)
A_SECOND = timedelta(seconds=1)
NOTHING: dict[str, Json] = {
    "/api/v1/sessions": {"items": [], "next_cursor": None},
    "/api/v1/history": {"items": [], "next_cursor": None},
    "/api/v1/history/count": {"count": 0},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    caller: Caller
    clock: FixedClock
    services: Services
    scope: Scope

    async def talk(self) -> dict[str, object]:
        """A session with an answer and a question that waits; the ids a path may ask for."""
        session = await self.caller.start_session()
        await self.caller.add(session, "How much?")
        await self.caller.add(session, "2.5M", role="assistant")
        waiting = await self.caller.add(session, "And before?")
        return {
            "session_id": session["session_id"],
            "message_id": waiting["message_id"],
            "turn_number": waiting["turn_number"],
        }

    async def send(self, operation: Operation, ids: dict[str, object]) -> httpx.Response:
        path = operation.path_with(ids)
        return await self.caller.send(operation.method, path, json=operation.example)


async def a_scene(retention: str) -> AsyncIterator[Scene]:
    clock, scope = FixedClock(), Scope(tenant=f"tenant-{uuid4()}", user="alice")
    settings = load_settings(
        retention=retention,
        tenant=scope.tenant,
        local_user=scope.user,
        log_memory_operations=False,
    )
    around = ServiceDependencies(
        clock=clock, ids=RandomIds(), counter_for=token_counter_for, sql=SqlglotReader()
    )
    services = build_services(in_memory_stores(clock), around, settings.policies())
    async with (
        serving(create_app(Memory(services), settings)) as url,
        httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client,
    ):
        caller = Caller(client=client, url=url)
        yield Scene(caller=caller, clock=clock, services=services, scope=scope)


@pytest_asyncio.fixture
async def fixed() -> AsyncIterator[Scene]:
    async for scene in a_scene("fixed:7"):
        yield scene


@pytest_asyncio.fixture
async def sliding() -> AsyncIterator[Scene]:
    async for scene in a_scene("sliding:7"):
        yield scene


@pytest.mark.parametrize("operation", OF_ONE_THING, ids=str)
async def test_a_session_is_there_to_its_last_second_and_not_one_longer(
    operation: Operation, fixed: Scene
) -> None:
    alive, dead = await fixed.talk(), await fixed.talk()

    fixed.clock.move(A_WEEK - A_SECOND)
    before = await fixed.send(operation, alive)
    fixed.clock.move(A_SECOND)
    after = await fixed.send(operation, dead)

    assert before.is_success, before.text
    assert after.status_code == 404, after.text
    assert list(after.json()) == ["error", "detail"]


@pytest.mark.parametrize("starting", sorted(STARTING))
async def test_messages_for_an_expired_session_start_it_anew(starting: str, fixed: Scene) -> None:
    (operation,) = (operation for operation in OPERATIONS if str(operation) == starting)
    ids = await fixed.talk()
    fixed.clock.move(A_WEEK)

    response = await fixed.send(operation, ids)

    assert response.status_code == 201, response.text
    messages = await fixed.caller.messages({"session_id": ids["session_id"]})
    assert "How much?" not in {message["content"] for message in messages}


@pytest.mark.parametrize("path", NOTHING)
async def test_lists_and_counts_leave_out_expired_sessions(path: str, fixed: Scene) -> None:
    await fixed.talk()

    fixed.clock.move(A_WEEK - A_SECOND)
    before = (await fixed.caller.get(path)).json()
    fixed.clock.move(A_SECOND)
    after = (await fixed.caller.get(path)).json()

    assert before != NOTHING[path]
    assert after == NOTHING[path]


async def test_a_session_started_under_the_id_of_an_expired_one_is_empty(fixed: Scene) -> None:
    ids = await fixed.talk()
    fixed.clock.move(A_WEEK)

    response = await fixed.caller.post("/api/v1/sessions", {"session_id": ids["session_id"]})

    assert response.status_code == 201
    assert response.json()["message_count"] == 0
    assert await fixed.caller.messages(response.json()) == []


async def test_using_a_session_does_not_move_a_fixed_expiry_time(fixed: Scene) -> None:
    ids = await fixed.talk()
    path = f"/api/v1/sessions/{ids['session_id']}"
    for _ in range(6):
        fixed.clock.move(timedelta(days=1))
        await fixed.caller.post(f"{path}/context", {"question": "What is the capital of France?"})
        await fixed.caller.add({"session_id": ids["session_id"]}, "More", role="assistant")

    fixed.clock.move(timedelta(days=1))

    assert (await fixed.caller.get(path)).status_code == 404


USES = [
    operation
    for operation in OF_ONE_THING
    if "{session_id}" in operation.path and operation.method != "DELETE"
]


@pytest.mark.parametrize("use", USES, ids=str)
async def test_using_a_session_moves_a_sliding_expiry_time(use: Operation, sliding: Scene) -> None:
    ids = await sliding.talk()
    for _ in range(5):
        sliding.clock.move(timedelta(days=5))
        response = await sliding.send(use, ids)
        assert response.is_success, response.text
        await sliding.services.settle()  # the response has not waited for it

    sliding.clock.move(A_WEEK - A_SECOND)
    assert len((await sliding.caller.get("/api/v1/sessions")).json()["items"]) == 1
    sliding.clock.move(timedelta(hours=1) + A_SECOND)
    assert (await sliding.caller.get("/api/v1/sessions")).json()["items"] == []


async def test_cleaning_up_deletes_only_expired_sessions(fixed: Scene) -> None:
    old = await fixed.talk()
    fixed.clock.move(timedelta(days=3))
    young = await fixed.talk()
    fixed.clock.move(timedelta(days=4))
    retention = fixed.services.retention
    progress: list[int] = []

    assert await retention.count() == 1
    assert await retention.clean_up(progress=progress.append) == 1
    assert await retention.clean_up() == 0

    assert progress == [1]
    sessions = (await fixed.caller.get("/api/v1/sessions")).json()["items"]
    assert [session["session_id"] for session in sessions] == [young["session_id"]]
    (entry,) = await fixed.services.audit.entries(fixed.scope, limit=10)
    assert (entry.action, entry.target, entry.count) == ("session.expired", old["session_id"], 3)
