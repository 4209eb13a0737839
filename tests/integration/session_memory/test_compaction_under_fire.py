"""Workers that die, workers that meet, models that misbehave: not a word is lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
import pytest_asyncio

from integration.session_memory.talk import (
    A_SUMMARY,
    HeldModel,
    ScriptedModel,
    all_messages,
    policies_of,
    services_on,
    started,
    turns_about_sales,
)
from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import Message, NewMessage
from recollect.domain.identity.scope import Scope
from recollect.errors import ModelUnavailable
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.models import ChatModel
from recollect.services.context.summarising import Compaction, LlmSummariser
from recollect.services.services import Services
from recollect.testing import FixedClock
from support.examples import a_message, summary_of
from support.timeouts import PATIENCE

LEASE = timedelta(minutes=5)
PAUSE = timedelta(seconds=10)
COUNT = 40
KEPT = 10
THROUGH = COUNT - KEPT
AN_ENORMOUS_TEXT = " ".join(
    f"The user asked about {word} and the assistant told what shop sold it."
    for word in (
        f"the {first}{second}ing" for first in "abcdefghij" * 90 for second in "klmnopqrst"
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A session that is to be compacted, and its job waiting."""

    stores: Stores
    scope: Scope
    session_id: UUID
    originals: tuple[Message, ...]
    clock: FixedClock

    def worker(self, model: ChatModel | None = None, *, timeout: float = 60) -> Services:
        """A worker with a model, or without one."""
        policies = policies_of("data-questions")
        return services_on(self.stores, policies, model=model, timeout=timeout, clock=self.clock)

    async def summary(self) -> Summary | None:
        """What is stored as the session's summary."""
        return await summary_of(self.stores, self.scope, self.session_id)

    async def say(self, *messages: NewMessage) -> None:
        """Add messages, as a server does."""
        await self.worker().messages.append(self.scope, self.session_id, messages)

    async def assert_nothing_happened(self) -> None:
        """No summary, and every message as it was."""
        assert await self.summary() is None
        await self.assert_originals_are_intact()

    async def assert_originals_are_intact(self) -> None:
        """Every message as it was, to the last byte of every field."""
        assert await all_messages(self.stores, self.scope, self.session_id) == self.originals

    async def assert_next_run_succeeds(self) -> None:
        """A worker with a model that works makes the one summary there is to make."""
        assert await self.worker(ScriptedModel()).work.do_one()
        await self.assert_summarised(by="llm", text=A_SUMMARY)
        assert not await self.worker().work.do_one()

    async def assert_summarised(self, *, by: str, text: str | None = None) -> None:
        """One summary of everything but the last messages, beside the originals."""
        summary = await self.summary()
        assert summary is not None
        assert (summary.first_sequence, summary.last_sequence) == (1, THROUGH)
        assert summary.method == by
        assert text is None or summary.text == text
        assert token_counter_for(None).count(summary.text) <= 500
        await self.assert_originals_are_intact()


