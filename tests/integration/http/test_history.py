from uuid import uuid4

import pytest

from support.http.callers import Caller, Json


async def remember(caller: Caller, count: int) -> list[Json]:
    """Messages in turn in two sessions, oldest first."""
    sessions = [await caller.start_session(), await caller.start_session()]
    return [await caller.add(sessions[n % 2], f"message {n}") for n in range(count)]


async def test_the_history_has_the_messages_of_all_sessions_by_time(alice: Caller) -> None:
    messages = await remember(alice, 5)

    assert await alice.history() == messages[::-1]
    assert await alice.history(order="asc") == messages


async def test_the_history_count_is_the_number_of_its_messages(alice: Caller) -> None:
    assert (await alice.get("/api/v1/history/count")).json() == {"count": 0}

    await remember(alice, 5)

    assert (await alice.get("/api/v1/history/count")).json() == {"count": 5}


async def test_one_message_is_deleted_in_whichever_session_it_is(alice: Caller) -> None:
    messages = await remember(alice, 4)
    gone = messages.pop(2)

    response = await alice.delete(f"/api/v1/history/{gone['message_id'].upper()}")

    assert (response.status_code, response.content) == (204, b"")
    assert await alice.history(order="asc") == messages
    again = await alice.delete(f"/api/v1/history/{gone['message_id']}")
    assert (again.status_code, again.json()["error"]) == (404, "Message not found")
    session = (await alice.get(f"/api/v1/sessions/{gone['session_id']}")).json()
    assert session["message_count"] == 1


@pytest.mark.parametrize("path", ["/api/v1/history/", "/api/v1/sessions/{session_id}/messages/"])
async def test_an_empty_id_deletes_nothing_and_leads_nowhere(alice: Caller, path: str) -> None:
    messages = await remember(alice, 2)
    path = path.format(session_id=messages[0]["session_id"])

    response = await alice.client.request(
        "DELETE", alice.url + path, headers=alice.headers, follow_redirects=True
    )

    assert response.status_code == 404
    assert not response.history
    assert len(await alice.history()) == 2


async def test_clearing_the_history_leaves_the_sessions(alice: Caller) -> None:
    await remember(alice, 4)

    response = await alice.delete("/api/v1/history")

    assert (response.status_code, response.json()) == (200, {"deleted": 4})
    assert await alice.history() == []
    sessions = (await alice.get("/api/v1/sessions")).json()["items"]
    assert [(item["message_count"], item["turn_count"]) for item in sessions] == [(0, 0), (0, 0)]
    assert (await alice.delete("/api/v1/history")).json() == {"deleted": 0}


@pytest.mark.parametrize(
    ("keep_last", "kept"), [(0, 0), (1, 1), (3, 3), (5, 5), (6, 5), (2**31 - 1, 5)]
)
async def test_trimming_keeps_the_newest_messages(alice: Caller, keep_last: int, kept: int) -> None:
    messages = await remember(alice, 5)

    response = await alice.delete("/api/v1/history", keep_last=keep_last)

    assert (response.status_code, response.json()) == (200, {"deleted": 5 - kept})
    assert await alice.history(order="asc") == messages[5 - kept :]
    assert (await alice.get("/api/v1/history/count")).json() == {"count": kept}
    sessions = (await alice.get("/api/v1/sessions")).json()["items"]
    assert sum(item["message_count"] for item in sessions) == kept


async def test_a_message_that_never_was_is_not_found(alice: Caller) -> None:
    response = await alice.delete(f"/api/v1/history/{uuid4()}")

    assert response.status_code == 404


async def test_a_message_needs_no_session(alice: Caller) -> None:
    question = await alice.post("/api/v1/history", {"role": "user", "content": "Sales?"})
    answer = await alice.post("/api/v1/history", {"role": "assistant", "content": "2.5M"})

    assert (question.status_code, answer.status_code) == (201, 201)
    assert question.json()["session_id"] == answer.json()["session_id"]
    assert question.json()["turn_number"] == answer.json()["turn_number"] == 1
    assert await alice.history() == [answer.json(), question.json()]
    assert len((await alice.get("/api/v1/sessions")).json()["items"]) == 1


async def test_a_retried_message_without_a_session_is_stored_once(alice: Caller) -> None:
    body = {"role": "user", "content": "Sales?"}
    first = await alice.post("/api/v1/history", body, {"Idempotency-Key": "k"})
    again = await alice.post("/api/v1/history", body, {"Idempotency-Key": "k"})

    assert (first.status_code, again.status_code) == (201, 200)
    assert await alice.history() == [first.json()] == [again.json()]


@pytest.mark.parametrize(
    "body",
    [
        {"role": "robot", "content": "Hello"},
        {"role": "user", "content": ""},
        {"role": "user", "content": "Hello", "session_id": "6fa459ea-ee8a-4ca4-894e-db77e160355e"},
        {
            "role": "assistant",
            "content": "Hello",
            "reply_to": "6fa459ea-ee8a-4ca4-894e-db77e160355e",
        },
    ],
    ids=str,
)
async def test_a_wrong_message_without_a_session_is_refused(alice: Caller, body: Json) -> None:
    assert (await alice.post("/api/v1/history", body)).status_code == 422
    assert (await alice.get("/api/v1/sessions")).json()["items"] == []
