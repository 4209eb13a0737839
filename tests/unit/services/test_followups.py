"""The use case: when the model is asked, and when what it says is not taken."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from recollect.composition import build_services
from recollect.domain.followup.dialogue import Method, Rewrite
from recollect.domain.policy import Policies
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import ModelUnavailable
from recollect.models.tokens import token_counter_for
from recollect.ports.models import Prompt
from recollect.services.services import ServiceDependencies
from recollect.testing import CountingIds, FixedClock
from support.followups import conversation
from support.timeouts import PATIENCE

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


async def rewrite(
    model: FakeModel | None,
    *,
    size: str = "70b",
    question: str = "When did she die?",
    policies: Policies | None = None,
    time_limit: float = PATIENCE,
) -> Rewrite:
    dependencies = ServiceDependencies(
        clock=FixedClock(),
        ids=CountingIds(),
        counter_for=token_counter_for,
        answering_model=model,
    )
    services = build_services(in_memory_stores(), dependencies, policies)
    rewriting = replace(services.rewriting, time_limit=time_limit)
    return await rewriting.after(HISTORY, question, language="en", model=f"wonder:{size}")


async def test_a_large_model_rewrites() -> None:
    model = FakeModel(reply="In which year did Marie Curie die?")

    result = await rewrite(model)

    assert result.standalone_question == "In which year did Marie Curie die?"
    assert result.method is Method.LLM
    assert "When did she die?" in model.prompts[0][-1].content
    assert "Who was Marie Curie?" in model.prompts[0][-1].content


async def test_labels_and_quotes_around_the_reply_are_taken_off() -> None:
    model = FakeModel(reply='Standalone question: "When did Marie Curie die?"\n\nI hope this helps')

    result = await rewrite(model, size="14b")

    assert result.standalone_question == "When did Marie Curie die?"
    assert result.method is Method.LLM


@pytest.mark.parametrize("size", ["unknown", "3b", "13.9b"])
async def test_a_small_or_unknown_model_is_not_asked(size: str) -> None:
    model = FakeModel(reply="When did Marie Curie die?")

    result = await rewrite(model, size=size)

    assert result.method is Method.RULES
    assert not model.prompts


async def test_the_minimum_size_of_rewriting_models_is_configurable() -> None:
    model = FakeModel(reply="When did Marie Curie die?")

    result = await rewrite(model, size="8b", policies=Policies(rewrites_from_billions=7))

    assert result.method is Method.LLM


async def test_a_standalone_question_never_reaches_the_model() -> None:
    model = FakeModel(reply="What is the capital of Germany?")

    result = await rewrite(model, question="What is the capital of France?")

    assert result.standalone_question == "What is the capital of France?"
    assert result.method is Method.NONE
    assert not model.prompts


async def test_without_a_model_the_rules_answer() -> None:
    result = await rewrite(None)

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
    result = await rewrite(FakeModel(reply=reply))

    assert result.standalone_question == BY_RULES
    assert result.method is Method.RULES


async def test_a_model_that_fails_falls_back_to_the_rules() -> None:
    result = await rewrite(FakeModel(fails=True))

    assert result.standalone_question == BY_RULES


async def test_a_model_that_takes_too_long_falls_back_to_the_rules() -> None:
    model = FakeModel(reply="When did Marie Curie die?", delay=30)

    result = await rewrite(model, time_limit=0.02)

    assert result.method is Method.RULES
