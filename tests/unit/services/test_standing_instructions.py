"""Which standing instructions a context has: whose, from where, how many, and none twice."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

import pytest

from recollect.composition import build_services
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import AnswerDetails, Visibility
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import AS_SET, RecallOverrides, RecallScope
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import FactConflict
from recollect.models.tokens import token_counter_for
from recollect.ports.accounts import PermissionSource
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.testing import CountingIds, FixedClock
from support.examples import a_message, a_scope, a_session
from support.facts.scripted_models import ScriptedExtractor
from support.permissions import ByHand
from support.tables import for_each

DUTCH = "From now on answer in Dutch."
TABLES = "Never use tables."


@dataclass(slots=True, kw_only=True)
class Scene:
    """A server on which two sessions of a user are talked in."""

    services: Services
    clock: FixedClock
    scope: Scope = field(default_factory=a_scope)

    async def session(self) -> UUID:
        session = a_session()
        await self.services.sessions.start(self.scope, session)
        return session.session_id

    async def say(
        self, session_id: UUID, *questions: str, answer: str = "Fine.", table: str | None = None
    ) -> None:
        """Ask questions that are answered, and learn from each."""
        details = AnswerDetails(tables_used=(table,) if table else ())
        for question in questions:
            self.clock.move(timedelta(seconds=1))
            exchange = [
                a_message("user", question),
                a_message("assistant", answer, details=details),
            ]
            await self.services.messages.append(self.scope, session_id, exchange)
            await self.learn()

    async def learn(self) -> None:
        if self.services.indexing is None or self.services.turn_learning is None:
            return
        while await self.services.indexing.do_some() + await self.services.turn_learning.do_some():
            pass

    async def ask(
        self, session_id: UUID, *, max_tokens: int | None = None, recall: RecallOverrides = AS_SET
    ) -> Context:
        return await self.services.contexts.build(
            self.scope,
            session_id,
            "What is new?",
            model="gpt-4o",
            max_tokens=max_tokens,
            recall=recall,
        )

    async def texts(self, session_id: UUID, recall: RecallOverrides = AS_SET) -> list[str]:
        context = await self.ask(session_id, recall=recall)
        return [one.content for one in context.standing_instructions]


def a_scene(*, source: PermissionSource | None = None, **settings: object) -> Scene:
    clock = FixedClock()
    around = ServiceDependencies(
        clock=clock,
        ids=CountingIds(),
        counter_for=token_counter_for,
        sql=SqlglotReader(),
        permissions=source,
        fact_extractor=ScriptedExtractor({}),
    )
    policies = load_settings(**settings).policies()
    return Scene(services=build_services(in_memory_stores(clock), around, policies), clock=clock)


async def test_what_was_said_in_one_session_stands_in_the_contexts_of_others() -> None:
    scene = a_scene()
    here, there = await scene.session(), await scene.session()
    await scene.say(there, f"Hello! {DUTCH} What did we sell?", TABLES)

    context = await scene.ask(here)

    said = [one.evidence for one in context.standing_instructions if one.evidence]
    assert [one.quote for one in said] == [DUTCH, TABLES], "oldest first"
    assert context.sources.standing_instructions == tuple(one.message_id for one in said)
    assert {one.session_id for one in said} == {there}
    assert context.facts == ()
    assert 0 < context.tokens.standing_instructions < context.tokens.total
    assert DUTCH in context.messages()[0]["content"]


async def test_it_is_not_repeated_while_the_window_has_it() -> None:
    scene = a_scene(max_history_messages=1)
    here, there = await scene.session(), await scene.session()
    await scene.say(there, TABLES)
    await scene.say(here, DUTCH)
    context = await scene.ask(here)
    assert DUTCH in [message.content for message in context.window]
    assert [one.content for one in context.standing_instructions] == [TABLES]

    await scene.say(here, "And then?", "And then again?")

    assert await scene.texts(here) == [TABLES, DUTCH]


async def test_what_is_said_again_counts_once_and_as_the_newest() -> None:
    scene = a_scene()
    here, one, two = [await scene.session() for _ in range(3)]
    await scene.say(one, TABLES, DUTCH)
    await scene.say(two, "never use tables")
    assert await scene.texts(here) == [DUTCH, TABLES]


async def test_of_two_languages_the_newer_counts() -> None:
    scene = a_scene()
    here, there = await scene.session(), await scene.session()
    await scene.say(there, DUTCH, TABLES, "Answer in English from now on, please.")
    assert await scene.texts(here) == [TABLES, "Answer in English from now on, please."]


@for_each(("setting", "expected"), [("2", 2), (1, 1), ("off", 0), (0, 0)])
async def test_the_setting_says_how_many_of_the_newest_there_are(
    setting: object, expected: int
) -> None:
    scene = a_scene(standing_instructions=setting)
    here, there = await scene.session(), await scene.session()
    instructions = [f"Never answer with more than {n} words." for n in range(1, 5)]
    await scene.say(there, *instructions)
    assert await scene.texts(here) == instructions[len(instructions) - expected :]


async def test_they_are_ten_at_most_unless_it_is_set() -> None:
    scene = a_scene()
    here, there = await scene.session(), await scene.session()
    await scene.say(there, *(f"Never answer with more than {n} words." for n in range(1, 15)))
    assert len(await scene.texts(here)) == 10


@pytest.mark.parametrize(
    ("settings", "wish", "expected"),
    [
        ({}, RecallOverrides(), [TABLES, DUTCH]),
        ({"recall": "session"}, RecallOverrides(), [DUTCH]),
        ({}, RecallOverrides(scope=RecallScope.SESSION), [DUTCH]),
        ({}, RecallOverrides(elsewhere=False), [DUTCH]),
        ({}, RecallOverrides(scope=RecallScope.OFF), [DUTCH]),
        ({}, RecallOverrides(k=0), [TABLES, DUTCH]),
        ({"preset": "assistant"}, RecallOverrides(), [TABLES, DUTCH]),
        ({"preset": "data-questions"}, RecallOverrides(), [TABLES, DUTCH]),
        ({"preset": "agent"}, RecallOverrides(), []),
        ({"preset": "agent", "facts": "on"}, RecallOverrides(), [TABLES, DUTCH]),
        ({"facts": "off"}, RecallOverrides(), []),
        ({"facts_k": 0}, RecallOverrides(), [TABLES, DUTCH]),
        ({"recall": "off"}, RecallOverrides(k=3), []),
    ],
)
async def test_they_come_from_where_the_context_has_facts(  # a table
    settings: dict[str, object], wish: RecallOverrides, expected: list[str]
) -> None:
    scene = a_scene(max_history_messages=1, **settings)
    here, there = await scene.session(), await scene.session()
    await scene.say(there, TABLES)
    await scene.say(here, DUTCH, "And then?", "And then again?")
    assert await scene.texts(here, wish) == expected


async def test_they_keep_to_a_small_share_and_the_oldest_go_first() -> None:
    scene = a_scene(standing_instructions=50)
    here, there = await scene.session(), await scene.session()
    instructions = [f"Never answer with more than {n} words, " + "please " * 20 for n in range(50)]
    await scene.say(there, *(text.strip() + "." for text in instructions))

    context = await scene.ask(here)
    small = await scene.ask(here, max_tokens=400)
    tiny = await scene.ask(here, max_tokens=60)

    assert context.tokens.standing_instructions <= 500
    shown = [one.content for one in context.standing_instructions]
    assert 0 < len(shown) < 50
    assert shown[-1].startswith("Never answer with more than 49 words")
    assert context.cut.standing_instructions == 50 - len(shown)
    assert context.is_truncated
    assert small.tokens.standing_instructions <= 100
    assert small.tokens.total <= 400
    assert (tiny.standing_instructions, tiny.tokens.standing_instructions) == ((), 0)


async def test_the_last_turn_comes_before_them() -> None:
    scene = a_scene()
    here, there = await scene.session(), await scene.session()
    await scene.say(here, "Tell me all. " + "why " * 60, answer="so " * 60)
    alone = await scene.ask(here)
    await scene.say(there, DUTCH)

    context = await scene.ask(here, max_tokens=alone.tokens.total + 5)

    assert context.window == alone.window
    assert context.standing_instructions == ()


async def test_one_stands_until_it_is_forgotten_also_without_its_session() -> None:
    scene = a_scene()
    here, there = await scene.session(), await scene.session()
    await scene.say(there, TABLES)
    await scene.services.sessions.delete(scene.scope, there)
    (stands,) = (await scene.ask(here)).standing_instructions
    assert stands.content == TABLES
    await scene.services.facts.forget(scene.scope, stands.fact_id)
    assert await scene.texts(here) == []
    await scene.services.facts.restore(scene.scope, stands.fact_id)
    assert await scene.texts(here) == [TABLES]


async def test_one_that_is_entered_by_hand_stands_as_well() -> None:
    scene = a_scene()
    here = await scene.session()
    await scene.services.facts.add(scene.scope, DUTCH)
    await scene.services.facts.add(scene.scope, "We report in euros.")
    (entered,) = (await scene.ask(here)).standing_instructions
    assert (entered.content, entered.evidence) == (DUTCH, None)
    with pytest.raises(FactConflict) as conflict:
        await scene.services.facts.add(scene.scope, "Always answer in French.")
    assert (conflict.value.fact_id, conflict.value.slot) == (entered.fact_id, "answer_language")


async def test_a_strangers_instructions_are_never_shown() -> None:
    scene = a_scene()
    await scene.say(await scene.session(), TABLES)
    stranger = replace(scene, scope=a_scope(scene.scope.tenant, "bob"))
    assert await stranger.texts(await stranger.session()) == []


async def test_those_of_turns_that_may_not_be_seen_now_are_withheld() -> None:
    source = ByHand(Access(tables={"shop.sales": Visibility.ALL, "hr.pay": Visibility.ALL}))
    scene = a_scene(source=source)
    here, there = await scene.session(), await scene.session()
    await scene.say(there, f"{TABLES} What is sold?", answer="Nine.", table="shop.sales")
    await scene.say(there, f"{DUTCH} What is paid?", answer="Ten.", table="hr.pay")
    assert await scene.texts(here) == [TABLES, DUTCH]
    assert (await scene.ask(here)).tables == ("hr.pay", "shop.sales")
    source.access = Access(tables={"shop.sales": Visibility.ALL})
    assert await scene.texts(here) == [TABLES]
