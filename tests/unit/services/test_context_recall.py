"""What a context tells of earlier conversations, and what it takes."""

from dataclasses import dataclass, replace
from uuid import UUID

import pytest

from recollect.composition import build_services
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import AnswerDetails, NewMessage
from recollect.domain.followup.dialogue import Proposal
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import PRESETS
from recollect.domain.recall.entry import RecallOverrides, RecallScope
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import DatabaseUnavailable, InvalidInput
from recollect.models.tokens import token_counter_for
from recollect.services.recall.recall import FAILED, OFF
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.testing import CountingIds, FakeFollowUpModel, FixedClock, WordEmbedder
from support.examples import a_message, a_scope, a_session
from support.recall.scripted_index import ScriptedIndex, an_entry
from support.tables import for_each

QUESTION = "What is the capital of France?"
SALES = "Question: Show me total sales by region for 2024 Result summary: North 2.5M"
UNSURE = Proposal(
    standalone_question="And in the North?", need=0.9, confidence=0.2, topic="the North"
)
COUNT = token_counter_for("gpt-4o").count


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A server with an index that finds what the test says."""

    services: Services
    index: ScriptedIndex
    embedder: WordEmbedder
    scope: Scope
    session_id: UUID

    async def say(self, *messages: NewMessage) -> None:
        await self.services.messages.append(self.scope, self.session_id, messages)

    async def ask(
        self,
        question: str = QUESTION,
        *,
        recall_k: int | None = None,
        recall_scope: RecallScope | None = None,
        max_tokens: int | None = None,
    ) -> Context:
        return await self.services.contexts.build(
            self.scope,
            self.session_id,
            question,
            model="gpt-4o",
            max_tokens=max_tokens,
            recall=RecallOverrides(k=recall_k, scope=recall_scope),
        )


async def a_scene(preset: str = "default", *texts: str, **settings: object) -> Scene:
    clock, embedder, index = FixedClock(), WordEmbedder(), ScriptedIndex(*map(an_entry, texts))
    around = ServiceDependencies(
        clock=clock,
        ids=CountingIds(),
        counter_for=token_counter_for,
        sql=SqlglotReader(),
        embedder=embedder,
        follow_up_model=FakeFollowUpModel(
            {
                "What about 2023?": "Show me total sales by region for 2023",
                "And there?": UNSURE,
            }
        ),
    )
    stores = replace(in_memory_stores(clock), recall=index)
    policies = load_settings(preset=preset, facts="off", **settings).policies()
    services = build_services(stores, around, policies)
    scope, session = a_scope(), a_session()
    await services.sessions.start(scope, session)
    return Scene(
        services=services,
        index=index,
        embedder=embedder,
        scope=scope,
        session_id=session.session_id,
    )


def an_exchange(question: str, answer: str, sql: str | None = None) -> list[NewMessage]:
    details = AnswerDetails(sql_query=sql)
    return [a_message("user", question), a_message("assistant", answer, details=details)]


async def test_a_context_includes_recalled_entries_and_their_sources() -> None:
    scene = await a_scene("default", SALES)

    context = await scene.ask()

    (entry,) = (candidate.entry for candidate in scene.index.candidates)
    (found,) = context.recalled
    assert (found.text, found.session_id) == (SALES, entry.session_id)
    assert context.sources.recalled == entry.message_ids
    assert context.sources.messages == ()
    assert context.tokens.recalled > COUNT(SALES)
    assert context.tokens.total <= context.tokens.limit
    assert "Show me total sales" in context.messages()[-1]["content"]
    assert context.warnings == ()


async def test_the_question_is_looked_for_as_it_stands_by_itself() -> None:
    scene = await a_scene()
    await scene.say(*an_exchange("Show me total sales by region for 2024", "North 2.5M"))

    context = await scene.ask("What about 2023?")

    assert context.standalone_question == "Show me total sales by region for 2023"
    assert scene.embedder.embedded == [context.standalone_question]


async def test_a_follow_up_without_a_sure_rewrite_is_looked_for_with_its_context() -> None:
    scene = await a_scene()
    await scene.say(*an_exchange("Show me total sales by region for 2024", "North 2.5M"))

    context = await scene.ask("And there?")

    assert context.standalone_question == context.question == "And there?"
    assert scene.embedder.embedded == ["And there? North Show total sales region 2024"]


async def test_messages_in_the_window_are_excluded_from_recall() -> None:
    scene = await a_scene()
    said = an_exchange("Show me total sales by region for 2024", "North 2.5M")
    await scene.say(*said)

    await scene.ask()

    assert scene.index.queries[0].filters.without == {message.message_id for message in said}


@for_each(
    ("preset", "settings", "wishes", "expected"),
    [
        ("default", {}, {}, 3),
        ("data-questions", {}, {}, 3),
        ("chat", {}, {}, 0),
        ("app", {}, {}, 0),
        ("agent", {}, {}, 0),
        ("assistant", {}, {}, 0),
        ("default", {"semantic_search_k": 5}, {}, 5),
        ("default", {"semantic_search_k": 0}, {}, 0),
        ("default", {"semantic_search_k": 5}, {"recall_k": 1}, 1),
        ("default", {}, {"recall_k": 0}, 0),
        ("default", {}, {"recall_scope": RecallScope.OFF}, 0),
        ("default", {"recall": "off"}, {}, 0),
        ("chat", {}, {"recall_k": 2}, 2),
        ("chat", {}, {"recall_scope": RecallScope.USER}, 3),
        ("chat", {"recall": "user"}, {}, 3),
    ],
)
async def test_preset_settings_and_request_say_how_many_in_this_order(
    preset: str, settings: dict[str, object], wishes: dict[str, object], expected: int
) -> None:
    texts = [f"Question: What was number {10**n}?" for n in range(8)]
    scene = await a_scene(preset, *texts, **settings)

    context = await scene.ask(**wishes)  # type: ignore[arg-type]  # by name

    assert len(context.recalled) == expected
    assert len(scene.index.queries) == len(scene.embedder.embedded) == bool(expected)
    assert context.warnings == ()


def test_the_table_of_recall_counts_covers_every_preset() -> None:
    assert set(PRESETS) == {"default", "data-questions", "chat", "app", "agent", "assistant"}


@pytest.mark.parametrize("scope", ["session", "user"])
async def test_settings_and_request_choose_the_scope_of_recall(scope: str) -> None:
    by_settings = await a_scene("chat", recall=scope)
    by_request = await a_scene("chat")

    await by_settings.ask()
    await by_request.ask(recall_scope=RecallScope(scope))

    for scene in (by_settings, by_request):
        within = scene.session_id if scope == "session" else None
        assert scene.index.queries[0].filters.session_id == within


async def test_requesting_recall_where_nothing_is_indexed_gives_a_warning() -> None:
    scene = await a_scene("default", SALES, recall="off")

    context = await scene.ask(recall_k=3)

    assert (context.recalled, context.warnings) == ((), (OFF,))
    assert scene.index.queries == []


@pytest.mark.parametrize("k", [-1, 101])
async def test_a_count_that_makes_no_sense_is_refused(k: int) -> None:
    scene = await a_scene()

    with pytest.raises(InvalidInput, match="recall_k"):
        await scene.ask(recall_k=k)


async def test_a_context_is_built_without_recall_when_recall_fails() -> None:
    scene = await a_scene("default", SALES)
    await scene.say(*an_exchange("Who are you?", "A computer."))
    scene.index.failure = DatabaseUnavailable("gone")

    context = await scene.ask()

    assert len(context.window) == 2
    assert (context.recalled, context.warnings) == ((), (FAILED,))


LONG = [f"Question: What was number {10**n}? Result summary: " + "x y " * 240 for n in range(5)]


async def test_recalled_entries_keep_to_their_share_of_a_full_budget() -> None:
    scene = await a_scene("default", *LONG)
    talk = [an_exchange(f"What is {n}? " + "why " * 50, "so " * 50) for n in range(15)]
    await scene.say(*(message for exchange in talk for message in exchange))

    context = await scene.ask(max_tokens=1500, recall_k=5)

    shares_of_memory = 60 / 75
    assert context.recalled
    assert context.window
    assert context.tokens.recalled <= 1500 * shares_of_memory
    assert context.cut.recalled == 5 - len(context.recalled) > 0
    assert context.is_truncated


async def test_recalled_entries_may_use_tokens_that_the_window_leaves() -> None:
    scene = await a_scene("default", *LONG)
    await scene.say(*an_exchange("Who are you?", "A computer."))
    everything = await scene.ask(recall_k=5, max_tokens=100_000)

    context = await scene.ask(recall_k=5, max_tokens=everything.tokens.total)

    assert len(context.recalled) == 5
    assert not context.is_truncated


async def test_the_window_may_use_tokens_that_recalled_entries_leave() -> None:
    with_recall = await a_scene("default", "Question: Why?")
    without = await a_scene("default")
    talk = [an_exchange(f"What is {n}? " + "why " * 50, "so " * 50) for n in range(15)]
    for scene in (with_recall, without):
        await scene.say(*(message for exchange in talk for message in exchange))

    most = len((await without.ask(max_tokens=1500)).window)
    context = await with_recall.ask(max_tokens=1500)

    assert len(context.recalled) == 1
    assert most - len(context.window) <= 2


async def test_the_last_turn_comes_before_all_that_is_recalled() -> None:
    scene = await a_scene("default", *LONG)
    sql = "SELECT " + ", ".join(f"column_{n}" for n in range(150)) + " FROM sales"  # noqa: S608  # never run
    await scene.say(*an_exchange("Show me all columns.", "Here they are.", sql))
    alone = await scene.ask(recall_k=0)

    context = await scene.ask(recall_k=5, max_tokens=alone.tokens.total + 100)

    assert context.window == alone.window
    assert context.window[-1].details.sql_query == sql
    assert context.recalled == ()
    assert context.cut.recalled == 5


async def test_a_recalled_entry_is_cut_to_a_thousand_characters() -> None:
    scene = await a_scene("default", "word " * 100_000)

    context = await scene.ask(max_tokens=100_000)

    assert len(context.recalled[0].text) <= 1000
