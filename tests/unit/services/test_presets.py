"""Each preset walks through the story of the seed that asked for it."""

from datetime import timedelta
from uuid import UUID

import pytest

from recollect.composition import build_services
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import AnswerDetails, Role
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import PRESETS, ContextForm, MissingSession
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import InvalidInput, SessionNotFound
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.testing import CountingIds, FixedClock
from support.examples import a_message, a_scope, a_session, summary_of
from support.tables import for_each


class Story:
    """A server of one preset, and one conversation with it."""

    def __init__(self, preset: str, **settings: object) -> None:
        self.preset = PRESETS[preset]
        self.clock = FixedClock()
        self.scope: Scope = a_scope()
        self.session_id = UUID(int=7)
        around = ServiceDependencies(
            clock=self.clock, ids=CountingIds(), counter_for=token_counter_for, sql=SqlglotReader()
        )
        policies = load_settings(preset=preset, **settings).policies()
        self.stores: Stores = in_memory_stores(self.clock)
        self.services = build_services(self.stores, around, policies)

    async def start(self) -> None:
        await self.services.sessions.start(self.scope, a_session(self.session_id))

    async def say(self, role: str, text: str, details: AnswerDetails | None = None) -> None:
        message = a_message(role, text, details=details or AnswerDetails())
        await self.services.messages.append(self.scope, self.session_id, [message])

    async def chat(self, turns: int) -> None:
        for turn in range(turns):
            await self.say("user", f"Can you tell me about point {turn}?")
            await self.say("assistant", f"Point {turn} is about the sea and the birds over it.")

    async def ask(
        self,
        question: str,
        *,
        model: str | None = None,
        window: int | None = None,
        max_tokens: int | None = None,
    ) -> Context:
        return await self.services.contexts.build(
            self.scope,
            self.session_id,
            question,
            model=model,
            window=window,
            max_tokens=max_tokens,
        )

    async def work(self) -> int:
        done = 0
        while await self.services.work.do_one():
            done += 1
        return done

    async def summarised_through(self) -> int:
        summary = await summary_of(self.stores, self.scope, self.session_id)
        return summary.last_sequence if summary else 0

    async def is_there(self) -> bool:
        try:
            await self.services.sessions.get(self.scope, self.session_id)
        except SessionNotFound:
            return False
        return True


async def refuses_system_messages(story: Story) -> bool:
    try:
        await story.say("system", "You are kind.")
    except InvalidInput as error:
        return "role" in str(error)
    return False


async def test_data_questions_follow_on_from_an_earlier_query() -> None:
    story = Story("data-questions")
    await story.start()
    assert story.preset.missing_session is MissingSession.CREATE
    assert story.preset.context is ContextForm.INSTRUCTIONS
    assert await refuses_system_messages(story)

    details = AnswerDetails(
        sql_query="SELECT SUM(amount) FROM sales WHERE year = 2024", tables_used=("sales",)
    )
    await story.say("user", "What were the total sales in 2024?")
    await story.say("assistant", "The total sales were 2.5M.", details)
    context = await story.ask("What about 2023?")

    assert context.instructions().startswith(
        "=== RECENT CONVERSATION ===\n"
        "User asked: What were the total sales in 2024?\n"
        "Assistant answered using tables: sales\n"
        "SQL: SELECT SUM(amount) FROM sales WHERE year = 2024\n"
        "Answer: The total sales were 2.5M.\n"
    )
    assert "INSTRUCTIONS:" in context.instructions()
    assert context.question == "What about 2023?"
    assert context.standalone_question == "What were the total sales in 2023?"
    assert "2023" not in context.instructions(), "the question goes by itself"


async def test_data_questions_look_back_ten_messages_or_as_many_as_asked_for() -> None:
    story = Story("data-questions")
    await story.start()
    await story.chat(7)

    assert len((await story.ask("What is the capital of France?")).window) == 10
    assert len((await story.ask("What is the capital of France?", window=4)).window) == 4
    assert len((await story.ask("What is the capital of France?", window=12)).window) == 12


