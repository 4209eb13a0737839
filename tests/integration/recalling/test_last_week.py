"""Questions about what was asked before, days later, with the model that comes along."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

import pytest_asyncio

from recollect.composition import build_services
from recollect.domain.context.context import Context
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory import in_memory_stores
from recollect.models.embedding.local_embedder import LocalEmbedder
from recollect.models.stems import SnowballStems
from recollect.models.tokens import token_counter_for
from recollect.ports.models import Embedder
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.testing import FIRST_MOMENT, CountingIds, FakeFollowUpModel, FixedClock
from support.examples import a_message, a_scope, a_session


@pytest_asyncio.fixture(scope="module")
async def embedder() -> AsyncIterator[Embedder]:
    """The model that comes along."""
    async with LocalEmbedder.built_in() as opened:
        yield opened


@dataclass
class Diary:
    """One user's talks over some weeks."""

    embedder: Embedder
    clock: FixedClock = field(default_factory=lambda: FixedClock(FIRST_MOMENT))
    scope: Scope = field(default_factory=a_scope)
    services: Services = field(init=False)

    def __post_init__(self) -> None:
        around = ServiceDependencies(
            clock=self.clock,
            ids=CountingIds(),
            counter_for=token_counter_for,
            sql=SqlglotReader(),
            stems=SnowballStems(),
            embedder=self.embedder,
            follow_up_model=FakeFollowUpModel(
                {"And in April?": "What was the churn rate in April?"}
            ),
        )
        policies = load_settings(preset="default").policies()
        self.services = build_services(in_memory_stores(self.clock), around, policies)

    async def talk(self, *exchanges: tuple[str, str], days_later: float = 0) -> UUID:
        """A session of its own, which is indexed when it ends."""
        self.clock.move(timedelta(days=days_later))
        session = a_session(uuid4())
        await self.services.sessions.start(self.scope, session)
        for question, answer in exchanges:
            said = [a_message("user", question), a_message("assistant", answer)]
            await self.services.messages.append(self.scope, session.session_id, said)
        assert self.services.indexing is not None
        while await self.services.indexing.do_some():
            pass
        return session.session_id

    async def ask(self, session_id: UUID, question: str) -> Context:
        return await self.services.contexts.build(self.scope, session_id, question)


async def test_the_figure_that_was_asked_about_last_week_is_recalled(embedder: Embedder) -> None:
    diary = Diary(embedder)
    await diary.talk(("What was our revenue in the first quarter?", "It was 8.1 million."))
    await diary.talk(("What was the churn rate in March?", "It was 4.2 percent."), days_later=14)
    await diary.talk(("How many shops do we have?", "We have 17 of them."), days_later=6)
    today = await diary.talk(("Good morning", "Good morning, how can I help?"), days_later=1)

    context = await diary.ask(today, "What was the figure I asked about last week?")

    assert "4.2 percent" in context.recalled[0].text
    assert "4.2 percent" in context.messages()[-1]["content"]


async def test_a_follow_up_to_a_recalled_exchange_is_rewritten_and_recalled(
    embedder: Embedder,
) -> None:
    diary = Diary(embedder)
    await diary.talk(
        ("What was the churn rate in March?", "It was 4.2 percent."),
        ("What was the churn rate in April?", "It was 3.9 percent."),
        ("Why do penguins not fly?", "Their wings became flippers."),
    )
    today = await diary.talk(
        ("What was the churn rate in May?", "It was 3.5 percent."), days_later=7
    )

    context = await diary.ask(today, "And in April?")

    assert context.standalone_question == "What was the churn rate in April?"
    assert "3.9 percent" in context.recalled[0].text
    assert all("penguins" not in found.text for found in context.recalled)


async def test_a_question_about_something_new_recalls_nothing(embedder: Embedder) -> None:
    diary = Diary(embedder)
    await diary.talk(("What was the churn rate in March?", "It was 4.2 percent."))
    today = await diary.talk(days_later=7)

    context = await diary.ask(today, "Why do penguins not fly?")

    assert (context.recalled, context.warnings) == ((), ())


async def test_a_question_asked_twice_is_recalled_once_with_its_latest_answer(
    embedder: Embedder,
) -> None:
    diary = Diary(embedder)
    await diary.talk(("How many shops do we have?", "We have 16 of them."))
    await diary.talk(("How many shops do we have?", "We have 17 of them."), days_later=3)
    today = await diary.talk(days_later=3)

    context = await diary.ask(today, "What is the number of our shops?")

    assert [found.text.partition("summary: ")[2] for found in context.recalled] == [
        "We have 17 of them."
    ]


async def test_the_first_and_the_last_time_something_was_asked_are_found(
    embedder: Embedder,
) -> None:
    diary = Diary(embedder)
    await diary.talk(("Is my ladder long enough?", "It reaches the gutter."))
    await diary.talk(("Where do I store the ladder?", "Under the roof."), days_later=30)
    await diary.talk(("Is my ladder long enough?", "It reaches the roof."), days_later=30)
    await diary.talk(("When are the shops open?", "From nine to six."), days_later=1)

    async def answer(question: str) -> str:
        found = await diary.services.recall.search(diary.scope, question)
        return found.items[0].text.partition("summary: ")[2]

    assert await answer("When did I first ask about the ladder?") == "It reaches the gutter."
    assert await answer("What was the last thing I asked about the ladder?") == (
        "It reaches the roof."
    )


async def test_a_question_about_two_things_recalls_both(embedder: Embedder) -> None:
    diary = Diary(embedder)
    await diary.talk(
        ("Is the ladder safe on grass?", "With a board under its feet."),
        ("How long should a ladder be?", "A metre longer than the wall."),
        ("Who may climb the ladder?", "Only one person at a time."),
        ("We decided to buy the ladder from Hailo.", "Noted: the ladder comes from Hailo."),
        ("My harness is ten years old.", "Then it should be replaced."),
    )

    found = await diary.services.recall.search(
        diary.scope, "What did we decide about the ladder and the harness?"
    )

    assert "Hailo" in found.items[0].text
    assert "ten years" in found.items[1].text
