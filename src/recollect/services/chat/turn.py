"""Turns, from the question to the stored reply."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar
from uuid import UUID

from recollect.concurrency import watch
from recollect.domain.chat.answers import UserFacts
from recollect.domain.conversation.message import Message, NewMessage, message_id_for_key
from recollect.domain.conversation.session import NewSession, Session
from recollect.domain.followup.language import known_language
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject
from recollect.errors import (
    ConfigurationError,
    MessageNotFound,
    ModelUnavailable,
    NotFound,
    SessionNotFound,
    Unavailable,
)
from recollect.ports.conversations import Appended, BranchStore, Followed, TurnStore
from recollect.ports.models import Answerer
from recollect.ports.runtime import Ids
from recollect.ports.telemetry import Stage, Telemetry
from recollect.services.access import States
from recollect.services.audit.operations import Audited, audited, expecting_new_session
from recollect.services.chat.degradation import (
    NO_MEMORY,
    REPLY_NOT_STORED,
    SESSION_GONE,
    Degradation,
    Probe,
)
from recollect.services.chat.turn_record import TurnOutcome, TurnRecord
from recollect.services.conversations.messages import Messages
from recollect.services.conversations.sessions import Sessions
from recollect.services.facts.quotable import QuotableFacts
from recollect.services.languages import languages_loaded
from recollect.services.redaction import unmasked

Result = TypeVar("Result")
_FAIL_SECONDS: Final = 2.0
_PAUSES: Final = (0.5, 1, 2, 4, 8, 15, 30, *(60,) * 59)  # seconds; an hour together
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTurn:
    """A question that is stored and waits for its answer."""

    question: Message
    reply: Message | None = None
    """The answer that a retry found stored already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns(Audited):
    """Begins turns and ends them.

    A write that has begun goes on when its caller is cancelled: a client that leaves never
    leaves a turn half done. `settle` waits for such writes, before the database is closed.
    """

    messages: Messages
    store: TurnStore
    branches: BranchStore
    _writing: set[asyncio.Task[object]] = field(default_factory=set)
    _waiting: set[asyncio.Task[None]] = field(default_factory=set)

    async def begin(self, scope: Scope, session_id: UUID, question: NewMessage) -> OpenTurn:
        """Store a question, which opens a turn; the same id again finds the turn it opened."""
        storing = self.messages.append(scope, session_id, [question])
        appended = await self._opened(scope, storing)
        stored = appended.messages[0]
        reply = None if appended.is_new else await self.stored_reply(scope, stored)
        if reply is not None:
            unmasking = await self.messages.redaction.unmasking(scope, question.content)
            reply = unmasked(reply, unmasking)
        return OpenTurn(question=stored, reply=reply)

    async def complete(self, scope: Scope, question: Message, reply: NewMessage) -> Appended:
        """Store the answer, which completes the turn; also one that has failed meanwhile.

        Several turns of one session may be open at once: each gets its own answer.
        """
        appending = self.messages.append(
            scope, question.session_id, [reply], reply_to=question.message_id
        )
        return await asyncio.shield(self._start(appending))

    async def follow(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        continues: bool,
        goes_on: bool = False,
    ) -> Followed:
        """Make a client's list the active branch, and its last question an open turn."""
        following = self._follow(scope, session_id, messages, continues=continues, goes_on=goes_on)
        followed = await self._opened(scope, following)
        await self.messages.on_stored(scope, [followed.question])
        return followed

    async def reply(self, scope: Scope, question: Message, reply: NewMessage) -> Message:
        """Store the reply to a question of a branch, in place of other replies to it."""
        replying = self._reply(scope, question.session_id, question.message_id, reply)
        return await asyncio.shield(self._start(replying))

    async def fail(self, scope: Scope, question: Message) -> None:
        """Say that the question gets no answer; it is kept. Never raises: nobody could help.

        Waits for two seconds at most. If the database does not answer now, it is tried again
        for as long as an hour, without the caller's credentials, which are not needed for it.
        """
        failing = self._start(self._fail(replace(scope, authorization=None), question))
        await asyncio.wait({failing}, timeout=_FAIL_SECONDS)

    async def stored_reply(self, scope: Scope, question: Message) -> Message | None:
        """The answer that a question has by now, if it has one."""
        if question.turn_number is None:
            return None
        turn = await self.store.get(scope, question.session_id, question.turn_number)
        if turn is None or turn.reply is None:
            return None
        (reply,) = await self.messages.permissions.for_owner(scope, [turn.reply])
        self.note(scope, AuditAction.MESSAGE_READ, question.session_id, items=[reply.message_id])
        return reply

    async def settle(self) -> None:
        """Wait until everything begun is written, but for what waits for the database."""
        for task in self._waiting:
            task.cancel()
        while self._writing:
            await asyncio.gather(*self._writing, return_exceptions=True)

    async def _follow(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        continues: bool,
        goes_on: bool,
    ) -> Followed:
        self.check_audit()
        followed = await self.branches.follow(
            scope,
            session_id,
            await self.messages.redaction.messages(scope, messages),
            continues=continues,
            goes_on=goes_on,
            **await self.messages.begin_write(scope, session_id),
        )
        if followed is None:
            raise SessionNotFound(session_id)
        given = {message.message_id for message in messages}
        branch = (*followed.before, followed.question)
        written = [message.message_id for message in branch if message.message_id in given]
        self.note(scope, AuditAction.MESSAGE_WRITTEN, session_id, items=written)
        return followed

    @audited(AuditAction.MESSAGE_WRITTEN)
    async def _reply(
        self, scope: Scope, session_id: UUID, question_id: UUID, reply: NewMessage
    ) -> Message:
        (redacted,) = await self.messages.redaction.messages(scope, [reply])
        written = await self.messages.begin_write(scope, session_id)
        stored = await self.branches.reply(scope, session_id, question_id, redacted, **written)
        if stored is None:
            raise MessageNotFound(question_id)
        return stored

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

    async def _opened(self, scope: Scope, opening: Coroutine[object, object, Result]) -> Result:
        """The stored question; its turn is failed if its client leaves while it is stored."""
        storing = self._start(opening)
        try:
            return await asyncio.shield(storing)
        except asyncio.CancelledError:
            self._start(self._fail_when_stored(scope, storing))
            raise

    async def _fail_when_stored(self, scope: Scope, storing: "asyncio.Task[object]") -> None:
        stored = await storing
        if isinstance(stored, Followed):
            await self._fail(scope, stored.question)
        elif isinstance(stored, Appended) and stored.is_new:
            await self._fail(scope, stored.messages[0])

    def _start(self, work: Coroutine[object, object, Result]) -> "asyncio.Task[Result]":
        task = asyncio.create_task(work)
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
        watch(task, "turns.write")
        return task


