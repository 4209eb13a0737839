"""A model's reply, passed on while it is read within bounds of size and time, and stored."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from http import HTTPStatus
from typing import Final, TypeVar
from uuid import UUID

from recollect.concurrency import off_loop
from recollect.domain.chat.replies import (
    MAX_REPLY_VALUES,
    AnswerReader,
    before_the_end,
    envelope,
    error_event,
    passed_status,
    warning_comment,
)
from recollect.domain.chat.requests import CompletionCall, storable_text, to_bytes
from recollect.domain.conversation.message import (
    AnswerDetails,
    Message,
    NewMessage,
    Role,
    drawing_on,
)
from recollect.domain.identity.scope import MemoryPolicy
from recollect.domain.privacy.masking import blanked
from recollect.domain.text import JsonValue, count_values
from recollect.errors import ModelUnavailable, NotFound, QuestionTooLong, ReplyUnusable
from recollect.ports.models import EndpointReply
from recollect.ports.runtime import Ids
from recollect.services.chat.degradation import TOO_LONG, Degradation
from recollect.services.chat.turn import TurnEnding, too_slow
from recollect.services.chat.turn_record import TurnOutcome

MAX_REPLY_BYTES: Final = 8_000_000
"""The largest reply that is read whole; streams may be longer."""
_MAX_ERROR_BYTES: Final = 65_536
_MAX_LOGGED: Final = 4_000
_NO_ANSWER: Final = "the endpoint of the model sent something that is no answer"

Result = TypeVar("Result")
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeReply:
    """A reply with its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


async def read_whole(pieces: AsyncIterator[bytes]) -> bytes:
    """Read a body to its end; `ReplyUnusable` if it is too large, or has too many values."""
    received = bytearray()
    async for piece in pieces:
        received += piece
        if len(received) > MAX_REPLY_BYTES:
            raise ReplyUnusable(
                f"the endpoint of the model sent more than {MAX_REPLY_BYTES:,} bytes; "
                "a streamed answer may be longer"
            )
    body = bytes(received)
    count = partial(count_values, body, most=MAX_REPLY_VALUES)
    if await off_loop(count, characters=len(body)) > MAX_REPLY_VALUES:
        raise ReplyUnusable(
            f"the endpoint of the model sent more than {MAX_REPLY_VALUES:,} values; "
            "a streamed answer may have more"
        )
    return body


async def explained(reply: EndpointReply) -> EndpointReply:
    """A failure in OpenAI's form; the endpoint's own text is logged at level DEBUG."""
    received = bytearray()
    async for piece in reply.pieces:
        received += piece[: _MAX_ERROR_BYTES - len(received)]
        if len(received) >= _MAX_ERROR_BYTES:
            break
    _log_failure(reply.status, bytes(received))
    body = to_bytes(envelope(reply.status, bytes(received)))
    return replace(
        reply,
        status=passed_status(reply.status),
        headers={**reply.headers, "content-type": "application/json"},
        pieces=each([body]),
    )


