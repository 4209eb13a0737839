"""No JSON, however it is nested, holds the event loop for long.

Bodies are parsed before their sender is known.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, Final

import httpx
import pytest
from fastapi.routing import APIRoute

from recollect.interfaces.http.app import _ROUTERS
from support.effort import share
from support.hostile.measured_server import MeasuredServer, slow_requests
from support.hostile.requests import HostileRequest, as_question

ALLOWED: Final = 49_000
"""Values that are parsed, and then refused or stored."""
MANY: Final = 310_000
STATUSES: Final = frozenset({200, 201, 400, 403, 404, 413, 422, 503})
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
    "messages with members": lambda: {
        "messages": [{"role": "user", "content": "Hi", "metadata": numbered(ALLOWED)}] * 5
    },
}
IN_EACH_FIELD: Final[dict[str, Callable[[int], object]]] = {
    "lists of numbers": lambda count: [0] * count,
    "lists of objects": lambda count: [{}] * (count // 2),
    "lists of large objects": lambda count: [numbered(990)] * (count // 991),
    "one large object in a list": lambda count: [numbered(count)],
    "objects of lists": lambda count: {"a": [0] * count},
    "large objects": numbered,
}
ADDED: Final[dict[str, Callable[[], Body]]] = {
    "some unknown members": lambda: numbered(240),
    "many unknown members": lambda: numbered(ALLOWED),
    "numbers as metadata": lambda: {"metadata": {"a": [0] * ALLOWED, **numbered(900)}},
    "members of metadata": lambda: {"metadata": numbered(ALLOWED)},
    "a result of lists": lambda: {"execution_result": [[]] * (ALLOWED // 2)},
    "citations": lambda: {"citations": [[0] * 50] * 950},
    "members of tokens": lambda: {"tokens": numbered(ALLOWED)},
}

KINDS: Final = [*FOR_ALL, *IN_EACH_FIELD, *ADDED]


def bodies(name: str) -> Iterator[tuple[HostileRequest, bytes]]:
    """For each route, or for an eighth of them, a body; each route gets two or three kinds."""
    same = json.dumps(FOR_ALL[name]()).encode() if name in FOR_ALL else None
    for request in share([*json_routes()], KINDS.index(name), of=8):
        yield request, same or body_of(name, request)


def body_of(name: str, request: HostileRequest) -> bytes:
    sample = request.body or {}
    if name in ADDED:
        members = {**{key: json.dumps(value) for key, value in sample.items()}, **added_json(name)}
    else:
        fields = FIELDS.get((request.method, request.route)) or [*sample]
        members = dict.fromkeys(fields, value_json(name, ALLOWED // len(fields) - 1))
    written = ", ".join(f"{json.dumps(key)}: {value}" for key, value in members.items())
    return f"{{{written}}}".encode()


@cache  # writing it takes 50 ms, and all routes have the same
def added_json(name: str) -> dict[str, str]:
    return {key: json.dumps(value) for key, value in ADDED[name]().items()}


@cache  # as above, but for the number of their fields
def value_json(name: str, count: int) -> str:
    return json.dumps(IN_EACH_FIELD[name](count))


def json_routes() -> Iterator[HostileRequest]:
    """One request for each route that takes JSON."""
    yield from {(request.method, request.route): request for request in as_question("x")}.values()


def fields_of_routes() -> Iterator[tuple[tuple[str, str], list[str]]]:
    """The fields of each route's body."""
    routes = [route for router in _ROUTERS for route in router.routes]
    for route in routes:
        if isinstance(route, APIRoute) and route.dependant.body_params:
            (body,) = route.dependant.body_params
            model = body.field_info.annotation
            (method,) = route.methods
            yield (method, route.path_format), [*model.model_fields]


FIELDS: Final = dict(fields_of_routes())


async def send(client: httpx.AsyncClient, url: str, request: HostileRequest, body: bytes) -> None:
    response = await client.request(
        request.method,
        url + request.route.format(**request.path),
        content=body,
        headers={**request.headers, "Content-Type": "application/json"},
    )
    assert response.status_code in STATUSES, f"{request}: {response.status_code}"


@pytest.mark.parametrize("name", KINDS)
async def test_no_route_blocks_the_event_loop_on_a_hostile_body(
    name: str, client: httpx.AsyncClient, server: MeasuredServer
) -> None:
    def sending(request: HostileRequest, body: bytes) -> Callable[[], Any]:
        return lambda: send(client, server.url, request, body)

    requests: Iterable[tuple[str, Callable[[], Any]]] = (
        (str(request), sending(request, body)) for request, body in bodies(name)
    )
    assert await slow_requests(server.loop_time, requests) == {}
