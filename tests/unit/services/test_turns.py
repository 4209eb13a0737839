"""Turns that are begun and ended, whatever happens to those who wait for them."""

import asyncio
from dataclasses import dataclass, field, replace
from uuid import UUID

import pytest

from recollect.domain.conversation.message import NewMessage
from recollect.domain.conversation.session import NewSession, TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import DatabaseUnavailable, IdAlreadyUsed, SessionNotFound
from recollect.ports.conversations import Appended, MessageStore
from recollect.services.chat.turn import Turns
from recollect.services.conversations.last_access import LastAccess
from recollect.services.conversations.messages import Messages
from recollect.testing import FixedClock
from support.examples import a_message, a_scope
from support.permissions import permissions_on
from support.timeouts import PATIENCE

SESSION = UUID(int=7)


@dataclass(slots=True)
class SlowAppends:
    """Messages that are stored once a gate has opened, and turns that fail to fail a few times."""

    inner: MessageStore
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    outages: int = 0

    async def append(
        self, scope: Scope, session_id: UUID, messages: list[NewMessage], **more: object
    ) -> Appended | None:
        await self.gate.wait()
        return await self.inner.append(scope, session_id, messages, **more)  # type: ignore[arg-type]

    async def turn_status(
        self, scope: Scope, session_id: UUID, turn_number: int
    ) -> TurnStatus | None:
        return await self.inner.turn_status(scope, session_id, turn_number)

    async def fail_turn(self, scope: Scope, session_id: UUID, turn_number: int) -> bool:
        if self.outages:
            self.outages -= 1
            raise DatabaseUnavailable("away")
        return await self.inner.fail_turn(scope, session_id, turn_number)


@dataclass(frozen=True, kw_only=True)
class Setup:
    scope: Scope
    store: SlowAppends
    turns: Turns

    async def status(self) -> TurnStatus | None:
        return await self.store.turn_status(self.scope, SESSION, 1)


async def a_setup() -> Setup:
    stores, scope, clock = in_memory_stores(), a_scope(), FixedClock()
    await stores.sessions.start(scope, NewSession(session_id=SESSION), now=clock.now())
    slow = SlowAppends(stores.messages)
    messages = Messages(
        store=slow,  # type: ignore[arg-type]  # what turns need of it
        permissions=permissions_on(stores),
        clock=clock,
        last_access=LastAccess(store=stores.sessions, clock=clock),
    )
    return Setup(
        scope=scope,
        store=slow,
        turns=Turns(messages=messages, store=stores.turns, branches=stores.branches),
    )


async def cancelled(work: "asyncio.Task[object]") -> None:
    await asyncio.sleep(0)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work


async def test_a_question_whose_asker_left_while_it_was_stored_has_failed() -> None:
    setup = await a_setup()
    await cancelled(
        asyncio.create_task(setup.turns.begin(setup.scope, SESSION, a_message()))  # type: ignore[arg-type]
    )
    assert await setup.status() is None
    setup.store.gate.set()
    await setup.turns.settle()
    assert await setup.status() is TurnStatus.FAILED


async def test_a_reply_whose_asker_left_while_it_was_stored_is_stored() -> None:
    setup = await a_setup()
    setup.store.gate.set()
    turn = await setup.turns.begin(setup.scope, SESSION, a_message())
    setup.store.gate.clear()
    reply = a_message("assistant", "Fine.")
    await cancelled(asyncio.create_task(setup.turns.complete(setup.scope, turn.question, reply)))  # type: ignore[arg-type]
    setup.store.gate.set()
    await setup.turns.settle()
    assert await setup.status() is TurnStatus.COMPLETE
    stored = await setup.turns.stored_reply(setup.scope, turn.question)
    assert stored is not None
    assert stored.message_id == reply.message_id


async def test_a_turn_that_could_not_be_failed_is_failed_once_the_database_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("recollect.services.chat.turn._PAUSES", (0, 0, 0))
    setup = await a_setup()
    setup.store.gate.set()
    turn = await setup.turns.begin(setup.scope, SESSION, a_message())
    setup.store.outages = 3
    await setup.turns.fail(setup.scope, turn.question)
    assert await setup.status() is TurnStatus.PENDING
    while setup.turns._waiting:  # noqa: ASYNC110  # nobody tells when it has ended
        await asyncio.sleep(0)
    assert await setup.status() is TurnStatus.FAILED


async def test_closing_does_not_wait_for_a_database_that_is_away() -> None:
    setup = await a_setup()
    setup.store.gate.set()
    turn = await setup.turns.begin(setup.scope, SESSION, a_message())
    setup.store.outages = 1_000
    await setup.turns.fail(setup.scope, turn.question)
    async with asyncio.timeout(PATIENCE):
        await setup.turns.settle()
    assert await setup.status() is TurnStatus.PENDING


async def test_failing_a_turn_that_is_gone_or_complete_changes_nothing() -> None:
    setup = await a_setup()
    setup.store.gate.set()
    turn = await setup.turns.begin(setup.scope, SESSION, a_message())
    await setup.turns.complete(setup.scope, turn.question, a_message("assistant", "Fine."))
    await setup.turns.fail(setup.scope, turn.question)
    assert await setup.status() is TurnStatus.COMPLETE
    for number in (9, None):
        await setup.turns.fail(setup.scope, replace(turn.question, turn_number=number))


async def test_a_retry_finds_the_turn_it_began_and_its_reply() -> None:
    setup = await a_setup()
    setup.store.gate.set()
    question = a_message()
    first = await setup.turns.begin(setup.scope, SESSION, question)
    again = await setup.turns.begin(setup.scope, SESSION, question)
    assert again == first
    await setup.turns.complete(setup.scope, first.question, a_message("assistant", "Fine."))
    once_more = await setup.turns.begin(setup.scope, SESSION, question)
    assert once_more.reply is not None
    assert once_more.reply.content == "Fine."
    with pytest.raises(IdAlreadyUsed):
        await setup.turns.begin(setup.scope, SESSION, replace(question, content="Other?"))


async def test_a_question_needs_a_session() -> None:
    setup = await a_setup()
    setup.store.gate.set()
    with pytest.raises(SessionNotFound):
        await setup.turns.begin(setup.scope, UUID(int=8), a_message())
