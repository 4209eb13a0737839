"""A question is stored while its context is built: what becomes of one when the other fails."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from recollect.domain.chat.answers import Inquiry
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import RecallOverrides, Recollection
from recollect.errors import DatabaseUnavailable, InvalidInput, SessionNotFound, UserHalted
from recollect.ports.conversations import MessageStore, StoredWindow
from recollect.services.chat.chat import Chat
from recollect.services.chat.degradation import NO_MEMORY
from recollect.services.recall.recall import Recall
from support.chat_services import SCOPE, SESSION, Setup
from support.tables import for_each
from support.timeouts import PATIENCE

Before = Callable[[], Awaitable[object]]


class WindowAfter:
    """Messages whose windows are read after something else."""

    def __init__(self, messages: MessageStore, before: Before) -> None:
        self._messages = messages
        self._before = before

    async def window(
        self, scope: Scope, session_id: UUID, *, count: int, covers_all: bool
    ) -> StoredWindow | None:
        await self._before()
        return await self._messages.window(scope, session_id, count=count, covers_all=covers_all)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallAfter(Recall):
    """Recall for contexts after something else."""

    before: Before

    async def for_context(  # type: ignore[override]
        self,
        scope: Scope,
        question: str,
        **options: Any,  # noqa: ANN401  # what a context says of itself
    ) -> Recollection:
        await self.before()
        return await Recall.for_context(self, scope, question, **options)


def chat_recalling_after(setup: Setup, before: Before) -> Chat:
    chat = setup.services.chat
    recall = chat.contexts.recall
    known = {one.name: getattr(recall, one.name) for one in fields(Recall) if one.init}
    slow = RecallAfter(**known, before=before)
    return replace(chat, contexts=replace(chat.contexts, recall=slow))


def chat_reading_after(setup: Setup, before: Before) -> Chat:
    chat = setup.services.chat
    messages = chat.contexts.messages
    slow = replace(messages, store=WindowAfter(messages.store, before))  # type: ignore[arg-type]
    return replace(chat, contexts=replace(chat.contexts, messages=slow))


async def never() -> None:
    await asyncio.Event().wait()


async def broken() -> None:
    raise RuntimeError("the window is broken")


async def away() -> None:
    raise DatabaseUnavailable("the database is away")


async def until_stored(setup: Setup, messages: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while len(await setup.stored_texts()) < messages:  # noqa: ASYNC110  # nobody tells when
            await asyncio.sleep(0)


def question(text: str = "What about 2023?") -> Inquiry:
    return Inquiry(text=text, session_id=SESSION)


async def test_the_question_is_stored_while_its_context_is_still_built() -> None:
    setup = Setup()
    await setup.ask("Show me total sales by region for 2024")
    chat = chat_recalling_after(setup, partial(until_stored, setup, 3))
    answered = await chat.ask(SCOPE, question())
    assert answered.context.standalone_question == "Show me total sales by region for 2023"
    assert [message.content for message in answered.context.window][-1:] == ["Fine."]
    assert await setup.status(2) is TurnStatus.COMPLETE


async def test_a_question_whose_context_breaks_is_kept_and_its_turn_failed() -> None:
    setup = Setup()
    await setup.ask("Hello?")
    with pytest.raises(RuntimeError, match="is broken"):
        await chat_reading_after(setup, broken).ask(SCOPE, question())
    assert (await setup.stored_texts())[-1] == ("user", "What about 2023?")
    assert await setup.status(2) is TurnStatus.FAILED
    assert len(setup.answerer.requests) == 1


async def test_a_context_that_cannot_be_had_now_leaves_the_question_to_itself() -> None:
    setup = Setup()
    await setup.ask("Hello?")
    answered = await chat_reading_after(setup, away).ask(SCOPE, question())
    assert answered.warnings == (NO_MEMORY,)
    assert answered.context.window == ()
    assert await setup.status(2) is TurnStatus.COMPLETE


async def test_a_caller_who_leaves_while_the_context_is_built_leaves_a_failed_turn() -> None:
    setup = Setup()
    await setup.ask("Hello?")
    asking = asyncio.create_task(chat_recalling_after(setup, never).ask(SCOPE, question()))
    await until_stored(setup, 3)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await setup.status(2) is TurnStatus.FAILED


async def test_a_caller_who_leaves_while_the_window_is_read_leaves_nothing() -> None:
    setup = Setup()
    await setup.ask("Hello?")
    asking = asyncio.create_task(chat_reading_after(setup, never).ask(SCOPE, question()))
    await asyncio.sleep(0.05)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert len(await setup.stored_texts()) == 2


async def test_for_a_halted_user_no_context_is_built_and_no_question_stored() -> None:
    setup = Setup()
    await setup.ask("Hello?")
    await setup.services.states.put(SCOPE, "halted")
    read: list[bool] = []

    async def note() -> None:
        read.append(True)

    with pytest.raises(UserHalted):
        await chat_recalling_after(setup, note).ask(SCOPE, question())
    assert len(await setup.stored_texts()) == 2
    assert read == []


@for_each(
    "wrong",
    [
        {"databases": ("x" * 256,)},
        {"databases": tuple(map(str, range(101)))},
        {"recall": RecallOverrides(k=101)},
    ],
    ids=["name", "names", "recalled"],
)
async def test_a_question_with_invalid_context_options_is_refused_and_not_stored(
    wrong: dict[str, object],
) -> None:
    setup = Setup()
    with pytest.raises(InvalidInput):
        await setup.ask("Hello?", **wrong)
    with pytest.raises(SessionNotFound):
        await setup.stored_texts()
