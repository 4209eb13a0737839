"""Answering a question: by an answerer, from memory, and remembering it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from time import perf_counter
from typing import Final
from uuid import UUID

from recollect.domain.chat.answers import Answer, Answered, AnswerRequest, Timings, drawing_on
from recollect.domain.chat.requests import CompletionCall
from recollect.domain.chat.writing import Memories, OurCompletion, our_models
from recollect.domain.context.context import Context
from recollect.domain.context.rendering import recalled_text, summary_text, window_messages
from recollect.domain.conversation.message import Message, NewMessage, Role, reply_id_for
from recollect.domain.identity.scope import Scope
from recollect.errors import ConfigurationError, IdAlreadyUsed, ModelUnavailable, NotFound
from recollect.ports.conversations import Followed
from recollect.ports.models import Answerer, EndpointReply
from recollect.ports.runtime import Clock, Ids
from recollect.services.chat.degradation import Degradation
from recollect.services.chat.replies import each, too_slow
from recollect.services.context.contexts import Contexts
from recollect.services.conversations.turns import OpenTurn, Turns

REPLY_NOT_STORED: Final = "Memory did not answer; the reply is not remembered."
REPLAYED: Final = (
    "This question was answered before; the stored answer is repeated, as far as it was stored."
)
SESSION_GONE: Final = "The session was deleted meanwhile; this exchange is not remembered."
_JSON: Final = {"content-type": "application/json"}
_EVENTS: Final = {"content-type": "text/event-stream; charset=utf-8"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Who answers, how long that may take, and where the answer goes."""

    answerer: Answerer | None
    turns: Turns
    time_limit: float
    """The most seconds one answer may take."""

    def require_answerer(self) -> Answerer:
        """The answerer, or an error that says that there is none."""
        if self.answerer is None:
            raise ConfigurationError("these services were built without an answerer")
        return self.answerer


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTurn:
    """A question with its context, about to be answered.

    Whatever ends the answer early, be it an error, the time limit or a client that leaves, the
    turn is failed and its question kept.
    """

    answering: Answering
    scope: Scope
    asked: AnswerRequest
    session_id: UUID | None
    opened: OpenTurn | None
    """None where the question is not stored: without memory, or when memory failed."""
    attempts: Degradation
    began: float
    ready: float

    async def answer(self) -> Answered:
        """The whole answer at once."""
        if repeated := self._repeated():
            return repeated
        try:
            async with asyncio.timeout(self.answering.time_limit):
                answer = await self.answering.require_answerer().answer(self.scope, self.asked)
        except TimeoutError:
            await self._fail()
            raise too_slow(self.answering.time_limit) from None
        except BaseException:
            await self._fail()
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
                await self._fail()  # which leaves a turn alone that is complete already
                raise

    async def _pieces(self) -> AsyncGenerator[str | Answer, None]:
        """What the answerer says, as long as it keeps to the time limit."""
        deadline = asyncio.get_running_loop().time() + self.answering.time_limit
        answerer = self.answering.require_answerer()
        async with aclosing(answerer.stream(self.scope, self.asked)) as said:
            while True:
                try:
                    async with asyncio.timeout_at(deadline):
                        piece = await anext(said)
                except StopAsyncIteration:
                    raise ModelUnavailable("the answer ended before it was complete") from None
                except TimeoutError:
                    raise too_slow(self.answering.time_limit) from None
                yield piece
                if isinstance(piece, Answer):
                    return

    async def _finish(self, answer: Answer) -> Answered:
        """Store the reply; an answer that cannot be stored is an answer all the same."""
        answered = perf_counter()
        reply = None
        if self.opened is not None:
            reply = await self.attempts.attempt(
                "reply", self._store(self.opened, answer), warning=REPLY_NOT_STORED
            )
        if reply is None:
            await self._fail()  # so that it does not wait for a reply that never comes
        return self._answered(answer, reply, answered)

    async def _store(self, opened: OpenTurn, answer: Answer) -> Message | None:
        reply = NewMessage(
            # Of two retries at once one is stored, and both return it.
            message_id=reply_id_for(opened.question.message_id),
            role=Role.ASSISTANT,
            content=answer.remembered,
            details=drawing_on(answer.details, self.asked.context.tables),
        )
        try:
            return await self.answering.turns.complete(opened, reply)
        except IdAlreadyUsed:
            return await self.answering.turns.stored_reply(opened)
        except NotFound:
            self.attempts.warn(SESSION_GONE)
            return None

    async def _fail(self) -> None:
        if self.opened is not None:
            await self.answering.turns.fail(self.opened)

    def _repeated(self) -> Answered | None:
        """The answer that a retry finds stored already.

        Its context would be made of the question and the answer themselves, and nobody was asked
        with it.
        """
        reply = self.opened.reply if self.opened else None
        if reply is None:
            return None
        answer = Answer(content=reply.content, details=reply.details)
        answered = self._answered(answer, reply, perf_counter())
        return replace(
            answered,
            context=self.asked.context.without_memory(),
            is_repeated=True,
            warnings=(*self.attempts.warnings, REPLAYED),
        )

    def _answered(self, answer: Answer, reply: Message | None, at: float) -> Answered:
        if reply is not None and reply.content != answer.remembered:
            answer = Answer(content=reply.content, details=reply.details)
        return Answered(
            answer=answer,
            context=self.asked.context,
            session_id=self.session_id,
            question_id=self.opened.question.message_id if self.opened else None,
            reply_id=reply.message_id if reply else None,
            warnings=(*self.asked.context.warnings, *self.attempts.warnings),
            timings=Timings(
                memory=self.ready - self.began,
                answer=at - self.ready,
                total=perf_counter() - self.began,
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAnswers:
    """Lets whoever answers stand in for an endpoint."""

    answering: Answering
    contexts: Contexts
    clock: Clock
    ids: Ids

    @asynccontextmanager
    async def reply(
        self, scope: Scope, call: CompletionCall, asked: AnswerRequest | None
    ) -> AsyncIterator[EndpointReply]:
        """The answer to a question; without one in its context, to the bare question.

        What a front end asks for by itself, a title or tags, gets no answer: it helps itself.
        """
        said = call.request.said
        answer = None
        if said and not call.is_task:
            if asked is None:
                asked = AnswerRequest(context=await self.contexts.bare(said[-1][1]))
            answer = await self.answering.require_answerer().answer(scope, asked)
        completion = OurCompletion(
            completion_id=f"chatcmpl-{self.ids.new_id().hex}",
            created=self.clock.now(),
            content=answer.content if answer else "",
        )
        streams = call.request.streams
        yield EndpointReply(
            status=HTTPStatus.OK,
            headers=_EVENTS if streams else _JSON,
            pieces=each(completion.chunks() if streams else [completion.whole()]),
            details=answer.details if answer else None,
        )

    @asynccontextmanager
    async def models(self) -> AsyncIterator[EndpointReply]:
        """The one model that stands for whoever answers."""
        listed = our_models(self.clock.now())
        yield EndpointReply(status=HTTPStatus.OK, headers=_JSON, pieces=each([listed]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering:
    """Finds what a request does not tell itself: nothing that is in it is told again."""

    contexts: Contexts

    async def memories(
        self, scope: Scope, session_id: UUID, call: CompletionCall, followed: Followed | None
    ) -> Memories:
        """What the client left out: the conversation so far, or the beginning of it in short.

        Beside that, what was said in other conversations. The question stays as it was asked: a
        model that sees the conversation needs no rewriting.
        """
        context = await self.context(scope, session_id, call)
        leaves_out = call.continues or (followed is not None and _leaves_out(call, followed))
        if not leaves_out:
            elsewhere = (one for one in context.recalled if one.session_id != session_id)
            context = replace(context, recalled=tuple(elsewhere))
        memories = Memories(
            summary=summary_text(context) if leaves_out else "",
            window=window_messages(context) if call.continues else (),
            recalled=recalled_text(context),
        )
        return replace(memories, tables=context.tables) if memories else memories

    async def context(self, scope: Scope, session_id: UUID, call: CompletionCall) -> Context:
        """The last question in the context of its session."""
        _, question = call.request.said[-1]
        return await self.contexts.build(scope, session_id, question, model=call.request.model)


def _leaves_out(call: CompletionCall, followed: Followed) -> bool:
    """Whether more is stored of the branch than the client has sent."""
    return len(followed.before) > len(call.request.said) - 1
