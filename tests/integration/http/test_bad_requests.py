from itertools import product
from typing import Final

import httpx
import pytest

from support.http.bad_requests import (
    HISTORY,
    MESSAGES,
    SECRET,
    SESSION,
    SESSIONS,
    Bystander,
    assert_refused,
)
from support.http.callers import Caller, Tenant
from support.http.openapi_operations import Operation, operations
from support.tables import for_each

OPERATIONS: Final = operations()
CONFIRMED: Final = {"DELETE /api/v1/profile", "DELETE /api/v1/memory"}
OFF: Final = {"GET /api/v1/privacy/export"}  # by default; see test_privacy.py
WITHOUT_BODY: Final = [operation for operation in OPERATIONS if operation.example is None]
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
READ_AS_IDS: Final = {  # the last word as the id of a message or a fact, and refused as one
    ("DELETE", "/api/v1/history/count"),
    *product(("PATCH", "DELETE"), ("/api/v1/memory/stats", "/api/v1/memory/export")),
    *product(("GET", "PATCH", "DELETE"), ("/api/v1/memory/import",)),
}
NOT_ALLOWED: Final = [
    (method, path)
    for path in dict.fromkeys(operation.path for operation in OPERATIONS)
    for method in METHODS
    if (method, path) not in {(known.method, known.path) for known in OPERATIONS}
    and not path.startswith("/v1/")  # whose errors have OpenAI's form
    and (method, path) not in READ_AS_IDS
]


async def test_a_method_that_a_path_does_not_take_is_refused(
    subtests: pytest.Subtests, bystander: Bystander
) -> None:
    for method, path in NOT_ALLOWED:
        with subtests.test(method=method, path=path):
            response = await bystander.send(method, path.replace("{turn_number}", "1"))

            assert_refused(response, 405)
            assert method in response.json()["detail"]
            allowed = set(response.headers["Allow"].split(", "))
            assert method not in allowed
            assert allowed >= {known.method for known in OPERATIONS if known.path == path}
            assert ("HEAD" in allowed) == ("GET" in allowed)


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/v2/sessions",
        f"/api/v1/{SECRET}",
        "/api/v1/sessions/{session_id}/nothing",
        "/api/v1/sessions/{session_id}/messages/{message_id}/more",
        "/api/v1/history/count/more",
        "/redoc",
        "/static/../../etc/passwd",
        "//api//v1//sessions",
        "/%00",
        "/" + "a" * 5000,
    ],
    ids=lambda path: path[:40],
)
async def test_an_unknown_path_is_not_found(bystander: Bystander, path: str) -> None:
    assert_refused(await bystander.send("GET", path), 404)


@pytest.mark.parametrize(
    "name", ["owner_id", "user", "tenant", "limti", "Limit", "'; DROP TABLE", SECRET, "", "é" * 999]
)
async def test_an_unknown_query_parameter_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, name: str
) -> None:
    for path in [SESSIONS, MESSAGES, HISTORY]:
        with subtests.test(path=path):
            response = await bystander.send("GET", path, params={"limit": 1, name: SECRET})

            assert_refused(response, 422)
            assert "which takes: cursor, " in response.json()["detail"]


async def send_headers(
    bystander: Bystander, headers: list[tuple[bytes, bytes]], path: str = SESSION
) -> httpx.Response:
    caller: Caller = bystander.caller
    path = path.replace("{session_id}", bystander.session_id)
    return await caller.client.request("GET", caller.url + path, headers=headers)


async def test_two_credentials_reach_nobodys_memory(bystander: Bystander) -> None:
    key = bystander.caller.headers["Authorization"].encode()
    other = b"Bearer rec_" + b"a" * 86

    good_first = await send_headers(bystander, [(b"Authorization", key), (b"Authorization", other)])
    bad_first = await send_headers(bystander, [(b"Authorization", other), (b"Authorization", key)])

    assert_refused(good_first, 422)
    assert_refused(bad_first, 422)


@for_each(
    ("name", "values"),
    [
        (b"X-Transaction-ID", [b"one", b"two"]),
        (b"Accept", [b"text/html", b"image/png"]),
        (b"X-Memory-User", [b"", b""]),
        (b"Cookie", [b"a=b", b"c=d", b"\xff"]),
        (b"X-Unknown", [b"\xff\xfe", b"\xc3\x28"]),
        (b"Content-Type", [b"application/json", b"text/plain"]),
    ],
)
async def test_other_headers_given_twice_do_no_harm(
    bystander: Bystander, name: bytes, values: list[bytes]
) -> None:
    key = bystander.caller.headers["Authorization"].encode()
    headers = [(b"Authorization", key), *((name, value) for value in values)]

    response = await send_headers(bystander, headers)

    assert response.status_code == 200


@pytest.mark.parametrize("operation", WITHOUT_BODY, ids=str)
async def test_a_body_where_none_is_taken_does_no_harm(
    alice: Caller, operator: Caller, tenant: Tenant, operation: Operation
) -> None:
    nothing = "00000000-0000-4000-8000-000000000000"
    names = ("session_id", "message_id", "fact_id", "erasure_id", "key", "tenant")
    ids = dict.fromkeys(names, nothing)

    caller = operator if operation.is_for_operators else alice
    if operation.is_for_admins:
        caller = await tenant.admin()

    response = await caller.send(
        operation.method,
        operation.path_with({**ids, "turn_number": 1}),
        content=b"\xff not json",
        params={"confirm": "true"} if str(operation) in CONFIRMED else {},
    )

    usual = 403 if str(operation) in OFF else 200
    assert response.status_code == (404 if operation.names_something else usual)
