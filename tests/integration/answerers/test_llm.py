"""The conversation as a model is told it, over real HTTP."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from recollect.answerers.llm import LlmAnswerer
from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.context.context import Context, Sources, Tokens, Truncation
from recollect.domain.conversation.message import NO_DETAILS, Message, Role
from recollect.domain.identity.scope import Scope
from recollect.domain.model_names import ChatTemplate
from recollect.domain.policy import ContextForm
from recollect.domain.text import JsonObject
from recollect.models.endpoint.chat_model import OpenAICompatibleChat
from recollect.testing import FIRST_MOMENT
from support.doubles.chat_endpoint import Reply, chat_double
from support.doubles.chat_endpoint import serving as listening
from support.doubles.strict_templates import StrictDouble
from support.tables import for_each
from support.timeouts import PATIENCE

SCOPE = Scope(tenant="acme", user="alice")

ASKED = 'En een lijn?\n\n(In dit gesprek betekent de vraag: "Wat kost een lijn?")'


def context(language: str = "nl", *, summary: str | None = None) -> Context:
    said = ((Role.USER, "Wat kost een harnas?"), (Role.ASSISTANT, "80 euro."))
    window = tuple(
        Message(
            message_id=SCOPE.owner_id,
            session_id=SCOPE.owner_id,
            sequence=number,
            turn_number=1,
            role=role,
            content=content,
            metadata={},
            details=NO_DETAILS,
            created_at=FIRST_MOMENT,
        )
        for number, (role, content) in enumerate(said, start=1)
    )
    return Context(
        question="En een lijn?",
        standalone_question="Wat kost een lijn?",
        shows_meaning=True,
        language=language,
        summary=summary,
        window=window,
        tokens=Tokens(),
        cut=Truncation(),
        sources=Sources(),
    )


async def request_body(
    form: ContextForm, *, options: JsonObject | None = None, model: str | None = None
) -> dict[str, Any]:
    """The body that the model's endpoint received."""
    async with (
        chat_double(Reply(answer="20 euro.")) as double,
        OpenAICompatibleChat(double.url, model="small") as chat,
    ):
        answerer = LlmAnswerer(chat, form=form, system_prompt="Wees kort.", timeout=PATIENCE)
        answer = await answerer.answer(
            SCOPE, AnswerRequest(context=context(), options=options or {}, model=model)
        )
    assert answer.content == "20 euro."
    assert (answer.details.model, answer.details.tokens) == (model or "small", 12)
    return double.requests[0].body


def roles(messages: Sequence[dict[str, str]]) -> list[str]:
    return [message["role"] for message in messages]


async def test_a_context_is_sent_to_the_model_as_messages() -> None:
    messages = (await request_body(ContextForm.MESSAGES))["messages"]
    assert messages == [
        {"role": "system", "content": "Wees kort."},
        {"role": "user", "content": "Wat kost een harnas?"},
        {"role": "assistant", "content": "80 euro."},
        {"role": "user", "content": ASKED},
    ]


async def test_a_context_is_sent_as_a_system_prompt_block_in_the_questions_language() -> None:
    messages = (await request_body(ContextForm.SYSTEM_PROMPT))["messages"]
    assert messages == [
        {
            "role": "system",
            "content": "Wees kort.\n\n**Eerdere gesprek:**\n\n"
            'Gebruiker: "Wat kost een harnas?"\n\nAssistent: "80 euro."',
        },
        {"role": "user", "content": ASKED},
    ]


async def test_a_context_is_sent_to_the_model_as_instructions() -> None:
    messages = (await request_body(ContextForm.INSTRUCTIONS))["messages"]
    assert roles(messages) == ["system", "user"]
    assert messages[1]["content"] == ASKED
    assert "=== RECENT CONVERSATION ===" in messages[0]["content"]


@pytest.mark.parametrize("form", [ContextForm.TEMPLATE, ContextForm.OBJECT])
async def test_forms_for_other_programs_reach_a_model_as_messages(form: ContextForm) -> None:
    assert roles((await request_body(form))["messages"]) == ["system", "user", "assistant", "user"]


async def test_model_options_and_instructions_of_the_request_reach_the_model() -> None:
    options: JsonObject = {
        "llm_temperature": 0.7,
        "llm_max_tokens": 50,
        "custom_instructions": "Noem prijzen.",
        "plot": True,
    }
    body = await request_body(ContextForm.MESSAGES, options=options, model="large")
    assert body["messages"][0]["content"] == "Wees kort.\n\nNoem prijzen."
    assert {name: body[name] for name in body if name != "messages"} == {
        "model": "large",
        "stream": False,
        "temperature": 0.7,
        "max_tokens": 50,
    }


async def test_a_stream_ends_with_the_whole_answer() -> None:
    async with (
        chat_double(Reply(answer="Dat is 20 euro.")) as double,
        OpenAICompatibleChat(double.url, model="small") as chat,
    ):
        answerer = LlmAnswerer(chat, form=ContextForm.MESSAGES, timeout=PATIENCE)
        stream = answerer.stream(SCOPE, AnswerRequest(context=context()))
        *pieces, answer = [piece async for piece in stream]
    assert pieces == ["Dat ", "is ", "20 ", "euro."]
    assert isinstance(answer, Answer)
    assert answer.content == "Dat is 20 euro."


@for_each(
    ("model", "template"),
    [
        ("small", ChatTemplate.PLAIN),
        ("mistral", ChatTemplate.ALTERNATING),
        ("gemma3:4b", ChatTemplate.NO_SYSTEM),
    ],
)
@for_each("form", ContextForm)
async def test_strict_chat_templates_accept_the_messages_sent_to_a_model(
    form: ContextForm, model: str, template: ChatTemplate
) -> None:
    asked = context(summary="Zij spraken over valbeveiliging.")
    unanswered = replace(asked, window=asked.window[1:] + asked.window[:1])
    async with (
        listening(StrictDouble(template)) as double,
        OpenAICompatibleChat(double.url, model=model) as chat,
    ):
        answerer = LlmAnswerer(chat, form=form, system_prompt="Wees kort.", timeout=5)
        assert (
            await answerer.answer(SCOPE, AnswerRequest(context=unanswered))
        ).content == "Answer 1."
    told = str(double.last_messages)
    assert [told.count(text) for text in ("Wees kort.", "spraken over", "80 euro.")] == [1, 1, 1]
