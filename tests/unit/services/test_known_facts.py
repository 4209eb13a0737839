"""Which facts about the user a context has, and that they count as used."""

import asyncio
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from conformance.contracts.facts_shared import a_fact, commit, evidence_of, store
from recollect.composition import build_services
from recollect.domain.chat.answers import Inquiry
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import Visibility
from recollect.domain.facts.fact import Evidence, Fact
from recollect.domain.facts.slots import Slot
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import AS_SET, EMBEDDER_FAILED, RecallOverrides, RecallScope
from recollect.engines.in_memory import in_memory_stores
from recollect.engines.in_memory.facts import InMemoryFacts
from recollect.errors import ConfigurationError, DatabaseUnavailable
from recollect.models.stems import SnowballStems
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.facts.known import FACTS_FAILED
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.testing import CountingIds, FixedClock, WordEmbedder
from support.examples import a_message, a_scope, a_session, seconds_on
from support.permissions import ByHand
from support.scripted_answerer import ScriptedAnswerer
from support.tables import for_each

QUESTION = "When is the train to Philips?"
WORK = "I take the train to Philips."
TEA = "Cats sleep all day."


class Memory:
    """Services on an in-memory engine, and one owner with facts."""

    def __init__(
        self,
        *,
        embedder: WordEmbedder | None = None,
        access: ByHand | None = None,
        answerer: ScriptedAnswerer | None = None,
        **settings: object,
    ) -> None:
        self.clock = FixedClock()
        self.scope: Scope = a_scope()
        self.session_id: UUID = uuid4()
        self.embedder = embedder
        around = ServiceDependencies(
            clock=self.clock,
            ids=CountingIds(),
            counter_for=token_counter_for,
            sql=SqlglotReader(),
            stems=SnowballStems(),
            embedder=embedder,
            permissions=access,
            answerer=answerer,
        )
        self.stores: Stores = in_memory_stores(self.clock)
        policies = load_settings(**settings).policies()
        self.services: Services = build_services(self.stores, around, policies)

    async def know(self, *facts: Fact) -> None:
        for fact in facts:
            if self.embedder is None:
                await store(self.stores, self.scope, fact)
                continue
            (vector,) = await self.embedder.embed([fact.content])
            model = self.embedder.model
            assert await commit(self.stores, self.scope, fact, vector=vector, model=model)

    async def ask(
        self,
        question: str = QUESTION,
        *,
        scope: Scope | None = None,
        max_tokens: int | None = None,
        recall: RecallOverrides = AS_SET,
    ) -> Context:
        scope = scope or self.scope
        await self.services.sessions.start(scope, a_session(self.session_id))
        context = await self.services.contexts.build(
            scope,
            self.session_id,
            question,
            model="gpt-4o",
            max_tokens=max_tokens,
            recall=recall,
        )
        await self.services.settle()
        return context

    async def stored(self, fact: Fact) -> Fact:
        found = await self.stores.facts.get(self.scope, fact.fact_id)
        assert found is not None
        return found


def contents(context: Context) -> list[str]:
    return [fact.content for fact in context.facts]


@pytest.mark.parametrize("embeds", [True, False])
async def test_a_context_has_the_facts_that_matter_to_its_question(*, embeds: bool) -> None:
    memory = Memory(embedder=WordEmbedder(dimensions=1024) if embeds else None)
    said = evidence_of("take the train to Philips")
    await memory.know(a_fact(WORK, evidence=said), a_fact(TEA))
    context = await memory.ask()
    assert contents(context) == [WORK]
    assert context.sources.facts == (said.message_id,)
    assert context.tokens.facts > 0
    assert "Philips" in context.messages()[-1]["content"].removesuffix(QUESTION)
    assert (context.warnings, context.is_truncated) == ((), False)
    assert contents(await memory.ask("Which paint is blue?")) == []


async def test_who_answers_a_chat_is_told_them() -> None:
    answerer = ScriptedAnswerer()
    memory = Memory(answerer=answerer)
    await memory.know(a_fact(WORK), a_fact(TEA))
    await memory.services.chat.ask(memory.scope, Inquiry(text=QUESTION))
    assert contents(answerer.requests[-1].context) == [WORK]