@pytest_asyncio.fixture
async def scene(own_stores: Stores, scope: Scope) -> Scene:
    clock = FixedClock(datetime.now(UTC))
    services = services_on(own_stores, policies_of("data-questions"), clock=clock)
    session_id = await started(services, scope)
    await services.messages.append(scope, session_id, turns_about_sales(COUNT // 2))
    return Scene(
        stores=own_stores,
        scope=scope,
        session_id=session_id,
        originals=await all_messages(own_stores, scope, session_id),
        clock=clock,
    )


@asynccontextmanager
async def in_the_middle_of_work(
    worker: Services, model: HeldModel
) -> AsyncIterator[asyncio.Task[bool]]:
    """A worker that has asked its model and waits for the answer."""
    task = asyncio.create_task(worker.work.do_one())
    async with asyncio.timeout(PATIENCE):
        await model.asked.wait()
    yield task
    model.let_go.set()
    async with asyncio.timeout(PATIENCE):
        await asyncio.wait([task])


async def test_a_worker_that_ends_midway_leaves_the_job_to_the_next_one(scene: Scene) -> None:
    model = HeldModel()
    async with in_the_middle_of_work(scene.worker(model), model) as task:
        task.cancel()
    assert task.cancelled()

    await scene.assert_nothing_happened()
    assert not await scene.worker().work.do_one(), "the lease is not over"
    scene.clock.move(LEASE)
    await scene.assert_next_run_succeeds()


async def test_a_job_goes_to_one_of_several_workers(scene: Scene) -> None:
    models = [ScriptedModel() for _ in range(4)]

    done = await asyncio.gather(*(scene.worker(model).work.do_one() for model in models))

    assert sorted(done) == [False, False, False, True]
    assert sum(len(model.prompts) for model in models) == 1
    await scene.assert_summarised(by="llm")


async def test_of_two_workers_at_one_session_one_prevails(scene: Scene) -> None:
    models = [HeldModel(answer=f"Worker {name} summarised the sales.") for name in ("A", "B")]

    def compaction(model: ChatModel) -> tuple[Compaction, LlmSummariser]:
        by = LlmSummariser(model=model, tokens=token_counter_for(None))
        policy = policies_of("data-questions").compaction
        return Compaction(
            summaries=scene.stores.summaries,
            clock=scene.clock,
            tables_of=lambda message: message.details.tables_used or (),
            policy=policy,
            summariser=by,
            fallback=by,
        ), by

    tasks = []
    for model in models:
        work, by = compaction(model)
        tasks.append(
            asyncio.create_task(work.compact(scene.scope, scene.session_id, keep=KEPT, by=by))
        )
    async with asyncio.timeout(PATIENCE):
        for model in models:
            await model.asked.wait()
        for model in models:
            model.let_go.set()
        compacted = await asyncio.gather(*tasks)

    assert sorted(compacted) == [0, THROUGH]
    await scene.assert_summarised(by="llm", text=models[compacted.index(THROUGH)].answer)


async def test_a_worker_that_comes_back_after_its_lease_changes_nothing(scene: Scene) -> None:
    late = HeldModel(answer="Too late, they talked about sales.")
    async with in_the_middle_of_work(scene.worker(late), late) as task:
        scene.clock.move(LEASE)
        await scene.assert_next_run_succeeds()
        late.let_go.set()
        assert await task

    await scene.assert_summarised(by="llm", text=A_SUMMARY)
    assert not await scene.worker().work.do_one()


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(ScriptedModel([ModelUnavailable("it is away")]), id="fails"),
        pytest.param(ScriptedModel([""]), id="says nothing"),
        pytest.param(ScriptedModel([" \n\t "]), id="is blank"),
        pytest.param(ScriptedModel(["%%% ### 0 0 0 ]]]"]), id="writes rubbish"),
        pytest.param(ScriptedModel(["\0\0\0"]), id="writes NUL"),
        pytest.param(ScriptedModel(["I'm sorry, I cannot do that."]), id="refuses"),
        pytest.param(ScriptedModel(["They sold 123,456,789 shops."]), id="invents figures"),
        pytest.param(ScriptedModel(["Again and again. " * 200_000]), id="repeats itself for ever"),
    ],
)
async def test_a_model_that_gives_no_summary_changes_nothing_and_the_next_run_succeeds(
    scene: Scene, model: ScriptedModel
) -> None:
    assert await scene.worker(model).work.do_one()

    await scene.assert_nothing_happened()
    assert not await scene.worker().work.do_one(), "it waits for a while"
    scene.clock.move(PAUSE)
    await scene.assert_next_run_succeeds()


async def test_a_model_that_never_answers_is_given_up(scene: Scene) -> None:
    async with asyncio.timeout(PATIENCE):
        assert await scene.worker(HeldModel(), timeout=0.05).work.do_one()

    await scene.assert_nothing_happened()
    scene.clock.move(PAUSE)
    await scene.assert_next_run_succeeds()


async def test_an_enormous_answer_is_cut_to_a_summarys_length(scene: Scene) -> None:
    assert await scene.worker(ScriptedModel([AN_ENORMOUS_TEXT])).work.do_one()

    await scene.assert_summarised(by="llm")


@pytest.mark.parametrize("text", ["A lone \ud800 surrogate in a summary.", "A NUL\0 in a summary."])
async def test_an_answer_that_cannot_be_stored_as_it_is_stops_no_worker(
    scene: Scene, text: str
) -> None:
    assert await scene.worker(ScriptedModel([text])).work.do_one()

    await scene.assert_originals_are_intact()
    summary = await scene.summary()
    assert summary is None or "\0" not in summary.text


async def test_after_repeated_failures_the_offline_summariser_takes_over(scene: Scene) -> None:
    model = ScriptedModel([ModelUnavailable("it is away")])
    worker = scene.worker(model)
    pauses = []
    while await scene.summary() is None:
        waited = timedelta(0)
        while not await worker.work.do_one():
            scene.clock.move(PAUSE)
            waited += PAUSE
        pauses.append(waited)

    assert len(model.prompts) == 3
    assert pauses == [timedelta(0), PAUSE, PAUSE * 2, PAUSE * 4]
    await scene.assert_summarised(by="extractive")
    assert not await worker.work.do_one()


