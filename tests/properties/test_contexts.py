"""Whatever was said, a context stays within its limit, in order, and tells where it comes from."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.contracts.facts_shared import a_fact, store
from recollect.composition import build_services
from recollect.domain.context.compaction import Summary
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import AnswerDetails, NewMessage
from recollect.domain.facts.fact import gist_of
from recollect.domain.facts.slots import Slot
from recollect.domain.recall.entry import RecallOverrides
from recollect.domain.text import JsonValue
from recollect.engines.in_memory import in_memory_stores
from recollect.models.tokens import token_counter_for
from recollect.services.services import ServiceDependencies
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.testing import FIRST_MOMENT, CountingIds, FixedClock, WordEmbedder
from support.examples import a_message, a_scope, a_session, put_summary
from support.followups import RepeatingModel
from support.recall.scripted_index import ScriptedIndex, an_entry

QUESTION = "What is the capital of France?"
COUNT = token_counter_for("gpt-4o").count
PRESETS = st.sampled_from(["default", "data-questions", "chat", "app", "agent", "assistant"])
TEXTS = st.one_of(
    st.sampled_from(
        [
            "=== CURRENT QUESTION ===\n" * 20,
            "**Eerdere gesprek:**\n" * 20,
            "</conversation_summary>\n" * 20,
            "word " * 300,
            "\U0001f9e0" * 50,
            "2.5M",
        ]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=80).filter(
        str.strip
    ),
)
QUERIES = st.one_of(st.none(), st.sampled_from(["SELECT 1", "SELECT a FROM b WHERE c\n" * 10]))
RECALLED = st.lists(
    st.tuples(
        st.sampled_from(["", "Question: ", "Question: Why? SQL: SELECT 1 Result summary: "]),
        TEXTS,
    ).map("".join),
    max_size=6,
)
FACTS = TEXTS.map(lambda text: text[:450])
STANDING = st.lists(FACTS, max_size=12, unique_by=gist_of)
KNOWN = st.lists(FACTS, max_size=5, unique_by=lambda text: gist_of(f"Fact: {text}"))
PROFILE = st.dictionaries(
    st.sampled_from(["a", "b", "=== PROFILE", "</conversation_profile>"]),
    st.one_of(TEXTS, st.lists(TEXTS, max_size=3), st.dictionaries(TEXTS, TEXTS, max_size=3)),
)
TURNS = st.lists(st.tuples(TEXTS, TEXTS, QUERIES), max_size=12)


def messages_of(turns: list[tuple[str, str, str | None]]) -> list[NewMessage]:
    return [
        message
        for question, answer, sql in turns
        for message in (
            a_message("user", question),
            a_message("assistant", answer, details=AnswerDetails(sql_query=sql)),
        )
    ]


def build(
    preset: str,
    messages: list[NewMessage],
    *,
    limit: int | None = None,
    summary: str | None = None,
    recalled: list[str] | None = None,
    standing: list[str] | None = None,
    profile: Mapping[str, JsonValue] | None = None,
    facts: list[str] | None = None,
) -> Context:
    async def run() -> Context:
        clock = FixedClock()
        around = ServiceDependencies(
            clock=clock,
            ids=CountingIds(),
            counter_for=token_counter_for,
            sql=SqlglotReader(),
            embedder=WordEmbedder(),
            follow_up_model=RepeatingModel(),
        )
        index = ScriptedIndex(*map(an_entry, recalled or ()))
        stores = replace(in_memory_stores(clock), recall=index)
        chosen = {"profile_keys": "*", "facts": "on", "facts_threshold": 0}
        policies = load_settings(preset=preset, **chosen).policies()
        services = build_services(stores, around, policies)
        scope, session = a_scope(), a_session()
        for key, value in (profile or {}).items():
            await services.profiles.set(scope, key, value)
        for content in standing or ():
            await store(stores, scope, a_fact(content, slot=Slot.ANSWER_STYLE))
        for content in facts or ():
            await store(stores, scope, a_fact(f"Fact: {content}"))
        await services.sessions.start(scope, session)
        if messages:
            await services.messages.append(scope, session.session_id, messages)
        if summary and len(messages) >= 2:
            told = Summary(
                text=summary,
                first_sequence=1,
                last_sequence=2,
                tables=(),
                method="by hand",
                created_at=FIRST_MOMENT,
            )
            assert await put_summary(stores, scope, session.session_id, told, replaces=0)
        return await services.contexts.build(
            scope,
            session.session_id,
            QUESTION,
            model="gpt-4o",
            max_tokens=limit,
            recall=RecallOverrides(k=5),
        )

    return asyncio.run(run())


@settings(max_examples=60, deadline=None)
@given(
    preset=PRESETS,
    turns=TURNS,
    limit=st.integers(min_value=20, max_value=1500),
    summary=st.one_of(st.none(), TEXTS),
    recalled=RECALLED,
    standing=STANDING,
    profile=PROFILE,
    facts=KNOWN,
)
def test_no_form_of_a_context_is_ever_over_its_limit(
    preset: str,
    turns: list[tuple[str, str, str | None]],
    limit: int,
    summary: str | None,
    recalled: list[str],
    standing: list[str],
    profile: dict[str, JsonValue],
    facts: list[str],
) -> None:
    said = messages_of(turns)
    context = build(
        preset,
        said,
        limit=limit,
        summary=summary,
        recalled=recalled,
        standing=standing,
        profile=profile,
        facts=facts,
    )

    question = max(COUNT(context.question_with_meaning), COUNT(context.standalone_question))
    chat = sum(COUNT(message["content"]) + 4 for message in context.messages())
    assert context.tokens.total <= limit
    assert chat <= limit
    assert COUNT(context.instructions()) + question <= limit
    assert COUNT(context.conversation_block(language="nl")) + question <= limit
    assert COUNT(context.conversation_block(language="en")) + question <= limit
    instructions = len(context.standing_instructions) + context.cut.standing_instructions
    assert instructions == min(len(standing), 10)
    assert len(context.profile) + context.cut.profile == len(profile)
    assert len(context.facts) + context.cut.facts == len(facts)
    found = len(context.recalled) + context.cut.recalled
    assert bool(recalled) <= found <= min(len(recalled), 5), "what is said twice is told once"


@settings(max_examples=60, deadline=None)
@given(
    preset=PRESETS,
    turns=TURNS,
    limit=st.integers(min_value=20, max_value=1500),
    recalled=RECALLED,
)
def test_sources_name_every_message_used_in_the_order_they_were_said(
    preset: str, turns: list[tuple[str, str, str | None]], limit: int, recalled: list[str]
) -> None:
    messages = messages_of(turns)

    context = build(preset, messages, limit=limit, recalled=recalled)

    assert context.sources.messages == tuple(message.message_id for message in context.window)
    numbers = [message.sequence for message in context.window]
    assert numbers == sorted(set(numbers))
    assert [messages[n - 1].message_id for n in numbers] == list(context.sources.messages)
    assert (context.sources.summary is None) == (context.summary is None)
    told = [identifier for found in context.recalled for identifier in found.message_ids]
    assert list(context.sources.recalled) == told
    if len(context.window) < min(len(messages), 6):
        assert context.is_truncated


@settings(max_examples=40, deadline=None)
@given(
    preset=st.sampled_from(["default", "chat", "app", "assistant"]),
    turns=st.lists(st.tuples(TEXTS, TEXTS, QUERIES), min_size=1, max_size=4),
    added=st.tuples(TEXTS, TEXTS, QUERIES),
)
def test_a_new_turn_leaves_earlier_rendered_text_unchanged(
    preset: str, turns: list[tuple[str, str, str | None]], added: tuple[str, str, str | None]
) -> None:
    """As long as the window holds all of it, a prompt cache stays good up to the new turn."""
    messages = messages_of(turns)

    before = build(preset, messages, limit=100_000)
    after = build(preset, [*messages, *messages_of([added])], limit=100_000)

    assert after.messages()[: len(messages)] == before.messages()[:-1]
    assert after.conversation_block().startswith(before.conversation_block())
    guidance = before.instructions().index("\n\nINSTRUCTIONS:\n- The record above")
    assert after.instructions().startswith(before.instructions()[:guidance])
