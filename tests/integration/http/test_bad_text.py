"""Text that UTF-8 or PostgreSQL cannot hold, in every place that takes text."""

import json
from typing import Final

import pytest

from support.http.bad_requests import (
    EXCHANGES,
    MESSAGES,
    SECRET,
    SESSION,
    SESSIONS,
    Bystander,
    assert_refused,
)
from support.http.callers import Json

QUESTION: Final = {"role": "user", "content": SECRET}
ANSWER: Final = {"role": "assistant", "content": SECRET}
EXCHANGE: Final = {"question": SECRET, "answer": SECRET}
CONTEXT: Final = "/api/v1/sessions/{session_id}/context"
BAD: Final = "BAD"

DETAILS: Final[list[Json]] = [
    {"sql_query": BAD},
    {"query_explanation": BAD},
    {"tables_used": ["sales", BAD]},
    {"execution_result": BAD},
    {"execution_result": {BAD: 1}},
    {"execution_result": [[{"a": [BAD]}]]},
    {"citations": [BAD]},
    {"citations": [{"a": {BAD: 1}}]},
    {"model": BAD},
]
METADATA: Final[list[Json]] = [
    {"metadata": {"key": BAD}},
    {"metadata": {BAD: "value"}},
    {"metadata": {"a": [{"b": {"c": BAD}}]}},
    {"metadata": {"a": [{"b": {BAD: "c"}}]}},
]
LABELS: Final[list[Json]] = [{"databases": [BAD]}, {"tags": ["fine", BAD]}, {"name": BAD}]
PLACES: Final = [
    *(("POST", SESSIONS, part) for part in [*LABELS, *METADATA, {"session_id": BAD}]),
    *(("PATCH", SESSION, part) for part in [*LABELS, *METADATA]),
    *(("POST", MESSAGES, {**QUESTION, **part}) for part in [*METADATA, {"content": BAD}]),
    *(("POST", MESSAGES, {**QUESTION, **part}) for part in [{"role": BAD}, {"message_id": BAD}]),
    *(("POST", MESSAGES, {**ANSWER, **part}) for part in [*DETAILS, {"reply_to": BAD}]),
    *(("POST", EXCHANGES, {**EXCHANGE, **part}) for part in [*DETAILS, {"question": BAD}]),
    ("POST", EXCHANGES, {**EXCHANGE, "answer": BAD}),
    ("POST", CONTEXT, {"question": BAD}),
    ("POST", CONTEXT, {"question": SECRET, "model": BAD}),
    ("PATCH", "/api/v1/sessions/{session_id}/turns/1", {"status": BAD}),
]
NAMES: Final = [f"{method} {path} {body}" for method, path, body in PLACES]
ESCAPES: Final = {
    "NUL": rf"{SECRET}\u0000",
    "high surrogate": rf"\ud800{SECRET}",
    "low surrogate": rf"{SECRET}\udc00",
    "surrogates the wrong way round": rf"{SECRET}\udc00\ud800",
}


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
async def test_text_that_cannot_be_stored_is_refused_wherever_it_stands(
    subtests: pytest.Subtests, bystander: Bystander, escape: str
) -> None:
    for method, path, body in PLACES:
        with subtests.test(method=method, path=path, body=str(body)[:80]):
            raw = json.dumps(body).replace(BAD, escape)

            response = await bystander.send_raw(method, path, raw)

            is_id = any(body.get(name) == BAD for name in ("session_id", "message_id", "reply_to"))
            assert_refused(response, response.status_code if is_id else 422)
            assert response.status_code in {400, 422}


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
async def test_an_unknown_field_whose_name_is_no_text_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, escape: str
) -> None:
    for method, path, body in [
        ("POST", SESSIONS, {}),
        ("PATCH", SESSION, {}),
        ("POST", MESSAGES, QUESTION),
        ("POST", EXCHANGES, EXCHANGE),
        ("POST", CONTEXT, {"question": SECRET}),
        ("PATCH", "/api/v1/sessions/{session_id}/turns/1", {"status": "failed"}),
    ]:
        with subtests.test(method=method, path=path, body=str(body)[:80]):
            raw = json.dumps({**body, BAD: 1}).replace(BAD, escape.replace(SECRET, "x"))

            assert_refused(await bystander.send_raw(method, path, raw), 422)


