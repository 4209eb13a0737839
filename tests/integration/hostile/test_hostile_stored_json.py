"""What was stored with much JSON holds the event loop no longer when it is read."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from support.hostile.measured_server import BOUND, MeasuredServer, slow_requests
from support.hostile.requests import HostileDouble, HostileRequest, follow_up_requests, send

WINDOW_BOUND: Final = 2 * BOUND
"""A window of many large messages is freed on the loop: 120,000 small objects take 11 ms."""
VALUES: Final = 49_000
MESSAGES: Final = 50
IN_A_BATCH: Final = 25
SESSIONS: Final = 10
Json = dict[str, Any]


def numbered(count: int) -> Json:
    return dict.fromkeys(map(str, range(count)), 0)


def answer(**details: object) -> Json:
    return {"role": "assistant", "content": "42", **details}


LARGE: Final[dict[str, Callable[[int], Json]]] = {
    "numbers": lambda count: {
        "role": "user",
        "content": "How many?",
        "metadata": {"a": [0] * count},
    },
    "members": lambda count: answer(metadata=numbered(count)),
    "a result": lambda count: answer(
        sql_query="SELECT 1", execution_result=[[]] * (count // 2 - 10)
    ),
    "citations": lambda count: answer(citations=[[{}] * (count // 210)] * 100),
}


@pytest_asyncio.fixture(scope="module", params=[*LARGE])
async def session_id(
    request: pytest.FixtureRequest, client: httpx.AsyncClient, server: MeasuredServer
) -> AsyncIterator[str]:
    """A session of one database, with a message as large as it may be, and many large ones."""
    large, sessions = LARGE[request.param], f"{server.url}/api/v1/sessions"
    for _ in range(SESSIONS):
        session = {"metadata": numbered(VALUES // SESSIONS), "databases": ["sales"]}
        stored = await client.post(sessions, json=session)
    path = f"{sessions}/{stored.raise_for_status().json()['session_id']}"
    batch = {"messages": [large(VALUES // 20)] * IN_A_BATCH}
    for _ in range(MESSAGES // IN_A_BATCH):
        (await client.post(f"{path}/messages:batch", json=batch)).raise_for_status()
    (await client.post(f"{path}/messages", json=large(VALUES))).raise_for_status()
    changed = await client.patch(path, json={"metadata": numbered(VALUES)})
    yield changed.raise_for_status().json()["session_id"]
    (await client.delete(path)).raise_for_status()


def reading(session_id: str) -> Iterator[HostileRequest]:
    """Requests that read the session, or a list with it."""
    yield from follow_up_requests(session_id)
    paths = "/api/v1/sessions", "/api/v1/sessions/{session_id}/messages", "/api/v1/history"
    for path in paths:
        for limit in ("1", "100"):
            yield HostileRequest(
                method="GET",
                route=path,
                way=f"{limit} of them",
                path={"session_id": session_id},
                params={"limit": limit},
            )
    for form in ("object", "variables"):
        yield HostileRequest(
            method="POST",
            route="/api/v1/sessions/{session_id}/context",
            way=form,
            body={"question": "And 2023?"},
            path={"session_id": session_id},
            params={"format": form},
        )


async def test_no_route_blocks_the_event_loop_on_large_stored_json(
    session_id: str, client: httpx.AsyncClient, server: MeasuredServer, double: HostileDouble
) -> None:
    def sending(request: HostileRequest) -> Callable[[], Any]:
        return lambda: send(client, server.url, request, double)

    requests = ((str(request), sending(request)) for request in reading(session_id))
    assert await slow_requests(server.loop_time, requests, bound=WINDOW_BOUND) == {}


async def test_a_retried_message_with_large_json_does_not_block_the_event_loop(
    client: httpx.AsyncClient, server: MeasuredServer
) -> None:
    path = f"{server.url}/api/v1/sessions/{uuid4()}/messages"
    message = {**LARGE["numbers"](VALUES), "message_id": str(uuid4())}

    async def retry() -> None:
        (await client.post(path, json=message)).raise_for_status()

    await retry()
    assert await slow_requests(server.loop_time, [("POST messages again", retry)]) == {}