@dataclass(slots=True, kw_only=True)
class TurnEnding:
    """Ends a stored turn, once: with its reply, or as failed."""

    scope: Scope
    turns: Turns
    attempts: Degradation
    question: Message | None
    """None where nothing is stored: without memory, or when memory failed."""
    record: TurnRecord
    is_ended: bool = False
    is_answered_elsewhere: bool = False
    """Whether another retry of the question has stored its answer first."""
    session: Session | None = None
    """The session as the reply left it, if the store has told it along."""

    async def complete(
        self, store: Callable[[Message], Awaitable[Message | None]]
    ) -> Message | None:
        """Store the reply; None, with a warning, if that fails: an answer is one all the same."""
        if self.question is None or self.is_ended:
            self.record.end(TurnOutcome.ANSWERED)
            return None
        with self.record.span.active(), self.turns.telemetry.stage(Stage.STORE_REPLY):
            storing = self._stored(store(self.question))
            reply = await self.attempts.attempt("reply", storing, warning=REPLY_NOT_STORED)
        self.record.stored(reply)
        self.record.end(TurnOutcome.ANSWERED)
        if reply is None:
            await self.fail()  # so that it does not wait for a reply that never comes
        self.is_ended = True
        return reply

    async def fail(self) -> None:
        """Say that the question gets no answer; it is kept."""
        self.record.end(TurnOutcome.FAILED)
        if self.question is not None and not self.is_ended:
            self.is_ended = True
            await self.turns.fail(self.scope, self.question)

    async def _stored(self, storing: Awaitable[Message | None]) -> Message | None:
        try:
            return await storing
        except NotFound:
            self.attempts.warn(SESSION_GONE)
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMemory:
    """What chats and the proxy do alike before a question is answered."""

    states: States
    sessions: Sessions
    turns: Turns
    ids: Ids
    telemetry: Telemetry
    probe: Probe | None = None
    """Tells whether the database answers; None where it cannot hang."""

    async def begin(self) -> Degradation:
        """What a turn begins with; where the audit log has to be written and cannot, none does."""
        self.turns.check_audit()
        await languages_loaded()  # a new session notes its own
        return Degradation(self.telemetry, probe=self.probe)

    async def admit(self, scope: Scope, attempts: Degradation) -> None:
        """Refuse a user who is halted; where that cannot be told now, nobody is refused."""
        await attempts.attempt("state", self.states.check_not_halted(scope))

    async def in_session(
        self,
        scope: Scope,
        write: Callable[[], Awaitable[Result]],
        new_session: Callable[[], NewSession],
        *,
        may_start: bool,
    ) -> Result:
        """The result of a write; a session that is not there yet is started for it."""
        try:
            with expecting_new_session(is_expected=may_start):
                return await write()
        except SessionNotFound:
            if not may_start:
                raise
        await self.sessions.start(scope, new_session())
        return await write()

    def message_id(self, session_id: UUID, idempotency_key: str | None) -> UUID:
        """The id of a question: the same for the same key, otherwise a new one."""
        if idempotency_key:
            return message_id_for_key(session_id, idempotency_key)
        return self.ids.new_id()


def with_language(metadata: JsonObject, question: str) -> JsonObject:
    """A new session's metadata with the language of its first question, where that is known."""
    language = known_language(question)
    return metadata if language is None else {"language": language, **metadata}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Who answers, and how long that may take."""

    answerer: Answerer | None
    time_limit: float
    """The most seconds one answer may take."""
    quotable: QuotableFacts | None = None
    """None for an answerer that does not quote memory itself."""

    async def user_facts(
        self, scope: Scope, attempts: Degradation, question: Message | None
    ) -> UserFacts | None:
        """What the answerer is told of the user's facts; None where memory does not answer.

        Nobody knows then what was forgotten, and nothing may be quoted.
        """
        if self.quotable is None:
            return UserFacts()
        if attempts.is_database_away:
            attempts.warn(NO_MEMORY)
            return None
        reading = self.quotable.read(scope, question)
        return await attempts.attempt("facts", reading, warning=NO_MEMORY)

    def require_answerer(self) -> Answerer:
        """The answerer, or an error that says that there is none."""
        if self.answerer is None:
            raise ConfigurationError("these services were built without an answerer")
        return self.answerer


def too_slow(limit: float) -> ModelUnavailable:
    """The error that says that an answer took too long."""
    return ModelUnavailable(f"there was no whole answer within {limit:g} seconds")
