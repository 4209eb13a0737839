"""The use case: when the model is asked, and when what it says is not taken."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from recollect.domain.followup.dialogue import Method
from recollect.errors import ModelUnavailable
from recollect.ports.models import Prompt
from recollect.services.context.rewriting import FollowUps
from support.followups import conversation

HISTORY = conversation(
    "user: Who was Marie Curie?", "assistant: Marie Curie was a physicist and chemist."
)
BY_RULES = "When did Marie Curie die?"


@dataclass
class FakeModel:
    """Says what it was told to say, and remembers what it was asked."""

    reply: str = ""
    delay: float = 0.0
    fails: bool = False
    prompts: list[Sequence[Prompt]] = field(default_factory=list)

    async def complete(
        self,
        messages: Sequence[Prompt],
        *,
        max_tokens: int,
        timeout: float,  # noqa: ASYNC109  # the port's
    ) -> str:
        self.prompts.append(messages)
        await asyncio.sleep(self.delay)
        if self.fails:
            raise ModelUnavailable
        return self.reply


async def test_a_large_model_rewrites() -> None:
    model = FakeModel(reply="In which year did Marie Curie die?")

    result = await FollowUps(model=model).rewrite(
        "When did she die?", HISTORY, language="en", model_billions=70
    )

    assert result.standalone_question == "In which year did Marie Curie die?"
    assert result.method is Method.LLM
    assert "When did she die?" in model.prompts[0][-1].content
    assert "Who was Marie Curie?" in model.prompts[0][-1].content


async def test_labels_and_quotes_around_the_reply_are_taken_off() -> None:
    model = FakeModel(reply='Standalone question: "When did Marie Curie die?"\n\nI hope this helps')

    result = await FollowUps(model=model).rewrite(
        "When did she die?", HISTORY, language="en", model_billions=14
    )

    assert result.standalone_question == "When did Marie Curie die?"
    assert result.method is Method.LLM


@pytest.mark.parametrize("size", [None, 3, 13.9])
async def test_a_small_or_unknown_model_is_not_asked(size: float | None) -> None:
    model = FakeModel(reply="When did Marie Curie die?")

    result = await FollowUps(model=model).rewrite(
        "When did she die?", HISTORY, language="en", model_billions=size
    )

    assert result.method is Method.RULES
    assert not model.prompts


async def test_the_minimum_size_of_rewriting_models_is_configurable() -> None:
    model = FakeModel(reply="When did Marie Curie die?")

    result = await FollowUps(model=model, model_from_billions=7).rewrite(
        "When did she die?", HISTORY, language="en", model_billions=8
    )

    assert result.method is Method.LLM


async def test_a_standalone_question_never_reaches_the_model() -> None:
    model = FakeModel(reply="What is the capital of Germany?")

    result = await FollowUps(model=model).rewrite(
        "What is the capital of France?", HISTORY, language="en", model_billions=70
    )

    assert result.standalone_question == "What is the capital of France?"
    assert result.method is Method.NONE
    assert not model.prompts


async def test_without_a_model_the_rules_answer() -> None:
    result = await FollowUps().rewrite(
        "When did she die?", HISTORY, language="en", model_billions=70
    )

    assert result.standalone_question == BY_RULES


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Marie Curie died on 4 July 1934 in Passy, France.",
        "Marie Curie died in 1934.",
        "Wanneer is Marie Curie overleden in Frankrijk?",
        "When did Marie Curie die? " * 60,
        "What is the tallest mountain on Earth?",
        "I am sorry, but I cannot help with that request.",
        "asdf qwer zxcv",
    ],
)
async def test_a_reply_that_is_no_rewrite_falls_back_to_the_rules(reply: str) -> None:
    result = await FollowUps(model=FakeModel(reply=reply)).rewrite(
        "When did she die?", HISTORY, language="en", model_billions=70
    )

    assert result.standalone_question == BY_RULES
    assert result.method is Method.RULES


async def test_a_model_that_fails_falls_back_to_the_rules() -> None:
    result = await FollowUps(model=FakeModel(fails=True)).rewrite(
        "When did she die?", HISTORY, language="en", model_billions=70
    )

    assert result.standalone_question == BY_RULES


async def test_a_model_that_takes_too_long_falls_back_to_the_rules() -> None:
    model = FakeModel(reply="When did Marie Curie die?", delay=30)

    result = await FollowUps(model=model, time_limit=0.02).rewrite(
        "When did she die?", HISTORY, language="en", model_billions=70
    )

    assert result.method is Method.RULES
