"""Answers that only quote, given where no model is set: nothing is made of them."""

from dataclasses import replace

import pytest

from recollect.answerers.from_memory import FromMemory
from recollect.domain.chat.answers import Inquiry, UserFacts
from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.conversation.message import Message
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.errors import ContentUnreadable, DatabaseUnavailable, Unavailable
from recollect.services.chat.degradation import NO_MEMORY
from recollect.services.facts.quotable import QuotableFacts
from recollect.services.services import Services
from recollect.testing import FakeFollowUpModel
from support.chat_services import SCOPE, SESSION, Setup

POLICIES = Policies(compaction=CompactionPolicy(trigger=4, keep=2))


async def talk(*questions: str) -> Services:
    """Services without a model, and a conversation with them."""
    services = Setup(policies=POLICIES).build(FromMemory())
    for question in questions:
        await services.chat.ask(SCOPE, Inquiry(text=question, session_id=SESSION))
    return services


async def test_follow_ups_are_not_resolved_to_answers_quoted_from_memory() -> None:
    questions = ("Wat is ons retourbeleid?", "Wat zijn de vereisten voor valbeveiliging?")
    services = await talk(*questions)
    model = FakeFollowUpModel()
    rewriting = replace(services.rewriting, model=model)

    await replace(services.contexts, rewriting=rewriting).build(SCOPE, SESSION, "Hoeveel daarvan?")
    await rewriting.in_session(SCOPE, SESSION, "Hoeveel daarvan?")

    read = [[message.content for message in history] for history in model.histories]
    assert read == [list(questions), list(questions)]


async def test_summaries_leave_out_answers_quoted_from_memory() -> None:
    services = await talk("My zeppelin is called Hilda.", "What is my zeppelin called?", "Thanks!")

    while await services.work.do_one():
        pass

    session = await services.sessions.get(SCOPE, SESSION)
    assert session.summary is not None
    assert "Hilda" in session.summary
    assert "language model" not in session.summary


async def test_a_context_shows_answers_quoted_from_memory_as_placeholders() -> None:
    services = await talk("My zeppelin is called Hilda.", "What is my zeppelin called?")
    messages = await services.messages.last(SCOPE, SESSION, count=4)
    assert "Hilda" in messages[-1].content

    await services.messages.delete(SCOPE, SESSION, messages[0].message_id)

    context = await services.contexts.build(SCOPE, SESSION, "What is its name?")
    assert [message["content"] for message in context.messages()] == [
        "[…]",
        "What is my zeppelin called?",
        "[…]",
        context.question,
    ]
    assert "Hilda" not in context.question


async def test_only_what_is_stored_is_said_to_be_stored() -> None:
    services = await talk()
    told = Inquiry(text="My zeppelin is called Hilda.", uses_memory=False)
    unstored = (await services.chat.ask(SCOPE, told)).answer.content
    assert "Memory was not read" in unstored
    assert "This is stored" not in unstored
    kept = replace(told, uses_memory=True, session_id=SESSION)
    assert "This is stored" in (await services.chat.ask(SCOPE, kept)).answer.content


@pytest.mark.parametrize(
    "error", [DatabaseUnavailable("away"), ContentUnreadable("no key")], ids=["away", "unreadable"]
)
async def test_nothing_is_quoted_while_nobody_knows_what_was_forgotten(error: Unavailable) -> None:
    class Failing(QuotableFacts):
        async def read(self, scope: Scope, question: Message | None) -> UserFacts:
            raise error

    services = await talk("My zeppelin is called Hilda.")
    known = services.chat.answering.quotable
    assert known is not None
    failing = Failing(store=known.store, permissions=known.permissions)
    chat = replace(services.chat, answering=replace(services.chat.answering, quotable=failing))

    asked = Inquiry(text="What is my zeppelin called?", session_id=SESSION)
    answered = await chat.ask(SCOPE, asked)
    assert "Hilda" not in answered.answer.content
    assert "Memory was not read" in answered.answer.content
    assert NO_MEMORY in answered.warnings
