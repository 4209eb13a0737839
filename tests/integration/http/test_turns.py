from uuid import uuid4

import httpx
import pytest

from support.http.callers import Caller, Json


def turn_path(session: Json, number: int) -> str:
    return f"/api/v1/sessions/{session['session_id']}/turns/{number}"


async def status_of(caller: Caller, session: Json, number: int) -> str:
    response = await caller.get(turn_path(session, number))
    assert response.status_code == 200
    assert response.json()["turn_number"] == number
    status: str = response.json()["status"]
    return status


async def test_a_question_is_pending_until_it_is_answered(alice: Caller) -> None:
    session = await alice.start_session()
    question = await alice.add(session, "Sales?")
    assert await status_of(alice, session, 1) == "pending"

    answer = await alice.add(session, "2.5M", role="assistant")

    assert await status_of(alice, session, 1) == "complete"
    assert question["turn_number"] == answer["turn_number"] == 1


async def test_a_system_message_belongs_to_no_turn(alice: Caller) -> None:
    session = await alice.start_session()

    message = await alice.add(session, "You are brief.", role="system")

    assert message["turn_number"] is None
    assert (await alice.get(turn_path(session, 1))).status_code == 404


async def test_a_pending_turn_can_be_failed_and_keeps_its_question(alice: Caller) -> None:
    session = await alice.start_session()
    question = await alice.add(session, "Sales?")

    response = await alice.patch(turn_path(session, 1), {"status": "failed"})

    assert (response.status_code, response.json()) == (200, {"turn_number": 1, "status": "failed"})
    assert await status_of(alice, session, 1) == "failed"
    assert await alice.messages(session) == [question]


async def test_an_answered_turn_stays_answered(alice: Caller) -> None:
    session = await alice.start_session()
    await alice.add(session, "Sales?")
    await alice.add(session, "2.5M", role="assistant")

    response = await alice.patch(turn_path(session, 1), {"status": "failed"})

    assert response.json() == {"turn_number": 1, "status": "complete"}


async def test_a_reply_belongs_to_the_question_it_names(alice: Caller) -> None:
    session = await alice.start_session()
    first = await alice.add(session, "Sales of 2024?")
    await alice.add(session, "Sales of 2023?")

    reply = await alice.add(session, "2.5M", role="assistant", reply_to=first["message_id"].upper())

    assert reply["turn_number"] == 1
    assert await status_of(alice, session, 1) == "complete"
    assert await status_of(alice, session, 2) == "pending"


async def test_a_reply_belongs_to_the_latest_question_if_it_names_none(alice: Caller) -> None:
    session = await alice.start_session()
    await alice.add(session, "Sales of 2024?")
    await alice.add(session, "Sales of 2023?")

    assert (await alice.add(session, "1.9M", role="assistant"))["turn_number"] == 2


async def reply_to(caller: Caller, session: Json, message_id: str) -> httpx.Response:
    body = {"role": "assistant", "content": "2.5M", "reply_to": message_id}
    return await caller.post(f"/api/v1/sessions/{session['session_id']}/messages", body)


async def test_a_reply_to_an_unknown_message_is_not_stored(alice: Caller) -> None:
    session, other = await alice.start_session(), await alice.start_session()
    await alice.add(session, "Sales?")
    elsewhere = await alice.add(other, "Sales?")

    unknown = await reply_to(alice, session, str(uuid4()))
    in_another_session = await reply_to(alice, session, elsewhere["message_id"])

    assert unknown.status_code == in_another_session.status_code == 404
    assert len(await alice.messages(session)) == 1
    assert await status_of(alice, session, 1) == "pending"


@pytest.mark.parametrize("method", ["GET", "PATCH"])
async def test_an_unknown_turn_is_not_found(alice: Caller, method: str) -> None:
    session = await alice.start_session()
    await alice.add(session, "Sales?")
    body = {"status": "failed"} if method == "PATCH" else None

    for path in (turn_path(session, 2), turn_path({"session_id": str(uuid4())}, 1)):
        response = await alice.send(method, path, json=body)
        assert response.status_code == 404
        assert response.json()["error"] == "Turn not found"
