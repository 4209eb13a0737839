"""Many messages in one request."""

import json
from uuid import UUID, uuid4

import httpx
import pytest

from support.http.bad_requests import SECRET, Bystander, assert_refused
from support.http.callers import Caller, Json
from support.tables import for_each

BATCH = "/api/v1/sessions/{session_id}/messages:batch"
TALK = [
    {"role": "user", "content": "Who is Rena?", "timestamp": "2024-05-06T09:30:00.000Z"},
    {
        "role": "assistant",
        "content": "Rena Ryuugu is…",
        "timestamp": "2024-05-06T09:30:02.000Z",
        "metadata": {"agentName": "Query", "toolsInvoked": ["semanticSearch"]},
    },
    {"role": "user", "content": "And Keiichi?"},
]


async def send(
    caller: Caller, session_id: str, messages: object, key: str | None = None
) -> httpx.Response:
    headers = None if key is None else {"Idempotency-Key": key}
    path = BATCH.format(session_id=session_id)
    return await caller.post(path, {"messages": messages}, headers)


async def test_a_batch_is_stored_as_if_added_one_by_one(alice: Caller) -> None:
    batched, single = await alice.start_session(), await alice.start_session()

    response = await send(alice, batched["session_id"], TALK)
    for message in TALK:
        await alice.post(f"/api/v1/sessions/{single['session_id']}/messages", message)

    assert response.status_code == 201
    told = response.json()
    stored = await alice.messages(batched, order="asc")
    assert (told["count"], told["first_sequence"], told["last_sequence"]) == (3, 1, 3)
    assert told["messages"] == [
        {name: said[name] for name in ("message_id", "sequence", "turn_number")} for said in stored
    ]
    for ours, theirs in zip(stored, await alice.messages(single, order="asc"), strict=True):
        assert ours["message_id"] != theirs["message_id"]
        for name in ("sequence", "turn_number", "role", "content", "metadata", "is_active"):
            assert ours[name] == theirs[name]
    assert [said["created_at"][:19] for said in stored[:2]] == [
        "2024-05-06T09:30:00",
        "2024-05-06T09:30:02",
    ]
    for number, status in ((1, "complete"), (2, "pending")):
        turn = await alice.get(f"/api/v1/sessions/{batched['session_id']}/turns/{number}")
        assert turn.json()["status"] == status


async def test_a_batch_starts_its_session(alice: Caller) -> None:
    session_id = str(uuid4())

    response = await send(alice, session_id, TALK)

    assert response.status_code == 201
    session = (await alice.get(f"/api/v1/sessions/{session_id}")).json()
    assert (session["message_count"], session["name"]) == (3, "Who is Rena?")


async def test_ten_thousand_messages_are_one_batch(alice: Caller) -> None:
    session = await alice.start_session()
    messages = [
        {"role": "user" if number % 2 == 0 else "assistant", "content": f"number {number}"}
        for number in range(10_000)
    ]

    response = await send(alice, session["session_id"], messages, "import")
    again = await send(alice, session["session_id"], messages, "import")

    assert (response.status_code, again.status_code) == (201, 200)
    assert response.json() == again.json()
    assert [message["sequence"] for message in response.json()["messages"]] == list(
        range(1, 10_001)
    )
    last = await alice.messages(session, limit=1)
    assert (last[0]["content"], last[0]["turn_number"]) == ("number 9999", 5000)


async def test_a_retry_by_ids_of_ones_own_stores_nothing_twice(alice: Caller) -> None:
    session = await alice.start_session()
    messages = [{**message, "message_id": str(uuid4()).upper()} for message in TALK]

    first = await send(alice, session["session_id"], messages)
    again = await send(alice, session["session_id"], messages)
    partly = await send(alice, session["session_id"], [*messages, *TALK])

    assert [first.status_code, again.status_code, partly.status_code] == [201, 200, 409]
    assert first.json() == again.json()
    ids = [str(UUID(message["message_id"])) for message in messages]
    assert [said["message_id"] for said in first.json()["messages"]] == ids
    assert len(await alice.messages(session)) == 3


