"""`POST /api/v1/rewrite`, over real HTTP."""

from uuid import uuid4

import pytest

from support.http.callers import Caller, Tenant

HISTORY = [
    {"role": "user", "content": "Show me total sales by region for 2024"},
    {"role": "assistant", "content": "North 2.5M, South 1.8M"},
]


async def test_a_follow_up_stands_by_itself_with_the_history_given(alice: Caller) -> None:
    body = {"question": "What about 2023?", "history": HISTORY}
    response = await alice.post("/api/v1/rewrite", body)
    assert response.status_code == 200
    found = response.json()
    assert found["standalone_question"] == "Show me total sales by region for 2023"
    assert (found["is_follow_up"], found["method"], found["language"]) == (True, "rules", "en")
    assert found["signals"] == ['"2023" takes the place of "2024"']
    assert 0.6 <= found["confidence"] <= 1
    assert found["topic"] is None
    assert found["context_terms"] == ["Show", "total", "sales", "region", "2024"]


async def test_a_follow_up_stands_by_itself_with_a_stored_session(alice: Caller) -> None:
    session = await alice.start_session()
    for message in HISTORY:
        await alice.add(session, **message)
    body = {"question": "What about 2023?", "session_id": session["session_id"]}
    found = (await alice.post("/api/v1/rewrite", body)).json()
    assert found["standalone_question"] == "Show me total sales by region for 2023"


async def test_after_an_answer_with_sql_rules_rewrite_without_doubt(alice: Caller) -> None:
    answer = {**HISTORY[1], "sql_query": "SELECT SUM(amount) FROM sales WHERE year = 2024"}
    body = {"question": "What about 2023?", "history": [HISTORY[0], answer]}
    found = (await alice.post("/api/v1/rewrite", body)).json()
    assert found["standalone_question"] == "Show me total sales by region for 2023"


async def test_a_standalone_question_comes_back_unchanged(alice: Caller) -> None:
    question = "How many employees do we have?"
    body = {"question": question, "history": HISTORY}
    found = (await alice.post("/api/v1/rewrite", body)).json()
    assert (found["standalone_question"], found["is_follow_up"]) == (question, False)
    assert found["method"] == "none"


async def test_rewriting_in_a_session_of_another_user_is_not_found(
    alice: Caller, tenant: Tenant
) -> None:
    session = await alice.start_session()
    bob = await tenant.user("bob")
    body = {"question": "What about 2023?", "session_id": session["session_id"]}
    assert (await bob.post("/api/v1/rewrite", body)).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"question": "What about 2023?"},
        {"question": "What about 2023?", "history": [], "session_id": str(uuid4())},
        {"question": " ", "history": []},
        {"question": "x\0", "history": []},
        {"question": "What about 2023?", "history": [{"role": "robot", "content": "x"}]},
        {"question": "What about 2023?", "history": [{"role": "user", "content": "x\0"}]},
        {"question": "What about 2023?", "history": [], "language": "xx"},
        {"question": "What about 2023?", "history": "before"},
        {"question": "What about 2023?", "history": [], "more": 1},
    ],
)
async def test_an_invalid_rewrite_request_is_refused(
    alice: Caller, body: dict[str, object]
) -> None:
    response = await alice.post("/api/v1/rewrite", body)
    assert response.status_code == 422
    assert response.json().keys() == {"error", "detail"}


async def test_rewriting_with_an_invalid_session_id_is_refused(alice: Caller) -> None:
    body = {"question": "What about 2023?", "session_id": "abc"}
    response = await alice.post("/api/v1/rewrite", body)
    assert response.status_code == 400
    assert response.json()["error"] == "Invalid session_id format"