async def test_a_worker_that_always_dies_does_not_keep_a_session_from_its_summary(
    scene: Scene,
) -> None:
    for _ in range(3):
        model = HeldModel()
        async with in_the_middle_of_work(scene.worker(model), model) as task:
            task.cancel()
        scene.clock.move(LEASE)

    assert await scene.worker(HeldModel()).work.do_one()

    await scene.assert_summarised(by="extractive")


async def test_no_summary_is_stored_if_a_message_was_deleted_while_it_was_made(
    scene: Scene,
) -> None:
    victim = scene.originals[4]
    model = HeldModel()
    async with in_the_middle_of_work(scene.worker(model), model) as task:
        await scene.worker().messages.delete(scene.scope, scene.session_id, victim.message_id)
        model.let_go.set()
        assert await task
    assert await scene.summary() is None

    await scene.say(*turns_about_sales(1, first=21))
    second = ScriptedModel()
    assert await scene.worker(second).work.do_one()

    summary = await scene.summary()
    assert summary is not None
    assert second.prompts
    assert not any(victim.content in prompt for prompt in second.prompts)
    left = [m for m in scene.originals if m.message_id != victim.message_id]
    assert list(await all_messages(scene.stores, scene.scope, scene.session_id))[:39] == left


async def test_deleting_a_summarised_message_deletes_the_summary(
    scene: Scene,
) -> None:
    await scene.assert_next_run_succeeds()

    await scene.worker().messages.delete(
        scene.scope, scene.session_id, scene.originals[0].message_id
    )

    context = await scene.worker().contexts.build(
        scene.scope, scene.session_id, "What is the capital of France?"
    )
    assert await scene.summary() is None
    assert A_SUMMARY not in str(context.messages())
    assert scene.originals[0].content not in str(context.messages())


@pytest.mark.parametrize("what", ["clear", "delete the session"])
async def test_a_session_cleared_or_deleted_during_summarising_gets_no_summary(
    scene: Scene, what: str
) -> None:
    model, server = HeldModel(), scene.worker()
    async with in_the_middle_of_work(scene.worker(model), model) as task:
        if what == "clear":
            await server.messages.clear(scene.scope, scene.session_id)
        else:
            await server.sessions.delete(scene.scope, scene.session_id)
        model.let_go.set()
        assert await task

    assert await scene.summary() is None
    assert not await server.work.do_one()


async def test_messages_added_during_summarising_stay_in_the_window(
    scene: Scene,
) -> None:
    model, server = HeldModel(), scene.worker()
    async with in_the_middle_of_work(scene.worker(model), model) as task:
        await scene.say(*turns_about_sales(5, first=21))
        model.let_go.set()
        assert await task

    summary = await scene.summary()
    assert summary is not None
    assert summary.last_sequence == THROUGH
    context = await server.contexts.build(
        scene.scope, scene.session_id, "What is the capital of France?"
    )
    first, last = context.sources.summary or (0, 0)
    covered = {*range(first, last + 1), *(message.sequence for message in context.window)}
    assert covered == set(range(1, COUNT + 11))


async def test_a_second_summary_takes_the_place_of_the_first(scene: Scene) -> None:
    await scene.assert_next_run_succeeds()
    await scene.say(*turns_about_sales(10, first=21))
    model = ScriptedModel(["The user asked on about more shops."])

    assert await scene.worker(model).work.do_one()

    summary = await scene.summary()
    assert summary is not None
    assert (summary.first_sequence, summary.last_sequence) == (1, THROUGH + 20)
    assert summary.text == "The user asked on about more shops."
    assert A_SUMMARY in model.prompts[0]
    assert set(summary.tables) == {f"sales_{turn}" for turn in range(1, 26)}


async def test_a_failed_question_is_not_summarised(own_stores: Stores, scope: Scope) -> None:
    model = ScriptedModel()
    services = services_on(own_stores, policies_of("data-questions"), model=model)
    session_id = await started(services, scope)
    await services.messages.append(scope, session_id, [a_message("user", "Where is the kiwi?")])
    await services.messages.fail_turn(scope, session_id, 1)
    await services.messages.append(scope, session_id, turns_about_sales(20))

    assert await services.work.do_one()

    assert len(model.prompts) == 1
    assert "kiwi" not in model.prompts[0]
    summary = await summary_of(own_stores, scope, session_id)
    assert summary is not None
    assert summary.last_sequence >= 30