async def each(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Yield pieces that are there already."""
    for piece in pieces:
        yield piece


def _log_failure(status: int, received: bytes) -> None:
    # What it refuses it may quote, the user's words among it.
    text = blanked(received[:_MAX_LOGGED].decode(errors="replace"))
    logger.debug("endpoint.failed", extra={"facts": {"status": status, "text": text}})


async def _before(deadline: float, pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The pieces as long as they come before a moment of the loop's clock; else `TimeoutError`."""
    while True:
        async with asyncio.timeout_at(deadline):
            try:
                piece = await anext(pieces)
            except StopAsyncIteration:
                return
        yield piece


@dataclass(slots=True, kw_only=True)
class ProxiedReply:
    """A reply that is passed on as it is; at its end it is stored, or its turn fails.

    The whole answer must have come within the time limit. A failure of the endpoint is passed on
    in OpenAI's form, without its words.

    A reply that calls tools is no answer yet: the turn stays open, and the client comes back with
    the results of the tools.
    """

    call: CompletionCall
    session_id: UUID | None
    ending: TurnEnding
    ids: Ids
    time_limit: float
    """The most seconds that the whole answer may take."""
    tables: tuple[str, ...] = ()
    """The tables that memory's part of the request draws on."""
    _reply: EndpointReply | None = None
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)
    _deadline: float = 0
    _warned: int = 0
    """How many of the warnings the client knows."""

    @property
    def attempts(self) -> Degradation:
        """What memory could not do for this call."""
        return self.ending.attempts

    @property
    def reply(self) -> EndpointReply:
        """What the endpoint answered: status and headers; its body is read with `pieces`."""
        assert self._reply is not None  # noqa: S101  # opened by `Proxy.begin`
        return self._reply

    @property
    def streams(self) -> bool:
        """Whether the reply comes as events; an endpoint that cannot stream sends it whole."""
        is_json = "json" in self.reply.headers.get("content-type", "")
        return self.call.request.streams and self.reply.status == HTTPStatus.OK and not is_json

    @property
    def memory(self) -> MemoryPolicy:
        """How much memory is used for this call."""
        if self.session_id is None or self.attempts.is_database_away:
            return MemoryPolicy.OFF
        return MemoryPolicy.READ if self.ending.question is None else MemoryPolicy.FULL

    async def remember(self, finding: Awaitable[Result], *, warning: str) -> Result | None:
        """What memory finds; None where it does not answer, has no room or knows no session."""
        try:
            return await self.attempts.attempt("context", finding, warning=warning)
        except QuestionTooLong:
            self.attempts.warn(TOO_LONG)
            return None
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
            body = await read_whole(_before(self._deadline, self.reply.pieces))
        except TimeoutError:
            raise too_slow(self.time_limit) from None
        if self.reply.status == HTTPStatus.OK:
            reader = AnswerReader(is_stream=False)
            reader.feed(body)
            await off_loop(reader.close, characters=len(body))
            if reader.has_failed:
                _log_failure(self.reply.status, body)
                raise ReplyUnusable(_NO_ANSWER)
            await self._settle(reader)
        return body

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The events as they come. The last piece comes once the answer is stored.

        If it could not be stored, a comment says so, for the headers are gone by then.
        """
        reader = AnswerReader(is_stream=True)
        self._warned = len(self.attempts.warnings)
        try:
            async for received in _before(self._deadline, self.reply.pieces):
                size = reader.waiting + len(received)
                passed = await off_loop(partial(reader.feed, received), characters=size)
                if piece := await self._passed_on(reader, passed):
                    yield piece
            passed = await off_loop(reader.close, characters=reader.waiting)
            if piece := await self._passed_on(reader, passed):
                yield piece
            if not reader.has_events:
                raise ReplyUnusable(_NO_ANSWER)
        except (ModelUnavailable, TimeoutError) as error:
            await self.ending.fail()
            is_slow = isinstance(error, TimeoutError)
            yield error_event(str(too_slow(self.time_limit) if is_slow else error))
            return
        await self._settle(reader)
        if reader.ends_with_line and (comment := self._new_warnings()):
            yield comment

    async def aclose(self) -> None:
        """End it all; a turn that is not settled by now has failed."""
        try:
            await self.ending.fail()
        finally:
            await self._open.aclose()

    async def _passed_on(self, reader: AnswerReader, piece: bytes) -> bytes:
        """A piece for the client; the last, when the answer is stored."""
        if reader.failures:
            _log_failure(self.reply.status, b"\n".join(reader.failures))
            reader.failures.clear()
        if not reader.is_over:
            return piece
        await self._settle(reader)
        return before_the_end(piece, self._new_warnings())

    def _new_warnings(self) -> bytes:
        """A comment with the warnings that the client does not know yet; mostly empty."""
        warnings = self.attempts.warnings[self._warned :]
        self._warned += len(warnings)
        return warning_comment(warnings) if warnings else b""

    async def _settle(self, reader: AnswerReader) -> None:
        """Store the answer; fail the turn if it is none; leave it open for calls of tools."""
        self.ending.record.used_tokens(
            input_tokens=reader.input_tokens, output_tokens=reader.output_tokens
        )
        if self.ending.is_ended or self.ending.question is None:
            if self.reply.status == HTTPStatus.OK and reader.is_finished:
                self.ending.record.end(TurnOutcome.ANSWERED)
            return
        text = self.call.request.begun_answer + reader.content
        content = await off_loop(partial(storable_text, text), characters=len(text))
        is_answer = self.reply.status == HTTPStatus.OK and reader.is_finished
        if not is_answer or reader.has_failed or not (content or reader.has_tool_calls):
            await self.ending.fail()
        elif reader.has_tool_calls:
            self.ending.is_ended = True
            self.ending.record.end(TurnOutcome.ANSWERED)
        else:
            self.ending.record.answered(content)
            await self.ending.complete(partial(self._store, content, reader))

    async def _store(self, content: str, reader: AnswerReader, question: Message) -> Message:
        tools = self.call.request.tools_called
        metadata: dict[str, JsonValue] = {}
        if self.call.ids.message is not None:
            metadata["external_id"] = self.call.ids.message
        if tools:
            metadata["tools"] = tools
        details = self.reply.details or AnswerDetails(
            model=reader.model or self.call.request.model, tokens=reader.tokens
        )
        reply = NewMessage(
            message_id=self.ids.new_id(),
            role=Role.ASSISTANT,
            content=content,
            metadata=metadata,
            details=drawing_on(details, self.tables),
        )
        return await self.ending.turns.reply(self.ending.scope, question, reply)
