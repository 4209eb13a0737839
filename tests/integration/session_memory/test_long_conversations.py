"""Two hundred turns under every preset, for models of every size, within every limit."""

import json
from dataclasses import replace
from uuid import UUID

import pytest

from integration.session_memory.talk import (
    policies_of,
    services_on,
    sql_of,
    started,
    turns_about_sales,
    work_until_idle,
)
from recollect.composition import build_services
from recollect.domain.context.context import Context
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import PRESETS
from recollect.engines.in_memory import in_memory_stores
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies, Services
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds, SystemClock
from support.effort import share
from support.examples import a_scope, summary_of

TURNS = 200
MODELS = {
    "tiny": "llama3.2:3b",
    "small": "llama3.1:8b",
    "medium": "qwen2.5-14b-instruct",
    "large": "gpt-4o",
}
LIMITS = [40, 120, 200, 500, 4000, 100_000]
LAST_TURN_FITS = 200
QUESTION = "What is the capital of France?"
COMPACTING = {
    name
    for name, preset in PRESETS.items()
    if preset.compaction is not None or preset.compacts_by_tier
}


def assert_within_limit(context: Context, model: str, limit: int) -> None:
    """Every form of the context, counted as the model counts."""
    count = token_counter_for(model).count
    written = [message["content"] for message in context.messages()]
    question = count(context.question)
    assert context.tokens.total <= context.tokens.limit <= limit
    assert sum(map(count, written)) <= context.tokens.total
    assert count(context.instructions()) + question <= limit
    assert count(context.conversation_block(language="nl")) + question <= limit
    assert count(context.conversation_block(language="en")) + question <= limit
    variables = json.dumps(context.variables()["history"], ensure_ascii=False)
    assert variables.count('"role"') == len(context.window)


def assert_last_sql_is_whole(context: Context) -> None:
    assert context.window[-1].details.sql_query == sql_of(TURNS)
    assert sql_of(TURNS) in context.messages()[-2]["content"]
    assert sql_of(TURNS) in context.instructions()


def assert_covers_everything(context: Context) -> None:
    """Each message is in the window, or in the range that the summary stands for."""
    covered = {message.sequence for message in context.window}
    if context.sources.summary is not None:
        first, last = context.sources.summary
        covered |= set(range(first, last + 1))
        assert context.summary
    assert covered == set(range(1, TURNS * 2 + 1))


async def check(
    services: Services, scope: Scope, session_id: UUID, *, preset: str, model: str
) -> None:
    for limit in LIMITS:
        context = await services.contexts.build(
            scope, session_id, QUESTION, model=model, max_tokens=limit
        )
        assert_within_limit(context, model, limit)
        sequences = [message.sequence for message in context.window]
        assert sequences == sorted(sequences)
        if limit >= LAST_TURN_FITS:
            assert_last_sql_is_whole(context)
            assert sequences == list(range(sequences[0], TURNS * 2 + 1))
            if preset in COMPACTING:
                assert_covers_everything(context)


ALL_CASES = [
    pytest.param(name, model, id=f"{name}-{size}")
    for name, preset in PRESETS.items()
    for size, model in MODELS.items()
    if preset.compacts_by_tier or size in {"tiny", "large"}
]
CASES = share(ALL_CASES, 0, of=2)
FRAME_TOKENS = 60
"""Headings are counted once for the largest form, so a query may need that much to spare."""


@pytest.mark.parametrize(("preset", "model"), CASES)
async def test_two_hundred_turns_fit_and_are_covered_before_and_after_the_worker(
    own_stores: Stores, scope: Scope, preset: str, model: str
) -> None:
    services = services_on(own_stores, policies_of(preset, llm_model=model))
    session_id = await started(services, scope)
    await services.messages.append(scope, session_id, turns_about_sales(TURNS))

    await check(services, scope, session_id, preset=preset, model=model)
    jobs = await work_until_idle(services)
    await check(services, scope, session_id, preset=preset, model=model)

    summary = await summary_of(own_stores, scope, session_id)
    assert jobs == (preset in COMPACTING)
    assert (summary is not None) == (preset in COMPACTING)


@pytest.mark.parametrize("preset", sorted(COMPACTING))
async def test_a_conversation_that_grows_turn_by_turn_is_always_covered(
    own_stores: Stores, scope: Scope, preset: str
) -> None:
    services = services_on(own_stores, policies_of(preset, llm_model="llama3.2:3b"))
    session_id = await started(services, scope)
    for turn in range(1, 61):
        await services.messages.append(scope, session_id, turns_about_sales(1, first=turn))
        if turn % 3 == 0:
            await work_until_idle(services)
        context = await services.contexts.build(scope, session_id, QUESTION)
        covered = {message.sequence for message in context.window}
        first, last = context.sources.summary or (1, 0)
        assert covered | set(range(first, last + 1)) == set(range(1, turn * 2 + 1))
        assert context.tokens.total <= 4000


def least_with_sql(context: Context) -> Context:
    """The smallest context that has the last query: that message without its text, and no more."""
    last = context.window[-1]
    return replace(context, summary=None, window=(replace(last, content=""),))


@pytest.mark.parametrize("earlier", [0, 20])
@pytest.mark.parametrize("limit", share(range(90, 260, 6), 0, of=3))
async def test_the_last_sql_is_whole_whenever_it_fits_beside_the_question(
    stores: Stores, scope: Scope, limit: int, earlier: int
) -> None:
    model = "gpt-4o"
    services = services_on(stores, policies_of("agent", summarization_threshold=10_000))
    session_id = await started(services, scope)
    if earlier:
        await services.messages.append(scope, session_id, turns_about_sales(earlier))
    await services.messages.append(scope, session_id, turns_about_sales(1, first=TURNS))
    whole = await services.contexts.build(scope, session_id, QUESTION, model=model)
    needed = tokens_of_largest_form(least_with_sql(whole), model)

    context = await services.contexts.build(
        scope, session_id, QUESTION, model=model, max_tokens=limit
    )

    queries = [message.details.sql_query for message in context.window]
    assert_within_limit(context, model, limit)
    if sql_of(TURNS) in queries:
        assert needed <= limit
    else:
        assert needed + FRAME_TOKENS > limit


def tokens_of_largest_form(context: Context, model: str) -> int:
    count = token_counter_for(model).count
    blocks = [context.instructions(), context.conversation_block(language="nl")]
    written = max(map(count, blocks)) + count(context.question) + 4
    chat = sum(count(message["content"]) + 4 for message in context.messages())
    return max(written, chat)


@pytest.mark.parametrize("preset", ["agent", "chat"])
async def test_a_context_is_fitted_with_few_token_counts(preset: str) -> None:
    """However little a form is over the limit, nobody counts the whole context over and over."""
    counted: list[str] = []

    class Counter:
        is_ready = True

        def count(self, text: str, *, limit: int | None = None) -> int:
            counted.append(text)
            return token_counter_for("gpt-4o").count(text, limit=limit)

    around = ServiceDependencies(
        clock=SystemClock(), ids=RandomIds(), counter_for=lambda _: Counter(), sql=SqlglotReader()
    )
    services = build_services(in_memory_stores(), around, policies_of(preset))
    scope = a_scope()
    session_id = await started(services, scope)
    await services.messages.append(scope, session_id, turns_about_sales(1))
    most = 0
    for limit in range(90, 200):
        counted.clear()
        await services.contexts.build(scope, session_id, QUESTION, max_tokens=limit)
        most = max(most, sum("INSTRUCTIONS:" in text for text in counted))

    assert most <= 8
