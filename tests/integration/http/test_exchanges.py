from uuid import uuid4

import httpx

from support.http.callers import Caller, Json

EXCHANGE: Json = {
    "question": "Show me total sales",
    "answer": "2.5M",
    "sql_query": "SELECT 1",
    "tokens": 7,
    "tables_used": ["sales"],
}


async def exchange(
    caller: Caller, session: Json, body: Json, key: str | None = None
) -> httpx.Response:
    headers = None if key is None else {"Idempotency-Key": key}
    return await caller.post(f"/api/v1/sessions/{session['session_id']}/exchanges", body, headers)


async def test_an_exchange_is_one_complete_turn(alice: Caller) -> None:
    session = await alice.start_session()

    response = await exchange(alice, session, EXCHANGE)

    assert response.status_code == 201
    question, answer = response.json()["question"], response.json()["answer"]
    assert (question["role"], question["content"]) == ("user", "Show me total sales")
    assert (answer["role"], answer["content"]) == ("assistant", "2.5M")
    assert (question["sequence"], answer["sequence"]) == (1, 2)
    assert question["turn_number"] == answer["turn_number"] == 1
    assert (answer["sql_query"], answer["tokens"]) == ("SELECT 1", 7)
    assert "sql_query" not in question
    assert await alice.messages(session) == [answer, question]
    turn = await alice.get(f"/api/v1/sessions/{session['session_id']}/turns/1")
    assert turn.json() == {"turn_number": 1, "status": "complete"}


async def test_a_repeated_exchange_stores_nothing_twice(alice: Caller) -> None:
    session = await alice.start_session()

    first = await exchange(alice, session, EXCHANGE, "key")
    again = await exchange(alice, session, EXCHANGE, "key")

    assert [first.status_code, again.status_code] == [201, 200]
    assert first.json() == again.json()
    assert len(await alice.messages(session)) == 2


async def test_another_exchange_under_the_same_key_is_a_conflict_and_stores_neither_half(
    alice: Caller,
) -> None:
    session = await alice.start_session()
    await exchange(alice, session, EXCHANGE, "key")

    response = await exchange(alice, session, {**EXCHANGE, "answer": "Something else"}, "key")

    assert response.status_code == 409
    assert len(await alice.messages(session)) == 2


async def test_the_first_exchange_names_the_session(alice: Caller) -> None:
    session = await alice.start_session()
    await exchange(alice, session, EXCHANGE)

    found = (await alice.get(f"/api/v1/sessions/{session['session_id']}")).json()

    assert found["name"] == "Show me total sales"
    assert (found["message_count"], found["turn_count"]) == (2, 1)


async def test_the_first_exchange_starts_its_session(alice: Caller) -> None:
    session: Json = {"session_id": str(uuid4())}

    response = await exchange(alice, session, {**EXCHANGE, "created_at": "2024-05-06T09:30:00Z"})

    assert response.status_code == 201
    messages = await alice.messages(session)
    assert [message["created_at"] for message in messages] == ["2024-05-06T09:30:00Z"] * 2
