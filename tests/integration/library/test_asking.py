"""Asking from Python, with await and without."""

import pytest

from recollect import Memory, blocking
from recollect.domain.chat.answers import Answered
from recollect.errors import UserHalted


async def test_a_question_is_answered_and_remembered() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        await session.add_exchange("What did the zeppelin cost?", "Three million.")
        answered = await session.ask("How much was the zeppelin?")
        assert "Three million." in answered.answer.content
        assert answered.session_id == session.id
        assert (await session.info()).turn_count == 2


async def test_a_stream_yields_pieces_and_then_the_whole_answer() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        *pieces, answered = [piece async for piece in session.stream("Hello there?")]
        assert isinstance(answered, Answered)
        assert "".join(map(str, pieces)) == answered.answer.content
        assert [m.role for m in await session.last()] == ["user", "assistant"]


async def test_asking_again_with_the_same_key_returns_the_stored_answer() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        first = await session.ask("Hello there?", idempotency_key="1")
        again = await session.ask("Hello there?", idempotency_key="1")
        assert again.is_repeated
        assert again.reply_id == first.reply_id


async def test_a_halted_user_gets_no_answer() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        assert await memory.state(user="alice") is None
        await memory.set_state("halted", user="alice")
        with pytest.raises(UserHalted):
            await session.ask("Hello?")
        assert await memory.delete_state(user="alice")
        assert (await session.ask("Hello?")).reply_id


def test_the_blocking_twin_asks_and_streams() -> None:
    with blocking.Memory.in_memory() as memory:
        session = memory.session(user="alice")
        assert session.ask("Hello there?").reply_id
        *pieces, answered = session.stream("And again?")
        assert isinstance(answered, Answered)
        assert "".join(map(str, pieces)) == answered.answer.content
        stream = session.stream("Once more?")
        assert isinstance(next(stream), str)
        stream.close()
        turn = session.last(1)[0]
        assert (turn.role, turn.content) == ("user", "Once more?")
        assert memory.set_state("busy", user="alice").mode == "busy"