async def test_text_sent_as_a_field_name_is_not_repeated_in_the_error(
    bystander: Bystander,
) -> None:
    body = {"name": "Sales", f"What is the price of {SECRET}?": 1}

    assert_refused(await bystander.send("POST", SESSIONS, json=body), 422)


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u2003"])
async def test_blank_text_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, blank: str
) -> None:
    for method, path, body in [
        ("POST", SESSIONS, {"name": BAD}),
        ("POST", SESSIONS, {"tags": [BAD]}),
        ("POST", SESSIONS, {"databases": [BAD]}),
        ("PATCH", SESSION, {"name": BAD}),
        ("PATCH", SESSION, {"tags": ["x", BAD]}),
        ("POST", MESSAGES, {"role": "user", "content": BAD}),
        ("POST", EXCHANGES, {**EXCHANGE, "question": BAD}),
        ("POST", EXCHANGES, {**EXCHANGE, "answer": BAD}),
        ("POST", CONTEXT, {"question": BAD}),
    ]:
        with subtests.test(method=method, path=path, body=str(body)[:80]):
            raw = json.dumps(body).replace(f'"{BAD}"', json.dumps(blank))

            assert_refused(await bystander.send_raw(method, path, raw), 422)


@pytest.mark.parametrize("field", ["name", "tags", "databases"])
async def test_names_with_control_characters_are_refused(
    subtests: pytest.Subtests, bystander: Bystander, field: str
) -> None:
    for name in [f"{SECRET}\n", f"a\x1b[31m{SECRET}", f"{SECRET}\u2028{SECRET}"]:
        with subtests.test(name=str(name)[:80]):
            text = f"{SECRET} {name} {SECRET}"
            body = {field: text if field == "name" else [text]}

            assert_refused(await bystander.send("POST", SESSIONS, json=body), 422)
            assert_refused(await bystander.send("PATCH", SESSION, json=body), 422)


async def test_values_beyond_the_length_limits_are_refused(
    subtests: pytest.Subtests, bystander: Bystander
) -> None:
    for method, path, body in [
        ("POST", SESSIONS, {"name": "x" * 501}),
        ("PATCH", SESSION, {"name": "x" * 501}),
        ("POST", SESSIONS, {"tags": ["x" * 256]}),
        ("POST", SESSIONS, {"databases": ["x" * 256]}),
        ("POST", SESSIONS, {"tags": [str(n) for n in range(101)]}),
        ("PATCH", SESSION, {"databases": [str(n) for n in range(101)]}),
        ("POST", SESSIONS, {"metadata": {"k" * 1001: 1}}),
        ("POST", MESSAGES, {"role": "user", "content": "x" * 1_000_001}),
        ("POST", MESSAGES, {**ANSWER, "sql_query": "x" * 1_000_001}),
        ("POST", MESSAGES, {**ANSWER, "query_explanation": "x" * 1_000_001}),
        ("POST", MESSAGES, {**ANSWER, "model": "x" * 1001}),
        ("POST", MESSAGES, {**ANSWER, "tables_used": ["x" * 1001]}),
        ("POST", MESSAGES, {**ANSWER, "tables_used": ["x"] * 1001}),
        ("POST", EXCHANGES, {**EXCHANGE, "question": "x" * 1_000_001}),
        ("POST", EXCHANGES, {**EXCHANGE, "answer": "x" * 1_000_001}),
        ("POST", CONTEXT, {"question": "x" * 1_000_001}),
        ("POST", CONTEXT, {"question": SECRET, "model": "x" * 256}),
    ]:
        with subtests.test(method=method, path=path, body=str(body)[:80]):
            response = await bystander.send(method, path, json=body)

            assert_refused(response, 422)
            assert "xxxx" not in response.text
