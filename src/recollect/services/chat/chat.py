"""One turn, from the question to the stored reply.

window and state → question stored, and its context meanwhile → answerer → reply stored. Nothing
holds a connection while a model works, and whatever ends a turn early leaves it failed, with its
question.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from time import perf_counter
from typing import Final
from uuid import UUID

from recollect.domain.chat.answers import (
    Answer,
    Answered,
    AnswerRequest,
    Inquiry,
    Timings,
    UserFacts,
)
from recollect.domain.chat.experiment import ExperimentArm, arm_of
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import (
    Message,
    NewMessage,
    Role,
    drawing_on,
    reply_id_for,
)
from recollect.domain.conversation.session import NewSession, session_id_from, user_wide_session_id
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import MissingSession, Policies
from recollect.errors import (
    IdAlreadyUsed,
    MissingSessionId,
    ModelUnavailable,
    QuestionTooLong,
    SessionNotFound,
    UserHalted,
)
from recollect.ports.conversations import StoredWindow
from recollect.ports.telemetry import Stage
from recollect.services.audit.operations import expecting_new_session
from recollect.services.chat.degradation import (
    NO_MEMORY,
    NOT_STORED,
    SWITCHED_OFF,
    TOO_LONG,
    Degradation,
)
from recollect.services.chat.turn import (
    Answering,
    OpenTurn,
    TurnEnding,
    TurnMemory,
    too_slow,
    with_language,
)
from recollect.services.chat.turn_record import TurnOutcome, TurnRecord
from recollect.services.context.contexts import ContextRequest, Contexts

REPLAYED: Final = (
    "This question was answered before; the stored answer is repeated, as far as it was stored."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTurn:
    """A question with its context, about to be answered.

    Whatever ends the answer early, be it an error, the time limit or a client that leaves, the
    turn is failed and its question kept.
    """

    answering: Answering
    scope: Scope
    request: AnswerRequest
    session_id: UUID | None
    ending: TurnEnding
    earlier_reply: Message | None
    """The answer that a retry found stored already."""
    began: float
    ready: float

    async def answer(self) -> Answered:
        """The whole answer at once."""
        if repeated := self._repeated():
            return repeated
        try:
            with self.ending.record.span.active():
                async with asyncio.timeout(self.answering.time_limit):
                    answerer = self.answering.require_answerer()
                    answer = await answerer.answer(self.scope, self.request)
        except TimeoutError:
            await self.ending.fail()
            raise too_slow(self.answering.time_limit) from None
        except BaseException:
            await self.ending.fail()
            raise
        return await self._finish(answer)

    async def stream(self) -> AsyncGenerator[str | Answered, None]:
        """The answer in pieces as they come, and all that came of it as the last item."""
        if repeated := self._repeated():
            yield repeated.answer.content
            yield repeated
            return
        async with aclosing(self._pieces()) as pieces:
            try:
                async for piece in pieces:
                    yield await self._finish(piece) if isinstance(piece, Answer) else piece
            except BaseException:
                await self.ending.fail()
                raise

    async def _pieces(self) -> AsyncGenerator[str | Answer, None]:
        """The answerer's pieces, as long as it keeps to the time limit."""
        deadline = asyncio.get_running_loop().time() + self.answering.time_limit
        answerer = self.answering.require_answerer()
        async with aclosing(answerer.stream(self.scope, self.request)) as pieces:
            while True:
                try:
                    with self.ending.record.span.active():
                        async with asyncio.timeout_at(deadline):
                            piece = await anext(pieces)
                except StopAsyncIteration:
                    raise ModelUnavailable("the answer ended before it was complete") from None
                except TimeoutError:
                    raise too_slow(self.answering.time_limit) from None
                yield piece
                if isinstance(piece, Answer):
                    return

    async def _finish(self, answer: Answer) -> Answered:
        answered_at = perf_counter()
        self.ending.record.answered(answer.content)
        reply = await self.ending.complete(partial(self._store, answer))
        return self._answered(answer, reply, answered_at)

    async def _store(self, answer: Answer, question: Message) -> Message | None:
        reply = NewMessage(
            # Of two retries at once one is stored, and both return it.
            message_id=reply_id_for(question.message_id),
            role=Role.ASSISTANT,
            content=answer.remembered,
            details=drawing_on(answer.details, self.request.context.tables),
        )
        turns = self.ending.turns
        try:
            appended = await turns.complete(self.scope, question, reply)
        except IdAlreadyUsed:
            self.ending.is_answered_elsewhere = True
            return await turns.stored_reply(self.scope, question)
        self.ending.session = appended.session
        return appended.messages[0]

    def _repeated(self) -> Answered | None:
        """The answer that a retry finds stored already.

        Its context would be made of the question and the answer themselves, and nobody was asked
        with it.
        """
        reply = self.earlier_reply
        if reply is None:
            return None
        self.ending.record.end(TurnOutcome.ANSWERED)
        answer = Answer(content=reply.content, details=reply.details)
        return replace(
            self._answered(answer, reply, perf_counter()),
            context=self.request.context.without_memory(),
            is_repeated=True,
            warnings=(*self.ending.attempts.warnings, REPLAYED),
        )

    def _answered(self, answer: Answer, reply: Message | None, at: float) -> Answered:
        if reply is not None and self.ending.is_answered_elsewhere:
            answer = Answer(content=reply.content, details=reply.details)
        question = self.ending.question
        return Answered(
            answer=answer,
            context=self.request.context,
            session_id=self.session_id,
            question_id=question.message_id if question else None,
            reply_id=reply.message_id if reply else None,
            session=self.ending.session,
            experiment=self.ending.record.arm,
            warnings=(*self.request.context.warnings, *self.ending.attempts.warnings),
            timings=Timings(
                memory=self.ready - self.began,
                answer=at - self.ready,
                total=perf_counter() - self.began,
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Answers questions with the memory of their user."""

    memory: TurnMemory
    contexts: Contexts
    answering: Answering
    policies: Policies

    async def ask(self, scope: Scope, inquiry: Inquiry) -> Answered:
        """Answer a question, all at once."""
        turn = await self.begin(scope, inquiry)
        return await turn.answer()

    async def check_state(self, scope: Scope) -> None:
        """Refuse a user who is halted; where that cannot be told now, nobody is refused."""
        await self.memory.admit(scope, await self.memory.begin())

    async def begin(self, scope: Scope, inquiry: Inquiry) -> ChatTurn:
        """Put a question into its context and store it; no model has been asked yet.

        The caller goes on at once with `answer` or `stream`, which also end the turn.
        """
        record = TurnRecord(telemetry=self.memory.telemetry, interface="chat", scope=scope)
        with record.beginning():
            return await self._begin(scope, inquiry, record)

    async def _begin(self, scope: Scope, inquiry: Inquiry, record: TurnRecord) -> ChatTurn:
        began = perf_counter()
        attempts = await self.memory.begin()
        if inquiry.uses_memory and not self.policies.is_enabled:
            attempts.warn(SWITCHED_OFF)
        uses_memory = inquiry.uses_memory and self.policies.is_enabled
        session_id = self._session_id(scope, inquiry) if uses_memory else None
        context, opened = None, None
        if session_id is None:
            await self.memory.admit(scope, attempts)
        else:
            record.of_session(session_id, arm_of(session_id, share=self.policies.control_share))
            context, opened = await self._remember(scope, session_id, inquiry, attempts, record)
        question = opened.question if opened else None
        user_facts = None
        if context is not None:
            user_facts = await self.answering.user_facts(scope, attempts, question)
        if user_facts is None:
            context = None
        record.has_context(context, wants_memory=session_id is not None)
        is_memory_read = context is not None
        if context is None:
            context = await self.contexts.bare(inquiry.text, model=inquiry.model)
        record.describe(context)
        return ChatTurn(
            answering=self.answering,
            scope=scope,
            request=AnswerRequest(
                context=context,
                options=inquiry.options,
                model=inquiry.model,
                is_stored=opened is not None,
                asked_at=question.created_at if question else None,
                is_memory_read=is_memory_read,
                user_facts=user_facts or UserFacts(),
            ),
            session_id=session_id,
            ending=TurnEnding(
                scope=scope,
                turns=self.memory.turns,
                attempts=attempts,
                question=question,
                record=record,
            ),
            earlier_reply=opened.reply if opened else None,
            began=began,
            ready=perf_counter(),
        )

    def _session_id(self, scope: Scope, inquiry: Inquiry) -> UUID:
        named = inquiry.session_id or scope.anonymous_session
        if named is not None:
            return named
        match self.policies.missing_session:
            case MissingSession.REJECT if inquiry.needs_session_id:
                raise MissingSessionId
            case MissingSession.USER_WIDE:
                return user_wide_session_id(scope.owner_id)
            case _ if inquiry.idempotency_key:
                digest = sha256(inquiry.idempotency_key.encode()).hexdigest()
                return session_id_from(f"asked first with {digest}", scope.owner_id)
            case _:
                return self.memory.ids.new_id()

    async def _remember(
        self,
        scope: Scope,
        session_id: UUID,
        inquiry: Inquiry,
        attempts: Degradation,
        record: TurnRecord,
    ) -> tuple[Context | None, OpenTurn | None]:
        """The question's context, and the question stored; memory may fail at either.

        What cannot be taken is refused before anything is stored. Once the window is read, neither
        waits for the other: a question that has no answer yet is in no context.
        """
        request = await self._request(inquiry, attempts)
        if request is None or record.arm is ExperimentArm.CONTROL:
            await self.memory.admit(scope, attempts)
            opened = await self._open(scope, session_id, inquiry, attempts)
            if opened is None:
                attempts.warn(NOT_STORED)
            return None, opened

        context, opened = await self._open_in_context(scope, session_id, inquiry, request, attempts)
        for part, warning in ((context, NO_MEMORY), (opened, NOT_STORED)):
            if part is None:
                attempts.warn(warning)
        return context, opened

    async def _open_in_context(
        self,
        scope: Scope,
        session_id: UUID,
        inquiry: Inquiry,
        request: ContextRequest,
        attempts: Degradation,
    ) -> tuple[Context | None, OpenTurn | None]:
        """The question's context, and the question stored; it is failed if there is an error."""
        admitted = asyncio.get_running_loop().create_future()

        async def admit(stored: StoredWindow | None) -> None:
            if not admitted.done():
                await self._admit(scope, stored, attempts)
                admitted.set_result(None)

        def build() -> Awaitable[Context | None]:
            building = self.contexts.build_requested(scope, session_id, request, admit=admit)
            return attempts.attempt("context", building)

        with expecting_new_session(is_expected=self._may_start(inquiry)):
            building = asyncio.ensure_future(build())
        # Its error is retrieved: nobody awaits it once the question has failed.
        building.add_done_callback(lambda task: task.cancelled() or task.exception())
        opened = None
        try:
            await asyncio.wait((admitted, building), return_when=asyncio.FIRST_COMPLETED)
            if not admitted.done():  # there is no window, or it told that the user is halted
                if isinstance(building.exception(), UserHalted):
                    await building
                await admit(None)
            opened = await self._open(scope, session_id, inquiry, attempts)
            try:
                context = await building
            except SessionNotFound:  # it is started for its question, and then read once more
                if not self._may_start(inquiry):
                    raise
                context = await build() if opened else None
        except BaseException:
            building.cancel()
            if opened is not None:
                await self.memory.turns.fail(scope, opened.question)
            raise
        return context, opened

    async def _admit(
        self, scope: Scope, stored: StoredWindow | None, attempts: Degradation
    ) -> None:
        """Refuse a user who is halted, which most stores tell with the window."""
        is_halted = stored.is_halted if stored else None
        if is_halted:
            raise UserHalted
        if is_halted is None:
            await self.memory.admit(scope, attempts)

    async def _request(self, inquiry: Inquiry, attempts: Degradation) -> ContextRequest | None:
        """The request for a question's context; None where the question leaves no room for one."""
        try:
            return await self.contexts.request(
                inquiry.text,
                model=inquiry.model,
                window=inquiry.window,
                databases=inquiry.databases or None,
                recall=inquiry.recall,
            )
        except QuestionTooLong:
            attempts.warn(TOO_LONG)
            return None

    async def _open(
        self, scope: Scope, session_id: UUID, inquiry: Inquiry, attempts: Degradation
    ) -> OpenTurn | None:
        """Store the question; a session that is not there yet is started."""
        if attempts.is_database_away:
            return None
        question = NewMessage(
            message_id=inquiry.message_id
            or self.memory.message_id(session_id, inquiry.idempotency_key),
            role=Role.USER,
            content=inquiry.text,
        )
        storing = self.memory.in_session(
            scope,
            partial(self.memory.turns.begin, scope, session_id, question),
            partial(_new_session, session_id, inquiry),
            may_start=self._may_start(inquiry),
        )
        with self.memory.telemetry.stage(Stage.STORE_QUESTION):
            return await attempts.attempt("question", storing)

    def _may_start(self, inquiry: Inquiry) -> bool:
        return inquiry.session_id is None or not self.policies.rejects_unknown_sessions


def _new_session(session_id: UUID, inquiry: Inquiry) -> NewSession:
    return NewSession(
        session_id=session_id,
        name=inquiry.session_name,
        metadata=with_language(inquiry.session_metadata, inquiry.text),
        databases=inquiry.databases,
        tags=inquiry.tags,
    )