async def test_a_refused_batch_starts_no_session(alice: Caller) -> None:
    taken = await alice.add(await alice.start_session(), "Hello")
    session_id = str(uuid4())
    conflicting = [*TALK, {**TALK[0], "message_id": taken["message_id"]}]

    for refused, status in ((conflicting, 409), ([*TALK, {"role": "robot", "content": "x"}], 422)):
        assert (await send(alice, session_id, refused)).status_code == status

    assert (await alice.get(f"/api/v1/sessions/{session_id}")).status_code == 404


@for_each(
    ("wrong", "status", "detail"),
    [
        ({"role": "robot", "content": SECRET}, 422, "messages[1].role is not valid: "),
        ({"role": "user"}, 422, "messages[1].content is not valid: "),
        ({"role": "user", "content": " "}, 422, "messages[1].content must not be blank"),
        ({"role": "user", "content": "x", SECRET: 1}, 422, "messages[1].message is not valid: "),
        (
            {"role": "user", "content": "x", "reply_to": "6fa459ea-ee8a-4ca4-894e-db77e160355e"},
            422,
            "messages[1].message is not valid: ",
        ),
        (
            {"role": "user", "content": "x", "timestamp": "2024-05-06T09:30:00"},
            422,
            "messages[1].timestamp is not valid: must have a time zone",
        ),
        (
            {"role": "user", "content": "x", "created_at": "9999-01-01T00:00:00Z"},
            422,
            "messages[1].created_at must not lie more than a day in the future",
        ),
        (
            {"role": "user", "content": "x", "message_id": SECRET},
            400,
            "messages[1].message_id must be a valid UUID",
        ),
        ({"role": "user", "content": "x", "tokens": 7}, 422, "messages[1].tokens can only be"),
        (SECRET, 422, "messages[1].message is not valid: "),
        (None, 422, "messages[1].message is not valid: "),
    ],
)
async def test_one_wrong_message_refuses_the_batch_and_is_named(
    bystander: Bystander, wrong: object, status: int, detail: str
) -> None:
    response = await bystander.send("POST", BATCH, json={"messages": [TALK[0], wrong]})

    assert_refused(response, status)
    assert response.json()["detail"].startswith(detail)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": None},
        {"messages": "x"},
        {"messages": {}},
        {"messages": TALK, "more": 1},
        {"messages": [{"role": "user", "content": "x"}] * 10_001},
        [],
        "x",
    ],
    ids=lambda body: str(body)[:40],
)
async def test_a_body_that_is_no_batch_is_refused(bystander: Bystander, body: Json) -> None:
    assert_refused(await bystander.send("POST", BATCH, json=body), 422)


@for_each(
    "body",
    [
        b"",
        b"{",
        b'{"messages"',
        b'{"messages":',
        b'{"messages": [',
        b'{"messages": [{"role": "user", "content": "x"}',
        b'{"messages": [{"role": "user", "content": "x"},]}',
        b'{"messages": [{"role": "user", "content": "x"}]',
        b'{"messages": [{"role": "user", "content": "x"}]}}',
        b'{"messages": [{"role": "user", "content": "x"}],}',
        b'{messages: [{"role": "user", "content": "x"}]}',
        b'{"messages": [{"role": "user", "content": "\xff"}]}',
    ],
)
async def test_a_batch_that_is_no_json_is_refused(bystander: Bystander, body: bytes) -> None:
    response = await bystander.send(
        "POST", BATCH, content=body, headers={"Content-Type": "application/json"}
    )

    assert response.status_code in {400, 422}


async def test_a_batch_larger_than_the_limit_says_which_one(bystander: Bystander) -> None:
    messages = [{"role": "user", "content": "x" * 900}] * 10_000

    response = await bystander.send(
        "POST", BATCH, content=json.dumps({"messages": messages}).encode()
    )

    assert_refused(response, 422)
    assert "8,000,000 bytes (MEMORY_MAX_BODY_BYTES)" in response.json()["detail"]
