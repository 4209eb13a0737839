"""The turn pipeline, with an answerer that does what it is told."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from recollect.domain.chat.answers import Answer, Answered, AnswerRequest, Inquiry
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.errors import (
    ConfigurationError,
    InvalidInput,
    ModelUnavailable,
    SessionNotFound,
    UserHalted,
)
from support.chat_services import SCOPE, SESSION, Setup, pieces_of
from support.scripted_answerer import ScriptedAnswerer
from support.tables import for_each


async def test_a_question_and_its_answer_are_stored_and_returned() -> None:
    setup = Setup(answerer=ScriptedAnswerer("North 2.5M"))
    answered = await setup.ask("Sales by region for 2024?")
    assert answered.answer.content == "North 2.5M"
    assert (answered.session_id, answered.warnings) == (SESSION, ())
    assert await setup.stored_texts() == [
        ("user", "Sales by region for 2024?"),
        ("assistant", "North 2.5M"),
    ]
    assert await setup.status(1) is TurnStatus.COMPLETE
    stored = await setup.services.messages.last(SCOPE, SESSION, count=2)
    assert [m.message_id for m in stored] == [answered.question_id, answered.reply_id]


async def test_the_answerer_gets_the_question_as_asked_and_standalone_with_the_turns_before() -> (
    None
):
    setup = Setup()
    await setup.ask("Show me total sales by region for 2024")
    await setup.ask("What about 2023?")
    context = setup.answerer.requests[1].context
    assert context.question == "What about 2023?"
    assert context.standalone_question == "Show me total sales by region for 2023"
    assert [message.content for message in context.window] == [
        "Show me total sales by region for 2024",
        "Fine.",
    ]


async def test_the_question_is_stored_before_the_answerer_works() -> None:
    answerer = ScriptedAnswerer()
    answerer.gate = asyncio.Event()
    setup = Setup(answerer=answerer)
    asking = asyncio.create_task(setup.ask("Hello?"))
    await answerer.has_been_asked()
    assert await setup.stored_texts() == [("user", "Hello?")]
    assert await setup.status(1) is TurnStatus.PENDING
    answerer.gate.set()
    await asking
    assert await setup.status(1) is TurnStatus.COMPLETE


async def test_a_halted_user_gets_no_answer_and_nothing_is_stored() -> None:
    setup = Setup()
    await setup.services.states.put(SCOPE, "halted")
    for uses_memory in (True, False):
        with pytest.raises(UserHalted):
            await setup.ask("Hello?", uses_memory=uses_memory)
    assert setup.answerer.requests == []
    with pytest.raises(SessionNotFound):
        await setup.stored_texts()
    await setup.services.states.put(SCOPE, "active")
    assert (await setup.ask("Hello?")).reply_id


async def test_a_failed_answer_leaves_a_failed_turn_that_no_window_shows() -> None:
    setup = Setup(answerer=ScriptedAnswerer(error=ModelUnavailable("the model is away")))
    with pytest.raises(ModelUnavailable, match="is away"):
        await setup.ask("Hello?")
    assert await setup.status(1) is TurnStatus.FAILED
    assert await setup.stored_texts() == [("user", "Hello?")]
    setup.answerer.error = None
    answered = await setup.ask("Again?")
    assert answered.context.window == ()


async def test_an_answer_that_takes_too_long_fails_the_turn() -> None:
    answerer = ScriptedAnswerer("one ", "two")
    answerer.gate = asyncio.Event()
    setup = Setup(answerer=answerer, timeout=0.02)
    with pytest.raises(ModelUnavailable, match=r"within 0\.02 seconds"):
        await setup.ask("Hello?")
    assert await setup.status(1) is TurnStatus.FAILED
    turn = await setup.begin("Hello?")
    with pytest.raises(ModelUnavailable, match=r"within 0\.02 seconds"):
        await pieces_of(turn.stream())
    assert await setup.status(2) is TurnStatus.FAILED
    assert answerer.is_closed


async def test_a_stream_yields_pieces_and_then_the_whole_answer() -> None:
    setup = Setup(answerer=ScriptedAnswerer("North ", "2.5M"))
    turn = await setup.begin("Sales?")
    *pieces, answered = await pieces_of(turn.stream())
    assert pieces == ["North ", "2.5M"]
    assert isinstance(answered, Answered)
    assert answered.answer.content == "North 2.5M"
    assert await setup.stored_texts() == [("user", "Sales?"), ("assistant", "North 2.5M")]


async def test_closing_a_stream_fails_the_turn_and_stops_the_answerer() -> None:
    setup = Setup(answerer=ScriptedAnswerer("North ", "2.5M"))
    turn = await setup.begin("Sales?")
    stream = turn.stream()
    assert await anext(stream) == "North "
    await stream.aclose()
    assert setup.answerer.is_closed
    assert await setup.status(1) is TurnStatus.FAILED
    assert await setup.stored_texts() == [("user", "Sales?")]


async def test_a_cancelled_caller_leaves_a_failed_turn() -> None:
    answerer = ScriptedAnswerer()
    answerer.gate = asyncio.Event()
    setup = Setup(answerer=answerer)
    asking = asyncio.create_task(setup.ask("Hello?"))
    await answerer.has_been_asked()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await setup.services.turns.settle()
    assert await setup.status(1) is TurnStatus.FAILED


async def test_a_stream_that_ends_without_an_answer_is_a_failure() -> None:
    class Broken(ScriptedAnswerer):
        async def stream(
            self, scope: Scope, request: AnswerRequest
        ) -> AsyncGenerator[str | Answer, None]:
            yield "North "

    setup = Setup(answerer=Broken())
    turn = await setup.begin("Sales?")
    with pytest.raises(ModelUnavailable, match="before it was complete"):
        await pieces_of(turn.stream())
    assert await setup.status(1) is TurnStatus.FAILED


async def test_two_questions_at_once_are_both_answered_each_in_its_own_turn() -> None:
    answerer = ScriptedAnswerer()
    answerer.gate = asyncio.Event()
    setup = Setup(answerer=answerer)
    both = [asyncio.create_task(setup.ask(text)) for text in ("First?", "Second?")]
    await answerer.has_been_asked(2)
    answerer.gate.set()
    answered = await asyncio.gather(*both)
    messages = await setup.services.messages.last(SCOPE, SESSION, count=10)
    turns = {message.message_id: message.turn_number for message in messages}
    assert len(turns) == 4
    for one in answered:
        assert one.question_id in turns
        assert turns[one.question_id] == turns[one.reply_id]  # type: ignore[index]
    assert {await setup.status(number) for number in (1, 2)} == {TurnStatus.COMPLETE}


async def test_a_call_without_memory_reads_and_stores_nothing() -> None:
    setup = Setup()
    await setup.ask("Show me total sales by region for 2024")
    answered = await setup.ask("What about 2023?", uses_memory=False)
    assert answered.session_id is None
    assert answered.context.question == "What about 2023?"
    assert answered.context.window == ()
    assert len(await setup.stored_texts()) == 2


@for_each("text", ["", "  ", "a\0b", "\ud800"])
async def test_an_invalid_question_is_refused_and_changes_nothing(text: str) -> None:
    setup = Setup()
    with pytest.raises(InvalidInput):
        await setup.ask(text)
    assert setup.answerer.requests == []
    with pytest.raises(SessionNotFound):
        await setup.stored_texts()


async def test_services_without_an_answerer_say_so() -> None:
    setup = Setup()
    services = setup.build(None)
    with pytest.raises(ConfigurationError, match="without an answerer"):
        await services.chat.ask(SCOPE, Inquiry(text="Hi?", session_id=SESSION))
    assert await services.messages.turn_status(SCOPE, SESSION, 1) is TurnStatus.FAILED
