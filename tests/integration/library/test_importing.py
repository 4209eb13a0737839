"""Messages that come from elsewhere: own times, many at once, no session named."""

import json
from datetime import UTC, datetime, timedelta, timezone
from uuid import uuid4

import pytest

from recollect import IdAlreadyUsed, InvalidInput, InvalidRole, Memory

MONDAY = datetime(2024, 5, 6, 9, 30, tzinfo=UTC)


@pytest.fixture
def user() -> str:
    return f"user-{uuid4()}"


async def test_an_imported_message_has_the_time_its_caller_gives(memory: Memory, user: str) -> None:
    session = await memory.session(user=user)
    in_amsterdam = MONDAY.astimezone(timezone(timedelta(hours=2)))
    message = await session.add("user", "Sales?", created_at=in_amsterdam)
    pair = await session.add_exchange("And costs?", "1.2M", created_at=MONDAY)
    assert [said.created_at for said in (message, *pair)] == [MONDAY] * 3
    assert message.created_at.tzinfo is UTC
    assert (await session.info()).updated_at > MONDAY


@pytest.mark.parametrize(
    ("created_at", "problem"),
    [
        (datetime(2024, 5, 6, 9, 30), "must have a time zone"),  # noqa: DTZ001  # that is the point
        (datetime.max.replace(tzinfo=UTC), "must not lie more than a day in the future"),
        (
            datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))),
            "must lie between the years 1 and 9999",
        ),
        (1_714_987_800, "must be a time"),
    ],
)
async def test_an_invalid_message_time_is_refused(
    memory: Memory, user: str, created_at: datetime, problem: str
) -> None:
    session = await memory.session(user=user)
    with pytest.raises(InvalidInput, match=f"created_at {problem}"):
        await session.add("user", "Sales?", created_at=created_at)
    assert (await session.info()).message_count == 0


async def test_many_messages_are_stored_at_once(memory: Memory, user: str) -> None:
    session = await memory.session(user=user)
    exported = json.loads(
        """[
        {"role": "user", "content": "Sales?", "created_at": "2024-05-06T09:30:00.000Z"},
        {"role": "assistant", "content": "2.5M", "tables_used": ["sales"], "tokens": 7},
        {"role": "user", "content": "And costs?", "metadata": {"agentName": "Query"},
         "message_id": "6FA459EA-EE8A-4CA4-894E-DB77E160355E"}
        ]"""
    )
    stored = await session.add_many(exported)
    assert [(message.sequence, message.turn_number) for message in stored] == [
        (1, 1),
        (2, 1),
        (3, 2),
    ]
    assert stored[0].created_at == MONDAY
    assert stored[1].details.tables_used == ("sales",)
    assert stored[2].metadata == {"agentName": "Query"}
    assert await session.last() == stored


async def test_the_same_batch_again_stores_nothing_twice(memory: Memory, user: str) -> None:
    session = await memory.session(user=user)
    batch = [{"role": "user", "content": "Sales?"}, {"role": "assistant", "content": "2.5M"}]
    first = await session.add_many(batch, idempotency_key="import 1")
    assert await session.add_many(batch, idempotency_key="import 1") == first
    with pytest.raises(IdAlreadyUsed):
        await session.add_many([*batch, *batch], idempotency_key="import 1")
    assert (await session.info()).message_count == 2


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"role": "robot", "content": "Hello"}, r"messages\[1\]\.role must be one of: user"),
        ({"role": "user"}, r"messages\[1\]\.content is missing"),
        ({"role": "user", "content": " "}, r"messages\[1\]\.content must not be blank"),
        ({"role": "user", "content": "Hi", "time": 1}, r"messages\[1\]\.time is not a field"),
        (
            {"role": "user", "content": "Hi", "created_at": "yesterday"},
            r"messages\[1\]\.created_at must be a time in ISO 8601",
        ),
        (
            {"role": "user", "content": "Hi", "created_at": "2024-05-06T09:30:00"},
            r"messages\[1\]\.created_at must have a time zone",
        ),
        ("Hello", r"messages\[1\]\.message must be a mapping"),
    ],
)
async def test_one_wrong_message_refuses_the_batch_and_is_named(
    memory: Memory, user: str, wrong: object, problem: str
) -> None:
    session = await memory.session(user=user)
    with pytest.raises(InvalidInput, match=problem):
        await session.add_many([{"role": "user", "content": "Sales?"}, wrong])  # type: ignore[list-item]  # that is the point
    assert (await session.info()).message_count == 0


async def test_an_empty_or_too_large_batch_is_refused(memory: Memory, user: str) -> None:
    session = await memory.session(user=user)
    message = {"role": "user", "content": "Sales?"}
    for count in (0, 10_001):
        with pytest.raises(InvalidInput, match="must be 1 to 10,000 at a time"):
            await session.add_many(message for _ in range(count))


async def test_a_message_needs_no_session(memory: Memory, user: str) -> None:
    history = memory.history(user)
    question = await history.add("user", "Sales?")
    answer = await history.add("assistant", "2.5M", sql_query="SELECT 1", created_at=MONDAY)
    await history.add_many([{"role": "user", "content": "And costs?"}])
    assert (question.turn_number, answer.turn_number) == (1, 1)
    assert question.session_id == answer.session_id == history.session_id
    session = await memory.session(history.session_id, user=user)
    assert [message.content for message in await session.last()] == ["Sales?", "2.5M", "And costs?"]
    assert [message.content for message in await history.last()] == ["2.5M", "Sales?", "And costs?"]


async def test_a_retried_message_without_a_session_is_stored_once(
    memory: Memory, user: str
) -> None:
    history = memory.history(user)
    first = await history.add("user", "Sales?", idempotency_key="k")
    assert await history.add("user", "Sales?", idempotency_key="k") == first
    assert await history.count() == 1


async def test_an_unknown_role_is_an_error_of_its_own(memory: Memory, user: str) -> None:
    with pytest.raises(InvalidRole, match="role must be one of: user, assistant, system"):
        await memory.history(user).add("robot", "Hello")
