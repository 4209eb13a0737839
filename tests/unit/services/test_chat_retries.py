"""A question sent twice is stored once and answered once."""

import asyncio
from dataclasses import replace
from uuid import uuid4

import pytest

from recollect.domain.chat.answers import Inquiry
from recollect.domain.context.context import Sources
from recollect.domain.conversation.session import TurnStatus
from recollect.errors import (
    IdAlreadyUsed,
    ModelUnavailable,
)
from recollect.services.chat.chat import REPLAYED
from support.chat_services import SCOPE, SESSION, Setup, pieces_of
from support.scripted_answerer import ScriptedAnswerer


async def test_a_retry_gets_the_stored_answer_without_calling_the_answerer() -> None:
    setup = Setup(answerer=ScriptedAnswerer("2.5M"))
    message_id = uuid4()
    first = await setup.ask("Sales?", message_id=message_id)
    setup.answerer.pieces = ("something else",)
    again = await setup.ask("Sales?", message_id=message_id)
    assert (again.answer.content, again.reply_id) == ("2.5M", first.reply_id)
    assert again.is_repeated
    assert again.warnings == (*first.warnings, REPLAYED)
    assert (again.context.window, again.context.sources) == ((), Sources())
    assert (again.context.question, again.context.is_follow_up) == ("Sales?", False)
    assert len(setup.answerer.requests) == 1
    assert len(await setup.stored_texts()) == 2
    inquiry = Inquiry(text="Sales?", session_id=SESSION, message_id=message_id)
    turn = await setup.services.chat.begin(SCOPE, inquiry)
    assert (await pieces_of(turn.stream()))[0] == "2.5M"


async def test_a_retry_of_a_failed_question_is_answered_in_the_same_turn() -> None:
    setup = Setup(answerer=ScriptedAnswerer(error=ModelUnavailable("away")))
    message_id = uuid4()
    with pytest.raises(ModelUnavailable):
        await setup.ask("Sales?", message_id=message_id)
    setup.answerer.error = None
    await setup.ask("Sales?", message_id=message_id)
    assert await setup.stored_texts() == [("user", "Sales?"), ("assistant", "Fine.")]
    assert await setup.status(1) is TurnStatus.COMPLETE


async def test_retries_at_once_store_one_answer_and_both_get_it() -> None:
    setup = Setup()
    setup.answerer.gate = asyncio.Event()
    message_id = uuid4()
    both = [asyncio.create_task(setup.ask("Hi?", message_id=message_id)) for _ in range(2)]
    await setup.answerer.has_been_asked(2)
    texts = iter(("one", "two"))
    setup.answerer._answer = lambda: replace(  # type: ignore[method-assign]
        ScriptedAnswerer._answer(setup.answerer), content=next(texts)
    )
    setup.answerer.gate.set()
    answered = await asyncio.gather(*both)
    (stored,) = {one.answer.content for one in answered}  # of whichever comes first
    assert await setup.stored_texts() == [("user", "Hi?"), ("assistant", stored)]


async def test_the_id_of_another_question_is_refused_without_calling_the_answerer() -> None:
    setup = Setup()
    message_id = uuid4()
    await setup.ask("Sales?", message_id=message_id)
    with pytest.raises(IdAlreadyUsed):
        await setup.ask("Costs?", message_id=message_id)
    assert len(setup.answerer.requests) == 1
