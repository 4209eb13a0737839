import asyncio
from uuid import uuid4

import httpx
import pytest

from support.http.callers import Caller, Json

QUESTION: Json = {"role": "user", "content": "Show me total sales"}


async def add(caller: Caller, session: Json, body: Json, key: str | None = None) -> httpx.Response:
    headers = None if key is None else {"Idempotency-Key": key}
    return await caller.post(f"/api/v1/sessions/{session['session_id']}/messages", body, headers)


async def test_a_retry_with_the_same_message_id_stores_nothing_twice(alice: Caller) -> None:
    session = await alice.start_session()
    body = {**QUESTION, "message_id": str(uuid4())}

    first = await add(alice, session, body)
    again = await add(alice, session, body)
    shouted = await add(alice, session, {**body, "message_id": body["message_id"].upper()})

    assert [first.status_code, again.status_code, shouted.status_code] == [201, 200, 200]
    assert first.json()["message_id"] == body["message_id"]
    assert first.json() == again.json() == shouted.json()
    assert await alice.messages(session) == [first.json()]


async def test_a_retry_with_the_same_idempotency_key_stores_nothing_twice(alice: Caller) -> None:
    session = await alice.start_session()

    first = await add(alice, session, QUESTION, "any text: ü 1")
    again = await add(alice, session, QUESTION, "any text: ü 1")

    assert [first.status_code, again.status_code] == [201, 200]
    assert first.json() == again.json()
    assert await alice.messages(session) == [first.json()]


async def test_a_different_idempotency_key_stores_a_second_message(alice: Caller) -> None:
    session = await alice.start_session()

    first = await add(alice, session, QUESTION, "key 1")
    second = await add(alice, session, QUESTION, "key 2")

    assert [first.status_code, second.status_code] == [201, 201]
    assert len(await alice.messages(session)) == 2


async def test_the_same_key_in_another_session_is_another_message(alice: Caller) -> None:
    session, other = await alice.start_session(), await alice.start_session()

    first = await add(alice, session, QUESTION, "key")
    second = await add(alice, other, QUESTION, "key")

    assert [first.status_code, second.status_code] == [201, 201]


async def test_an_empty_idempotency_key_is_an_absent_one(alice: Caller) -> None:
    session = await alice.start_session()

    responses = [await add(alice, session, QUESTION, "") for _ in range(2)]

    assert [response.status_code for response in responses] == [201, 201]


async def test_the_message_id_counts_before_the_key(alice: Caller) -> None:
    session = await alice.start_session()
    message_id = str(uuid4())

    first = await add(alice, session, {**QUESTION, "message_id": message_id}, "key")
    second = await add(alice, session, QUESTION, "key")

    assert first.json()["message_id"] == message_id
    assert second.status_code == 201


@pytest.mark.parametrize(
    "other", [{"role": "user", "content": "Something else"}, {**QUESTION, "role": "system"}]
)
@pytest.mark.parametrize("key", ["a key", None])
async def test_the_same_id_for_a_different_message_is_a_conflict(
    alice: Caller, other: Json, key: str | None
) -> None:
    session = await alice.start_session()
    identity = {} if key else {"message_id": str(uuid4())}
    first = await add(alice, session, {**QUESTION, **identity}, key)

    response = await add(alice, session, {**other, **identity}, key)

    assert response.status_code == 409
    assert set(response.json()) == {"error", "detail"}
    assert "Something else" not in response.text
    assert await alice.messages(session) == [first.json()]


async def test_a_message_id_used_in_another_session_is_a_conflict(alice: Caller) -> None:
    session, other = await alice.start_session(), await alice.start_session()
    body = {**QUESTION, "message_id": str(uuid4())}
    await add(alice, session, body)

    response = await add(alice, other, body)

    assert response.status_code == 409
    assert await alice.messages(other) == []


async def test_a_late_retry_finds_its_message_after_the_conversation_went_on(
    alice: Caller,
) -> None:
    session = await alice.start_session()
    first = await add(alice, session, QUESTION, "key")
    await alice.add(session, "2.5M", role="assistant")
    await alice.add(session, "And 2023?")

    again = await add(alice, session, QUESTION, "key")

    assert again.status_code == 200
    assert again.json() == first.json()
    assert len(await alice.messages(session)) == 3


async def test_retries_at_the_same_moment_store_one_message(alice: Caller) -> None:
    session = await alice.start_session()

    responses = await asyncio.gather(*(add(alice, session, QUESTION, "key") for _ in range(8)))

    assert sorted(response.status_code for response in responses) == [200] * 7 + [201]
    assert len({response.content for response in responses}) == 1
    found = (await alice.get(f"/api/v1/sessions/{session['session_id']}")).json()
    assert (found["message_count"], found["turn_count"]) == (1, 1)
