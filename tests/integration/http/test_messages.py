from uuid import UUID, uuid4

import pytest

from support.examples import EVERY_KIND_OF_JSON
from support.http.callers import Caller, Json

DETAILS: Json = {
    "sql_query": "SELECT region, SUM(amount) FROM sales GROUP BY region",
    "query_explanation": "Adds the amounts.",
    "tables_used": ["sales", "regions"],
    "execution_result": {"columns": ["region", "sales"], "row_count": 1},
    "tokens": 1234,
    "execution_time_ms": 12.5,
    "citations": [{"title": "a"}, "b", 3],
    "model": "a-model-1",
}
PLAIN_FIELDS = {
    "is_active",
    "message_id",
    "session_id",
    "sequence",
    "turn_number",
    "role",
    "content",
    "metadata",
    "created_at",
}


async def test_a_stored_message_is_returned_with_all_its_fields(alice: Caller) -> None:
    session = await alice.start_session()

    message = await alice.add(session, "  Show me\tsales\n", metadata=EVERY_KIND_OF_JSON)

    assert set(message) == PLAIN_FIELDS
    assert str(UUID(message["message_id"])) == message["message_id"]
    assert message["session_id"] == session["session_id"]
    assert (message["sequence"], message["turn_number"]) == (1, 1)
    assert (message["role"], message["content"]) == ("user", "  Show me\tsales\n")
    assert message["metadata"] == EVERY_KIND_OF_JSON
    assert await alice.messages(session) == [message]


async def test_details_of_an_answer_come_back_with_their_types(alice: Caller) -> None:
    session = await alice.start_session()
    await alice.add(session, "Sales?")

    stored = await alice.add(session, "2.5M", role="assistant", **DETAILS)
    listed = (await alice.messages(session))[0]

    assert listed == stored
    assert set(stored) == PLAIN_FIELDS | set(DETAILS)
    for name, value in DETAILS.items():
        assert repr(listed[name]) == repr(value)


@pytest.mark.parametrize("number", [1e15, 1e16, 1e18, 1e19, 1.8e19, -1e19, 1e22, 1e300, 1e-300])
async def test_a_large_number_in_the_details_can_be_read_again(
    alice: Caller, number: float
) -> None:
    session = await alice.start_session()
    await alice.add(session, "How many?")
    await alice.add(session, "Many", role="assistant", citations=[number])

    listed = await alice.messages(session)

    assert listed[0]["citations"] == [number]


async def test_of_a_result_that_a_client_sends_its_columns_and_count_are_stored(
    alice: Caller,
) -> None:
    session = await alice.start_session()
    await alice.add(session, "Sales?")
    rows = [{"region": "North", "sales": 98765}, {"region": "South", "sales": 43210}]

    stored = await alice.add(session, "North 98765", role="assistant", execution_result=rows)

    assert stored["execution_result"] == {"columns": ["region", "sales"], "row_count": 2}
    assert stored["content"] == "North 98765"
    assert await alice.messages(session) == [stored, (await alice.messages(session))[1]]


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), 1e18, 1e19, -1e19, 1e300, 5e-324])
async def test_a_large_number_in_the_metadata_can_be_read_again(
    alice: Caller, number: float
) -> None:
    session = await alice.start_session(metadata={"n": number})
    message = await alice.add(session, "How many?", metadata={"n": number})

    found = (await alice.get(f"/api/v1/sessions/{session['session_id']}")).json()

    assert found["metadata"] == {"n": number}
    assert await alice.messages(session) == [message]


async def test_a_plain_answer_has_no_details(alice: Caller) -> None:
    session = await alice.start_session()
    await alice.add(session, "Sales?")

    answer = await alice.add(session, "2.5M", role="assistant")

    assert set(answer) == PLAIN_FIELDS
    assert set((await alice.messages(session))[0]) == PLAIN_FIELDS


async def test_sequence_numbers_count_from_one_without_gaps(alice: Caller) -> None:
    session = await alice.start_session()
    for n in range(5):
        await alice.add(session, f"message {n}")

    listed = await alice.messages(session, order="asc")

    assert [message["sequence"] for message in listed] == [1, 2, 3, 4, 5]
    assert [message["content"] for message in listed] == [f"message {n}" for n in range(5)]


async def test_messages_are_listed_newest_first_unless_asked_otherwise(alice: Caller) -> None:
    session = await alice.start_session()
    for n in range(3):
        await alice.add(session, f"message {n}")

    default = await alice.messages(session)

    assert [message["sequence"] for message in default] == [3, 2, 1]
    assert await alice.messages(session, order="desc") == default
    assert await alice.messages(session, order="asc") == default[::-1]


async def test_one_deleted_message_leaves_the_others(alice: Caller) -> None:
    session = await alice.start_session()
    first, second, third = [await alice.add(session, f"message {n}") for n in range(3)]
    path = f"/api/v1/sessions/{session['session_id']}/messages/{second['message_id'].upper()}"

    response = await alice.delete(path)

    assert (response.status_code, response.content) == (204, b"")
    assert await alice.messages(session, order="asc") == [first, third]
    assert (await alice.delete(path)).status_code == 404
    assert (await alice.add(session, "next"))["sequence"] == 4


async def test_a_message_is_not_deleted_through_another_session(alice: Caller) -> None:
    session, other = await alice.start_session(), await alice.start_session()
    message = await alice.add(session, "Hello")

    response = await alice.delete(
        f"/api/v1/sessions/{other['session_id']}/messages/{message['message_id']}"
    )

    assert response.status_code == 404
    assert await alice.messages(session) == [message]


async def test_a_cleared_session_stays_and_is_empty(alice: Caller) -> None:
    session, other = await alice.start_session(), await alice.start_session()
    for n in range(3):
        await alice.add(session, f"message {n}")
    kept = await alice.add(other, "kept")
    path = f"/api/v1/sessions/{session['session_id']}"

    response = await alice.delete(f"{path}/messages")

    assert (response.status_code, response.json()) == (200, {"deleted": 3})
    assert await alice.messages(session) == []
    assert (await alice.get(path)).json()["message_count"] == 0
    assert await alice.messages(other) == [kept]
    assert (await alice.delete(f"{path}/messages")).json() == {"deleted": 0}


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_messages_of_an_unknown_session_are_not_found(alice: Caller, method: str) -> None:
    response = await alice.send(method, f"/api/v1/sessions/{uuid4()}/messages")

    assert response.status_code == 404
    assert response.json()["error"] == "Session not found"