async def test_the_question_is_embedded_as_recall_embeds_it() -> None:
    embedder = WordEmbedder()
    await Memory(embedder=embedder).ask()
    assert set(embedder.embedded) == {QUESTION}


@for_each(
    ("preset", "settings", "shows"),
    [
        ("default", {}, True),
        ("assistant", {}, True),
        ("data-questions", {}, True),
        ("chat", {}, False),
        ("app", {}, False),
        ("agent", {}, False),
        ("agent", {"facts": "on"}, True),
        ("agent", {"facts_k": 9}, False),
        ("default", {"facts": "off"}, False),
        ("default", {"facts_k": 0}, False),
        ("default", {"recall": "off"}, False),
    ],
)
async def test_presets_and_settings_say_where_they_are_shown(
    preset: str, settings: dict[str, object], *, shows: bool
) -> None:
    memory = Memory(preset=preset, **settings)
    await memory.know(a_fact(WORK), a_fact("Short answers.", slot=Slot.ANSWER_STYLE))
    context = await memory.ask()
    assert bool(context.facts) == shows
    assert bool(context.standing_instructions) == (shows or settings == {"facts_k": 0})


@for_each("settings", [{"facts": "perhaps"}, {"facts_k": 51}, {"facts_threshold": 2}])
def test_wrong_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_FACTS"):
        load_settings(**settings)


async def test_settings_limit_their_number_and_relevance() -> None:
    for settings, expected in (({"facts_k": 2}, 2), ({}, 5), ({"facts_threshold": 1}, 0)):
        memory = Memory(embedder=WordEmbedder(), **settings)
        await memory.know(*(a_fact(f"The train number {n} is late.") for n in range(7)))
        assert len((await memory.ask()).facts) == expected


@pytest.mark.parametrize("embeds", [True, False])
async def test_standing_instructions_are_always_there_those_last_given(*, embeds: bool) -> None:
    memory = Memory(embedder=WordEmbedder() if embeds else None)
    styles = [
        a_fact(f"{WORK} Style {n}.", slot=Slot.ANSWER_STYLE, created_at=seconds_on(n))
        for n in range(12)
    ]
    styles[1] = replace(styles[1], updated_at=seconds_on(30))
    others = [a_fact(f"{WORK} {n}", created_at=seconds_on(20 + n)) for n in range(250)]
    await memory.know(*styles, *others)
    context = await memory.ask()
    told = [fact.content.split()[-1] for fact in context.standing_instructions]
    assert told == [*(f"{n}." for n in range(3, 12)), "1."], "oldest first"
    assert len(context.facts) == 5
    assert not any("Style" in content for content in contents(context)), "never a second time"
    (used, *_) = context.standing_instructions
    assert (await memory.stored(used)).access_count == 1


async def test_a_stranger_gets_none_of_them() -> None:
    memory = Memory()
    await memory.know(a_fact(WORK))
    for stranger in (a_scope(memory.scope.tenant, "bob"), a_scope()):
        memory.session_id = uuid4()
        assert (await memory.ask(scope=stranger)).facts == ()


async def test_a_fact_is_withheld_while_its_tables_may_not_be_seen() -> None:
    access = ByHand(Access(tables={}))
    memory = Memory(access=access)
    await memory.know(
        replace(a_fact(WORK), tables=("hr.people",)),
        replace(a_fact("Short.", slot=Slot.ANSWER_STYLE), tables=("hr.people",)),
        a_fact(f"{WORK} Daily."),
    )
    withheld = await memory.ask()
    assert contents(withheld) == [f"{WORK} Daily."]
    assert (withheld.standing_instructions, withheld.tables) == ((), ())
    access.access = Access(tables={"*": Visibility.ALL})
    allowed = await memory.ask()
    assert len(allowed.facts) == 2
    assert [fact.content for fact in allowed.standing_instructions] == ["Short."]
    assert allowed.tables == ("hr.people",)


