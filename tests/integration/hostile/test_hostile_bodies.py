"""No JSON, however it is nested, holds the event loop for long, and no thread beside it.

Bodies are parsed before their sender is known.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import httpx
import pytest

from support.hostile_requests import HostileRequest, as_question
from support.machine import slowness
from support.measured_server import MeasuredServer

LONGEST: Final = 0.05 * slowness()
"""CPU seconds that a body may hold the loop."""
ATTEMPTS: Final = 3
ALLOWED: Final = 49_000
"""Values that are parsed, and then refused or stored."""
MANY: Final = 310_000
STATUSES: Final = frozenset({200, 201, 400, 404, 413, 422, 503})
"""503 where a body is passed on, and is no question to who answers it."""
Body = dict[str, Any]


def numbered(count: int) -> dict[str, int]:
    return dict.fromkeys(map(str, range(count)), 0)


FOR_ALL: Final[dict[str, Callable[[], object]]] = {
    "far too many members": lambda: numbered(MANY),
    "empty objects": lambda: [{}] * MANY,
    "messages with metadata": lambda: {
        "messages": [{"role": "user", "content": "Hi", "metadata": {"a": [0] * ALLOWED}}] * 5
    },
}
HOSTILE: Final[dict[str, Callable[[Body], object]]] = {
    "some unknown members": lambda body: {**body, **numbered(990)},
    "many unknown members": lambda body: {**body, **numbered(ALLOWED)},
    "lists of numbers": lambda body: dict.fromkeys(body, [0] * ALLOWED),
    "lists of objects": lambda body: dict.fromkeys(body, [{}] * ALLOWED),
    "lists of large objects": lambda body: dict.fromkeys(body, [numbered(990)] * 20),
    "one large object in a list": lambda body: {key: [numbered(ALLOWED)] for key in body},
    "objects of lists": lambda body: {key: {"a": [0] * ALLOWED} for key in body},
    "metadata": lambda body: {**body, "metadata": {"a": [0] * ALLOWED, **numbered(900)}},
}


def bodies(name: str) -> Iterator[tuple[HostileRequest, bytes]]:
    """For each route a body."""
    same = json.dumps(FOR_ALL[name]()).encode() if name in FOR_ALL else None
    for request in json_routes():
        yield request, same or json.dumps(HOSTILE[name](request.body or {})).encode()


def json_routes() -> Iterator[HostileRequest]:
    """One request for each route that takes JSON."""
    yield from {(request.method, request.route): request for request in as_question("x")}.values()


async def send(client: httpx.AsyncClient, url: str, request: HostileRequest, body: bytes) -> int:
    response = await client.request(
        request.method,
        url + request.route.format(**request.path),
        content=body,
        headers={**request.headers, "Content-Type": "application/json"},
    )
    return response.status_code


@pytest.mark.parametrize("name", [*FOR_ALL, *HOSTILE])
async def test_a_hostile_body_holds_the_loop_through_no_route(
    name: str, client: httpx.AsyncClient, server: MeasuredServer
) -> None:
    slow: dict[str, int] = {}
    for request, body in bodies(name):
        longest = []
        for _ in range(ATTEMPTS):
            server.loop_time.take()
            assert await send(client, server.url, request, body) in STATUSES
            longest.append(server.loop_time.take()[0])
            if longest[-1] <= LONGEST:
                break
        else:
            slow[str(request)] = round(min(longest) * 1000)
    assert slow == {}
