from uuid import uuid4

import pytest

from support.http.bad_requests import EXCHANGES, MESSAGES, SESSIONS, Bystander, assert_refused
from support.http.callers import Json
from support.http.openapi_operations import Operation, operations

NOT_UUIDS = {
    "text": "not-a-uuid",
    "number": "12345",
    "too short": "550e8400-e29b-41d4-a716-44665544000",
    "too long": "550e8400-e29b-41d4-a716-4466554400000",
    "no hyphens": "550e8400e29b41d4a716446655440000",
    "braces": "{550e8400-e29b-41d4-a716-446655440000}",
    "urn": "urn:uuid:550e8400-e29b-41d4-a716-446655440000",
    "underscore": "550e8400-e29b-41d4-a716-44665544_000",
    "wide digits": "５50e8400-e29b-41d4-a716-446655440000",  # noqa: RUF001  # on purpose
    "sql": "' OR 1=1; DROP TABLE messages; --",
    "very long": "a" * 5000,
}
IN_PATHS = {
    **NOT_UUIDS,
    "blank": "%20",
    "nul": "%00",
    "half a character": "%C3",
    "a surrogate": "%ED%A0%80",
}
IN_BODIES = {
    **NOT_UUIDS,
    "nul": "550e8400-e29b-41d4-a716-44665544000\0",
    "two lines": "550e8400-e29b-41d4-a716-446655440000\n1",
}
BY_ID = [
    (operation, parameter)
    for operation in operations()
    for parameter in ("session_id", "message_id")
    if f"{{{parameter}}}" in operation.path
]


@pytest.mark.parametrize(
    ("operation", "parameter"), BY_ID, ids=[f"{name} of {operation}" for operation, name in BY_ID]
)
async def test_a_path_with_something_else_than_a_uuid_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, operation: Operation, parameter: str
) -> None:
    for label, text in IN_PATHS.items():
        with subtests.test(label=label):
            ids: dict[str, object] = {
                "session_id": bystander.session_id,
                "message_id": bystander.message_id,
                "turn_number": 1,
            }
            path = operation.path_with({**ids, parameter: text})

            response = await bystander.send(operation.method, path, json=operation.example)

            assert_refused(response, 400)
            assert response.json() == {
                "error": f"Invalid {parameter} format",
                "detail": f"{parameter} must be a valid UUID",
            }


@pytest.mark.parametrize(
    ("path", "field", "body"),
    [
        (SESSIONS, "session_id", {}),
        (MESSAGES, "message_id", {"role": "user", "content": "Hello"}),
        (MESSAGES, "reply_to", {"role": "assistant", "content": "Hello"}),
    ],
)
async def test_a_body_with_something_else_than_a_uuid_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, path: str, field: str, body: Json
) -> None:
    for label, text in IN_BODIES.items():
        with subtests.test(label=label):
            response = await bystander.send("POST", path, json={**body, field: text})

            assert_refused(response, 400)
            assert response.json()["error"] == f"Invalid {field} format"


@pytest.mark.parametrize("method", ["GET", "PATCH"])
async def test_a_turn_number_that_is_none_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, method: str
) -> None:
    for number in ["0", "-1", str(2**63), "1" * 5000, "1.5", "one", "%20", "1e3"]:
        with subtests.test(number=number):
            body = {"status": "failed"} if method == "PATCH" else None

            response = await bystander.send(
                method, f"/api/v1/sessions/{{session_id}}/turns/{number}", json=body
            )

            assert_refused(response, 422)


@pytest.mark.parametrize("path", [MESSAGES, EXCHANGES])
async def test_an_idempotency_key_that_is_too_long_is_refused(
    bystander: Bystander, path: str
) -> None:
    body: Json = {"role": "user", "content": "Hello"}
    if path == EXCHANGES:
        body = {"question": "Hello", "answer": "Hello"}

    response = await bystander.send("POST", path, json=body, headers={"Idempotency-Key": "k" * 256})

    assert_refused(response, 422)


async def test_a_reply_to_nothing_is_not_found(bystander: Bystander) -> None:
    body = {"role": "assistant", "content": "Hello", "reply_to": str(uuid4())}

    assert_refused(await bystander.send("POST", MESSAGES, json=body), 404)