@for_each(
    ("recall", "shows"),
    [
        (AS_SET, True),
        (RecallOverrides(k=0), True),
        (RecallOverrides(elsewhere=False), False),
        (RecallOverrides(scope=RecallScope.SESSION), False),
        (RecallOverrides(scope=RecallScope.OFF), False),
    ],
)
async def test_who_wants_nothing_of_other_sessions_gets_no_fact_of_them(
    recall: RecallOverrides, *, shows: bool
) -> None:
    memory = Memory()
    here = Evidence(session_id=memory.session_id, message_id=uuid4(), turn_number=1, quote="x")
    await memory.know(
        a_fact(f"{WORK} Elsewhere.", evidence=evidence_of("x")),
        a_fact(f"{WORK} Here.", evidence=here),
        a_fact(f"{WORK} Entered."),
    )
    found = {content.split()[-1] for content in contents(await memory.ask(recall=recall))}
    assert found == {"Here.", "Entered."} | ({"Elsewhere."} if shows else set())


async def test_what_the_window_says_already_is_left_out() -> None:
    memory = Memory()
    await memory.services.sessions.start(memory.scope, a_session(memory.session_id))
    said = a_message("user", f"Hello. {WORK}")
    messages = [said, a_message("assistant", "Noted.")]
    await memory.services.messages.append(memory.scope, memory.session_id, messages)
    shown = Evidence(
        session_id=memory.session_id, message_id=said.message_id, turn_number=1, quote=WORK
    )
    await memory.know(a_fact(WORK, evidence=shown), a_fact(f"{WORK} Daily."))
    context = await memory.ask()
    assert contents(context) == [f"{WORK} Daily."]
    assert context.cut.facts == 0
    (daily,) = context.facts
    used = [one.fact.access_count for one in await memory.stores.facts.active(memory.scope)]
    assert sorted(used) == [0, 1], "what is not shown is not used"
    assert (await memory.stored(daily)).access_count == 1


async def test_they_keep_to_a_share_and_what_does_not_fit_is_left_out_whole() -> None:
    memory = Memory(facts_k=50, embedder=WordEmbedder())
    await memory.know(*(a_fact(f"{WORK} {n}") for n in range(49)))
    context = await memory.ask()
    small = await memory.ask(max_tokens=600)
    tiny = await memory.ask(max_tokens=60)
    assert 500 < context.tokens.facts <= 600
    assert len(context.facts) + context.cut.facts == 49
    assert 0 < small.tokens.facts <= 120
    assert (tiny.facts, tiny.tokens.facts, tiny.cut.facts) == ((), 0, 49)
    assert all(one.is_truncated for one in (context, small, tiny))


async def test_each_context_counts_one_access_of_what_it_shows() -> None:
    memory = Memory()
    work, tea = a_fact(WORK), a_fact(TEA)
    await memory.know(work, tea)
    memory.clock.move(seconds_on(60) - memory.clock.now())
    await memory.ask()
    used = await memory.stored(work)
    assert (used.access_count, used.accessed_at, used.version) == (1, memory.clock.now(), 1)
    assert await memory.stored(tea) == tea
    await asyncio.gather(memory.ask(), memory.ask())
    assert (await memory.stored(work)).access_count == 3


async def test_without_the_embedding_model_words_are_compared_and_the_context_says_so() -> None:
    embedder = WordEmbedder()
    memory = Memory(embedder=embedder)
    await memory.know(a_fact(WORK), a_fact(TEA))
    embedder.is_available = False
    context = await memory.ask()
    assert (contents(context), context.warnings) == ([WORK], (EMBEDDER_FAILED,))


async def unavailable(*_: object, **__: object) -> None:
    raise DatabaseUnavailable("gone")


async def test_a_context_is_built_without_facts_that_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = Memory()
    await memory.know(a_fact(WORK))
    monkeypatch.setattr(InMemoryFacts, "active", unavailable)
    context = await memory.ask()
    told = (*context.standing_instructions, *context.facts)
    assert (told, context.warnings) == ((), (FACTS_FAILED,))


async def test_an_access_that_cannot_be_noted_changes_no_answer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(InMemoryFacts, "touch", unavailable)
    memory = Memory()
    await memory.know(a_fact(WORK))
    context = await memory.ask()
    assert (contents(context), context.warnings) == ([WORK], ())
    assert "facts.use_not_noted" in caplog.messages
    assert WORK not in caplog.text
