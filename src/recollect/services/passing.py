"""One reply on its way from the endpoint to the client, remembered as it passes."""

from collections.abc import AsyncGenerator, Awaitable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TypeVar
from uuid import UUID

from recollect.domain.answer import drawing_on
from recollect.domain.completions.call import CompletionCall
from recollect.domain.completions.reading import AnswerReader
from recollect.domain.completions.request import remembered
from recollect.domain.completions.writing import before_the_end, error_event, warning_comment
from recollect.domain.memory_policy import MemoryPolicy
from recollect.domain.message import AnswerDetails, Message, NewMessage, Role
from recollect.domain.scope import Scope
from recollect.domain.text import JsonValue
from recollect.errors import ModelUnavailable, NotFound
from recollect.ports.clock import Ids
from recollect.ports.completions import EndpointReply
from recollect.services.answering import REPLY_NOT_STORED, SESSION_GONE
from recollect.services.attempts import Attempts
from recollect.services.branches import Branches

Result = TypeVar("Result")


@dataclass(slots=True, kw_only=True)
class Passing:
    """A reply that is passed on as it is; at its end it is stored, or its turn fails.

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
    attempts: Attempts
    tables: tuple[str, ...] = ()
    """The tables that memory's part of the request draws on."""
    _reply: EndpointReply | None = None
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)
    _is_settled: bool = False
    _told: int = 0
    """How many of the warnings the client knows."""

    @property
    def reply(self) -> EndpointReply:
        """What the endpoint answered: status and headers; its body is read with `pieces`."""
        assert self._reply is not None  # noqa: S101  # opened by whoever made it
        return self._reply

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
        self._reply = await self._open.enter_async_context(asking)

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The body as it comes. Its last piece comes once the answer is stored.

        If it could not be stored, a stream says so in a comment, for its headers are gone by then.
        """
        streams = self.call.request.streams and self.reply.status == HTTPStatus.OK
        reader = AnswerReader(is_stream=streams)
        self._told = len(self.attempts.warnings)
        last = b""
        try:
            async for last in self.reply.pieces:
                reader.feed(last)
                if reader.is_over:
                    await self._settle(reader)
                    yield before_the_end(last, self._news())
                else:
                    yield last
        except ModelUnavailable as error:
            await self._fail()
            if not streams:
                raise
            yield error_event(str(error))
            return
        reader.close()
        await self._settle(reader)
        if streams and last.endswith(b"\n") and (news := self._news()):
            yield news

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
        content = remembered(self.call.request.begun_answer + reader.content)
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
