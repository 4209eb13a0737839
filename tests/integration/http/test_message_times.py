"""Messages that bring their own time."""

from datetime import UTC, datetime, timedelta

import pytest

from support.http.callers import Caller, Json
from support.tables import for_each

MESSAGES = "/api/v1/sessions/{}/messages"


@pytest.mark.parametrize("name", ["created_at", "timestamp"])
@pytest.mark.parametrize(
    "time",
    [
        "2024-05-06T09:30:00.000Z",
        "2024-05-06T09:30:00Z",
        "2024-05-06T11:30:00+02:00",
        "2024-05-06 09:30:00+00:00",
    ],
)
async def test_a_message_has_the_created_at_its_client_sends(
    alice: Caller, name: str, time: str
) -> None:
    session = await alice.start_session()

    message = await alice.add(session, "Who is Rena?", **{name: time})

    assert message["created_at"] == "2024-05-06T09:30:00Z"
    assert await alice.messages(session) == [message]
    found = (await alice.get(f"/api/v1/sessions/{session['session_id']}")).json()
    assert found["created_at"] == session["created_at"]
    assert found["updated_at"] > "2025"


async def test_a_time_of_null_is_no_time(alice: Caller) -> None:
    message = await alice.add(await alice.start_session(), "Who is Rena?", created_at=None)

    assert message["created_at"] > "2025"


@for_each(
    "time",
    [
        {"created_at": "2024-05-06T09:30:00"},
        {"created_at": "2024-05-06"},
        {"created_at": "2024-02-30T09:30:00Z"},
        {"created_at": "0001-01-01T00:00:00+14:00"},
        {"created_at": "yesterday"},
        {"created_at": ""},
        {"created_at": "1714987800"},
        {"created_at": 1_714_987_800},
        {"created_at": 1_714_987_800_000},
        {"created_at": True},
        {"created_at": ["2024-05-06T09:30:00Z"]},
        {"created_at": "9999-12-31T23:59:59Z"},
        {"timestamp": "2024-05-06T09:30:00"},
        {"created_at": "2024-05-06T09:30:00Z", "timestamp": "2024-05-06T09:30:00Z"},
    ],
)
async def test_an_invalid_created_at_is_refused(alice: Caller, time: Json) -> None:
    session = await alice.start_session()
    body = {"role": "user", "content": "Who is Rena?", **time}

    response = await alice.post(MESSAGES.format(session["session_id"]), body)

    assert response.status_code == 422
    assert await alice.messages(session) == []


async def test_a_clock_may_be_ahead_by_less_than_a_day(alice: Caller) -> None:
    session = await alice.start_session()
    statuses = []
    for days in (0.5, 1.5):
        time = datetime.now(UTC) + timedelta(days=days)
        body = {"role": "user", "content": "Who is Rena?", "created_at": time.isoformat()}
        response = await alice.post(MESSAGES.format(session["session_id"]), body)
        statuses.append(response.status_code)

    assert statuses == [201, 422]
    assert len(await alice.messages(session)) == 1


async def test_the_order_is_that_of_storing_and_the_history_that_of_time(alice: Caller) -> None:
    session = await alice.start_session()
    for day in (3, 1, 2):
        await alice.add(session, f"day {day}", created_at=f"2024-05-0{day}T12:00:00Z")

    in_session = await alice.messages(session, order="asc")
    by_time = await alice.history(order="asc")

    assert [message["content"] for message in in_session] == ["day 3", "day 1", "day 2"]
    assert [message["sequence"] for message in in_session] == [1, 2, 3]
    assert [message["content"] for message in by_time] == ["day 1", "day 2", "day 3"]
