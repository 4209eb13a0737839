"""A model's reply, passed on while it is read, and stored."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import TypeVar
from uuid import UUID

from recollect.domain.chat.answers import drawing_on
from recollect.domain.chat.replies import AnswerReader
from recollect.domain.chat.requests import CompletionCall, remembered
from recollect.domain.chat.writing import before_the_end, error_event, warning_comment
from recollect.domain.conversation.message import AnswerDetails, Message, NewMessage, Role
from recollect.domain.identity.accounts import MemoryPolicy
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonValue
from recollect.errors import ModelUnavailable, NotFound, ReplyUnusable
from recollect.offloading import off_loop
from recollect.ports.models import EndpointReply
from recollect.ports.runtime import Ids
from recollect.services.chat.answering import REPLY_NOT_STORED, SESSION_GONE
from recollect.services.chat.degradation import Degradation
from recollect.services.chat.replies import before, explained, log_failure, read_whole, too_slow
from recollect.services.conversations.turns import Branches

Result = TypeVar("Result")


@dataclass(slots=True, kw_only=True)
class StreamedReply:
    """A reply that is passed on as it is; at its end it is stored, or its turn fails.

    The whole answer must have come within the time limit. A failure of the endpoint is passed on
    in OpenAI's form, without its words.

    A reply that calls tools is no answer yet: the turn stays open, and the client comes back with
    what the tools said.
    """

    scope: Scope
    call: CompletionCall
    session_id: UUID | None
    question: Message | None
    """None where nothing is stored: by policy, without a session, or when memory failed."""
    branches: Branches
    ids: Ids
    attempts: Degradation
    time_limit: float
    """The most seconds that the whole answer may take."""
    tables: tuple[str, ...] = ()
    """The tables that memory's part of the request draws on."""
    _reply: EndpointReply | None = None
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)
    _deadline: float = 0
    _is_settled: bool = False
    _told: int = 0
    """How many of the warnings the client knows."""

    @property
    def reply(self) -> EndpointReply:
        """What the endpoint answered: status and headers; its body is read with `pieces`."""
        assert self._reply is not None  # noqa: S101  # opened by whoever made it
        return self._reply

    @property
    def streams(self) -> bool:
        """Whether the reply comes as events; an endpoint that cannot stream sends it whole."""
        is_json = "json" in self.reply.headers.get("content-type", "")
        return self.call.request.streams and self.reply.status == HTTPStatus.OK and not is_json

    @property
    def memory(self) -> MemoryPolicy:
        """How much memory is used for this call."""
        if self.session_id is None or not self.may_remember:
            return MemoryPolicy.OFF
        return MemoryPolicy.READ if self.question is None else MemoryPolicy.FULL

    @property
    def may_remember(self) -> bool:
        """Whether it makes sense to ask memory: not if it was away a moment ago."""
        return not self.attempts.is_database_away

    async def remember(self, finding: Awaitable[Result], *, warning: str) -> Result | None:
        """What memory finds; None where it does not answer, or knows of no such session."""
        try:
            return await self.attempts.attempt("context", finding, warning=warning)
        except NotFound:
            return None

    async def open(self, asking: AbstractAsyncContextManager[EndpointReply]) -> None:
        """Wait for the endpoint's answer to begin."""
        self._deadline = asyncio.get_running_loop().time() + self.time_limit
        try:
            async with asyncio.timeout_at(self._deadline):
                reply = await self._open.enter_async_context(asking)
                is_answer = reply.status == HTTPStatus.OK
                self._reply = reply if is_answer else await explained(reply)
        except TimeoutError:
            raise too_slow(self.time_limit) from None

    async def whole(self) -> bytes:
        """The body at once, when the answer is stored; `ReplyUnusable` for what is no answer."""
        try:
            body = await read_whole(before(self._deadline, self.reply.pieces))
        except TimeoutError:
            raise too_slow(self.time_limit) from None
        if self.reply.status == HTTPStatus.OK:
            reader = AnswerReader(is_stream=False)
            reader.feed(body)
            await off_loop(reader.close, characters=len(body))
            if reader.has_failed:
                log_failure(self.reply.status, body)
                raise ReplyUnusable("the endpoint of the model sent something that is no answer")
            await self._settle(reader)
        return body

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The events as they come. The last piece comes once the answer is stored.

        If it could not be stored, a comment says so, for the headers are gone by then.
        """
        reader = AnswerReader(is_stream=True)
        self._told = len(self.attempts.warnings)
        try:
            async for received in before(self._deadline, self.reply.pieces):
                size = reader.waiting + len(received)
                passed = await off_loop(partial(reader.feed, received), characters=size)
                if piece := await self._passed_on(reader, passed):
                    yield piece
            passed = await off_loop(reader.close, characters=reader.waiting)
            if piece := await self._passed_on(reader, passed):
                yield piece
            if not reader.has_events:
                raise ReplyUnusable("the endpoint of the model sent something that is no answer")
        except (ModelUnavailable, TimeoutError) as error:
            await self._fail()
            is_slow = isinstance(error, TimeoutError)
            yield error_event(str(too_slow(self.time_limit) if is_slow else error))
            return
        await self._settle(reader)
        if reader.ends_with_line and (news := self._news()):
            yield news

    async def _passed_on(self, reader: AnswerReader, piece: bytes) -> bytes:
        """A piece for the client; the last, when the answer is stored."""
        if reader.failures:
            log_failure(self.reply.status, b"\n".join(reader.failures))
            reader.failures.clear()
        if not reader.is_over:
            return piece
        await self._settle(reader)
        return before_the_end(piece, self._news())

    async def aclose(self) -> None:
        """End it all; a turn that is not settled by now has failed."""
        try:
            await self._fail()
        finally:
            await self._open.aclose()

    def _news(self) -> bytes:
        """What has gone wrong since the stream began and was not told yet; mostly nothing."""
        news = self.attempts.warnings[self._told :]
        self._told += len(news)
        return warning_comment(news) if news else b""

    async def _settle(self, reader: AnswerReader) -> None:
        if self._is_settled or self.question is None:
            return
        text = self.call.request.begun_answer + reader.content
        content = await off_loop(partial(remembered, text), characters=len(text))
        is_answer = self.reply.status == HTTPStatus.OK and reader.is_finished
        if not is_answer or reader.has_failed or not (content or reader.has_tool_calls):
            await self._fail()
            return
        self._is_settled = True
        if not reader.has_tool_calls:
            await self.attempts.attempt(
                "reply", self._store(self.question, content, reader), warning=REPLY_NOT_STORED
            )

    async def _store(self, question: Message, content: str, reader: AnswerReader) -> None:
        tools = self.call.request.tools_called
        told: dict[str, JsonValue] = {}
        if self.call.ids.message is not None:
            told["external_id"] = self.call.ids.message
        if tools:
            told["tools"] = tools
        reply = NewMessage(
            message_id=self.ids.new_id(),
            role=Role.ASSISTANT,
            content=content,
            metadata=told,
            details=drawing_on(self.reply.details or self._details(reader), self.tables),
        )
        try:
            await self.branches.reply(self.scope, question, reply)
        except NotFound:
            self.attempts.warn(SESSION_GONE)

    def _details(self, reader: AnswerReader) -> AnswerDetails:
        return AnswerDetails(model=reader.model or self.call.request.model, tokens=reader.tokens)

    async def _fail(self) -> None:
        if self._is_settled or self.question is None:
            return
        self._is_settled = True
        await self.branches.fail(self.scope, self.question)