async def test_data_questions_are_summarised_after_fifteen_messages_and_kept_for_a_week() -> None:
    story = Story("data-questions")
    await story.start()
    await story.chat(7)
    await story.say("user", "Can you tell me more?")
    assert await story.work() == 0, "15 messages are not too many"
    await story.say("assistant", "There is more about the sea.")
    assert await story.work() == 1

    assert await story.summarised_through() == 6
    context = await story.ask("What is the capital of France?")
    assert context.sources.summary == (1, 6)
    assert [message.sequence for message in context.window] == list(range(7, 17))
    assert "=== EARLIER CONVERSATION ===" in context.instructions()
    story.clock.move(timedelta(days=7, seconds=-1))
    assert await story.is_there()
    story.clock.move(timedelta(seconds=1))
    assert not await story.is_there()


async def test_chat_puts_the_last_ten_messages_into_the_system_prompt() -> None:
    story = Story("chat")
    await story.start()
    assert story.preset.missing_session is MissingSession.REJECT
    assert story.preset.context is ContextForm.SYSTEM_PROMPT
    assert not await refuses_system_messages(story)
    assert (await story.ask("Hallo?")).conversation_block(language="nl") != ""

    await story.say("user", "Wat zijn de vereisten voor werken op hoogte?")
    await story.say("assistant", "Voor werken op hoogte gelden de volgende vereisten...")
    context = await story.ask("Welke producten heb je daarvoor?")

    assert context.conversation_block(language="nl") == (
        "**Eerdere gesprek:**\n\n"
        'Systeem: "You are kind."\n\n'
        'Gebruiker: "Wat zijn de vereisten voor werken op hoogte?"\n\n'
        'Assistent: "Voor werken op hoogte gelden de volgende vereisten..."'
    )
    assert context.conversation_block(language="en").startswith("**Earlier conversation:**\n\n")


async def test_chat_has_a_fixed_window_no_summaries_and_no_end() -> None:
    story = Story("chat")
    await story.start()
    await story.chat(100)

    assert await story.work() == 0
    context = await story.ask("What is the capital of France?")
    assert context.summary is None
    assert [message.sequence for message in context.window] == list(range(191, 201))
    for window in (1, 10, 11):
        with pytest.raises(InvalidInput, match="window"):
            await story.ask("What is the capital of France?", window=window)
    story.clock.move(timedelta(days=36_500))
    assert await story.is_there()


async def test_app_renders_a_template_with_the_last_ten_messages() -> None:
    story = Story("app")
    await story.start()
    assert story.preset.missing_session is MissingSession.USER_WIDE
    assert story.preset.context is ContextForm.TEMPLATE
    assert await refuses_system_messages(story)
    await story.chat(40)
    assert await story.work() == 0

    variables = (await story.ask("What is my name?")).variables()

    told = {"standing_instructions", "profile", "facts", "summary", "recalled"}
    assert set(variables) == told | {"history", "question"}
    history = variables["history"]
    assert isinstance(history, list)
    assert len(history) == 10
    assert history[0] == {"role": "user", "content": "Can you tell me about point 35?"}
    assert history[-1] == {
        "role": "assistant",
        "content": "Point 39 is about the sea and the birds over it.",
    }
    assert variables["summary"] == ""
    story.clock.move(timedelta(days=36_500))
    assert await story.is_there()


async def test_an_app_keeps_its_history_short_by_itself() -> None:
    story = Story("app")
    await story.start()
    await story.chat(20)

    assert await story.services.history.trim(story.scope, keep_last=10) == 30

    assert len((await story.ask("What is the capital of France?")).window) == 10
    assert await story.services.history.count(story.scope) == 10


