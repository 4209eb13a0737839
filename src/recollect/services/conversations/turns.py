"""A turn from its question to its end, whatever happens to those who wait for it."""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar
from uuid import UUID

from recollect.domain.conversation.message import Message, NewMessage
from recollect.domain.identity.scope import Scope
from recollect.errors import NotFound, Unavailable
from recollect.ports.conversations import Appended, TurnStore
from recollect.services.conversations.messages import Messages
from recollect.supervision import watch

Result = TypeVar("Result")

_FAIL_SECONDS: Final = 2.0
_PAUSES: Final = (0.5, 1, 2, 4, 8, 15, 30, *(60,) * 59)  # seconds; an hour together

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTurn:
    """A question that is stored and waits for its answer."""

    scope: Scope
    question: Message
    is_new: bool
    """False when a retry found its question stored already."""
    reply: Message | None = None
    """The answer that a retry found stored already."""

    @property
    def session_id(self) -> UUID:
        """The session it belongs to."""
        return self.question.session_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Begins turns and ends them.

    A write that has begun goes on when its caller is cancelled: a client that leaves never
    leaves a turn half done. `settle` waits for such writes, before the database is closed.
    """

    messages: Messages
    store: TurnStore
    _writing: set[asyncio.Task[object]] = field(default_factory=set)
    _waiting: set[asyncio.Task[None]] = field(default_factory=set)

    async def begin(self, scope: Scope, session_id: UUID, question: NewMessage) -> OpenTurn:
        """Store a question, which opens a turn; the same id again finds the turn it opened."""
        storing = self._start(self.messages.append(scope, session_id, [question]))
        try:
            appended = await asyncio.shield(storing)
        except asyncio.CancelledError:
            self._start(self._fail_when_stored(scope, storing))
            raise
        stored = appended.messages[0]
        reply = None if appended.is_new else await self._reply_to(scope, stored)
        # It may be kept for as long as an hour: without the caller's credentials, which nobody
        # needs to end it.
        owner = replace(scope, authorization=None)
        return OpenTurn(scope=owner, question=stored, is_new=appended.is_new, reply=reply)

    async def complete(self, turn: OpenTurn, reply: NewMessage) -> Message:
        """Store the answer, which completes the turn; also one that has failed meanwhile.

        Several turns of one session may be open at once: each gets its own answer.
        """
        appending = self.messages.append(
            turn.scope, turn.session_id, [reply], reply_to=turn.question.message_id
        )
        appended = await asyncio.shield(self._start(appending))
        return appended.messages[0]

    async def fail(self, turn: OpenTurn) -> None:
        """Say that the question gets no answer; it is kept. Never raises: nobody could help.

        Whoever calls waits for two seconds at most. If the database does not answer now, it is
        tried again for as long as an hour.
        """
        failing = self._start(self._fail(turn.scope, turn.question))
        await asyncio.wait({failing}, timeout=_FAIL_SECONDS)

    async def stored_reply(self, turn: OpenTurn) -> Message | None:
        """The answer that the turn has by now, if it has one."""
        return await self._reply_to(turn.scope, turn.question)

    async def settle(self) -> None:
        """Wait until everything begun is written, but for what waits for the database."""
        for task in self._waiting:
            task.cancel()
        while self._writing:
            await asyncio.gather(*self._writing, return_exceptions=True)

    async def _reply_to(self, scope: Scope, question: Message) -> Message | None:
        if question.turn_number is None:
            return None
        turn = await self.store.get(scope, question.session_id, question.turn_number)
        if turn is None or turn.reply is None:
            return None
        (reply,) = await self.messages.permissions.for_owner(scope, [turn.reply])
        return reply

    async def _fail(self, scope: Scope, question: Message) -> None:
        number = question.turn_number
        if number is None:
            return
        try:
            await self.messages.fail_turn(scope, question.session_id, number)
        except NotFound:
            pass  # deleted meanwhile: nothing is left that could be pending
        except Unavailable as error:
            facts = {"turn_number": number, "error": type(error).__name__}
            logger.warning("turn.left_pending", extra={"facts": facts})
            waiting = self._start(self._fail_later(scope, question.session_id, number))
            self._waiting.add(waiting)
            waiting.add_done_callback(self._waiting.discard)

    async def _fail_later(self, scope: Scope, session_id: UUID, number: int) -> None:
        for pause in _PAUSES:
            await asyncio.sleep(pause)
            try:
                await self.messages.fail_turn(scope, session_id, number)
            except Unavailable:
                continue
            except NotFound:
                pass
            return

    async def _fail_when_stored(self, scope: Scope, storing: "asyncio.Task[Appended]") -> None:
        appended = await storing
        if appended.is_new:
            await self._fail(scope, appended.messages[0])

    def _start(self, work: Coroutine[object, object, Result]) -> "asyncio.Task[Result]":
        task = asyncio.create_task(work)
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
        watch(task, "turns.write")
        return task
