"""Values of the wrong type, for every field of every body."""

from typing import Final

import pytest

from support.http.bad_requests import (
    EXCHANGES,
    MESSAGES,
    SECRET,
    SESSION,
    SESSIONS,
    TURN,
    Bystander,
    assert_refused,
)
from support.http.callers import Json
from support.tables import for_each

QUESTION: Final = {"role": "user", "content": SECRET}
ANSWER: Final = {"role": "assistant", "content": SECRET}
EXCHANGE: Final = {"question": SECRET, "answer": SECRET}
CONTEXT: Final = "/api/v1/sessions/{session_id}/context"

NOT_TEXT: Final = [1, 1.5, True, [SECRET], {"a": SECRET}]
NOT_LABELS: Final = [SECRET, 1, True, {"a": SECRET}, [1], [None], [[SECRET]], {}]
NOT_AN_OBJECT: Final = [SECRET, 1, True, [SECRET], []]
NOT_TOKENS: Final = [SECRET, 1.5, [1], -1, 2**63, 10**400, {"a": 10**400}]
NOT_A_DURATION: Final = [SECRET, [1], {"a": 1}, -0.1, 10**400]
NOT_A_LIMIT: Final = [SECRET, "100", 1.5, True, [1], {"a": 1}, 0, -1, 10_000_001, 2**63, 10**400]
NOT_A_WINDOW: Final = [SECRET, "10", 1.5, True, [1], {"a": 1}, -1, 1001, 2**63, 10**400]
NOT_A_LIST: Final = [SECRET, 1, True, {"a": SECRET}]

DETAILS: Final = {
    "sql_query": NOT_TEXT,
    "query_explanation": NOT_TEXT,
    "tables_used": NOT_LABELS,
    "tokens": NOT_TOKENS,
    "execution_time_ms": NOT_A_DURATION,
    "citations": NOT_A_LIST,
    "model": NOT_TEXT,
}
SESSION_FIELDS: Final = {
    "name": NOT_TEXT,
    "metadata": NOT_AN_OBJECT,
    "databases": NOT_LABELS,
    "tags": NOT_LABELS,
}
MESSAGE_FIELDS: Final = {
    "role": [*NOT_TEXT, None, "tool", "User", "", " user", "assistant\0"],
    "content": [*NOT_TEXT, None],
    "metadata": [*NOT_AN_OBJECT, None],
    "message_id": NOT_TEXT,
    "reply_to": NOT_TEXT,
}
WRONG: Final = [
    (method, path, base, field, value)
    for method, path, base, fields in [
        ("POST", SESSIONS, {}, {**SESSION_FIELDS, "session_id": NOT_TEXT}),
        ("PATCH", SESSION, {}, SESSION_FIELDS),
        ("POST", MESSAGES, QUESTION, MESSAGE_FIELDS),
        ("POST", MESSAGES, ANSWER, DETAILS),
        ("POST", EXCHANGES, EXCHANGE, DETAILS),
        ("POST", EXCHANGES, EXCHANGE, {"question": NOT_TEXT, "answer": [*NOT_TEXT, None]}),
        (
            "POST",
            CONTEXT,
            {"question": SECRET},
            {
                "question": [*NOT_TEXT, None],
                "model": NOT_TEXT,
                "max_tokens": NOT_A_LIMIT,
                "window": NOT_A_WINDOW,
                SECRET: [1],
            },
        ),
        ("PATCH", TURN, {}, {"status": [*NOT_TEXT, None, "complete", "pending", "FAILED"]}),
    ]
    for field, values in fields.items()
    for value in values
]


def name_of(value: object) -> str:
    return str(value)[:40]


async def test_a_value_of_the_wrong_type_is_refused(
    subtests: pytest.Subtests, bystander: Bystander
) -> None:
    for method, path, base, field, value in WRONG:
        with subtests.test(
            method=method,
            path=path,
            base=str(base)[:80],
            field=field,
            value=str(value)[:80],
        ):
            response = await bystander.send(method, path, json={**base, field: value})

            assert_refused(response, 422)


@for_each("value", ["12", True])
@for_each("field", ["tokens", "execution_time_ms"])
async def test_a_number_is_not_guessed_from_text_or_from_a_boolean(
    bystander: Bystander, field: str, value: object
) -> None:
    response = await bystander.send("POST", MESSAGES, json={**ANSWER, field: value})

    assert_refused(response, 422)


@for_each(
    ("path", "body"),
    [
        (MESSAGES, {}),
        (MESSAGES, {"role": "user"}),
        (MESSAGES, {"content": SECRET}),
        (EXCHANGES, {"question": SECRET}),
        (CONTEXT, {}),
        (CONTEXT, {"model": SECRET}),
        (EXCHANGES, {"answer": SECRET}),
    ],
)
async def test_a_missing_field_is_refused(bystander: Bystander, path: str, body: Json) -> None:
    assert_refused(await bystander.send("POST", path, json=body), 422)


async def test_an_unknown_field_is_refused(subtests: pytest.Subtests, bystander: Bystander) -> None:
    for method, path, body in [
        ("POST", SESSIONS, {"user": SECRET}),
        ("POST", SESSIONS, {"owner_id": SECRET}),
        ("POST", SESSIONS, {"tenant": SECRET}),
        ("PATCH", SESSION, {"session_id": SECRET}),
        ("PATCH", SESSION, {"message_count": 7}),
        ("POST", MESSAGES, {**QUESTION, "user_id": SECRET}),
        ("POST", MESSAGES, {**QUESTION, "sequence": 7}),
        ("POST", MESSAGES, {**QUESTION, "updated_at": "2024-01-01T00:00:00Z"}),
        ("POST", EXCHANGES, {**EXCHANGE, "metadata": {}}),
        ("POST", EXCHANGES, {**EXCHANGE, "message_id": SECRET}),
        ("PATCH", TURN, {"status": "failed", "why": SECRET}),
    ]:
        with subtests.test(method=method, path=path, body=str(body)[:80]):
            assert_refused(await bystander.send(method, path, json=body), 422)


@pytest.mark.parametrize("role", ["user", "system"])
async def test_details_are_for_answers_alone(
    subtests: pytest.Subtests, bystander: Bystander, role: str
) -> None:
    for field, value in [
        ("sql_query", SECRET),
        ("query_explanation", SECRET),
        ("tables_used", [SECRET]),
        ("execution_result", [SECRET]),
        ("tokens", 1),
        ("execution_time_ms", 1.5),
        ("citations", [SECRET]),
        ("model", SECRET),
    ]:
        with subtests.test(field=field, value=str(value)[:80]):
            body = {"role": role, "content": SECRET, field: value}

            response = await bystander.send("POST", MESSAGES, json=body)

            assert_refused(response, 422)
            assert field in response.json()["detail"]