async def test_agent_summarises_past_fifty_messages_and_keeps_the_last_ten() -> None:
    story = Story("agent")
    await story.start()
    assert story.preset.missing_session is MissingSession.CREATE
    assert story.preset.context is ContextForm.OBJECT
    assert not await refuses_system_messages(story)
    await story.chat(24)
    await story.say("user", "Can you tell me more?")
    assert await story.work() == 0, "50 messages are not too many"

    await story.say("assistant", "There is more about the sea.")
    assert await story.work() == 1

    assert await story.summarised_through() == 41
    as_json = (await story.ask("What is the capital of France?")).to_json()
    window = as_json["window"]
    assert isinstance(window, list)
    assert [m["sequence"] for m in window if isinstance(m, dict)] == list(range(42, 52))
    assert as_json["summary"]
    assert as_json["sources"] is not None
    assert await story.services.history.count(story.scope) == 51, "the originals stay"


async def test_agent_keeps_sessions_for_ninety_days_after_their_last_use() -> None:
    story = Story("agent")
    await story.start()
    story.clock.move(timedelta(days=80))
    await story.say("user", "Are you there?")
    story.clock.move(timedelta(days=89))
    assert await story.is_there()
    story.clock.move(timedelta(days=1, hours=1))
    assert not await story.is_there()


@for_each(
    ("model", "turns", "kept"),
    [
        ("llama3.2:3b", 10, 2),
        ("llama3.1:8b", 6, 5),
        ("qwen2.5-14b-instruct", 10, 8),
        ("gpt-4o", 15, 12),
    ],
)
async def test_assistant_remembers_as_much_as_the_models_size_allows(
    model: str, turns: int, kept: int
) -> None:
    story = Story("assistant", llm_model=model, max_context_tokens=100_000)
    await story.start()
    assert story.preset.missing_session is MissingSession.CREATE
    assert story.preset.context is ContextForm.MESSAGES
    assert await refuses_system_messages(story)
    await story.chat(turns)
    assert await story.work() == 0
    context = await story.ask("How many of them?")
    assert len(context.window) == turns * 2
    assert context.summary is None

    await story.chat(1)
    assert await story.work() == 1

    total = (turns + 1) * 2
    assert await story.summarised_through() == total - kept * 2
    context = await story.ask("How many of them?")
    roles = [message["role"] for message in context.messages()]
    assert roles[0] == "system"
    assert roles[1:] == ["user", "assistant"] * (len(roles) // 2 - 1) + ["user"]
    assert context.messages()[-1] == {"role": "user", "content": context.question}
    assert context.question == "How many of them?"
    first, last = context.sources.summary or (0, -1)
    shown = {message.sequence for message in context.window}
    assert shown | set(range(first, last + 1)) == set(range(1, total + 1))
    story.clock.move(timedelta(days=36_500))
    assert await story.is_there()


async def test_assistant_takes_the_window_of_the_model_that_asks() -> None:
    story = Story("assistant", max_context_tokens=100_000)
    await story.start()
    await story.chat(30)

    windows = {
        model: len((await story.ask("What is the capital of France?", model=model)).window)
        for model in ("smollm2:360m", "llama3.1:8b", "qwen2.5-14b-instruct", "gpt-4o")
    }

    assert list(windows.values()) == [60, 12, 20, 30]


async def test_a_tiny_model_is_given_as_many_turns_as_its_tokens_allow() -> None:
    story = Story("assistant", llm_model="smollm2:360m", max_context_tokens=1_000)
    await story.start()
    await story.chat(40)

    contexts = [
        await story.ask("What is the capital of France?", max_tokens=limit)
        for limit in (300, 600, 1_000)
    ]

    turns = [len(context.window) // 2 for context in contexts]
    assert turns == sorted(set(turns))
    assert turns[-1] > 10
    assert all(context.tokens.total <= context.tokens.limit for context in contexts)
    assert all(context.sources.summary is not None for context in contexts)


async def test_default_takes_every_role_and_turns_by_model() -> None:
    story = Story("default")
    await story.start()
    assert story.preset.roles == frozenset(Role)
    assert not await refuses_system_messages(story)
    await story.chat(30)

    assert len((await story.ask("What is the capital of France?")).window) == 12
    assert len((await story.ask("What is the capital of France?", window=2)).window) == 4


def test_every_preset_has_a_story_here() -> None:
    assert set(PRESETS) == {"default", "data-questions", "chat", "app", "agent", "assistant"}
