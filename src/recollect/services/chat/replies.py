"""Replies of an endpoint, read within bounds of size and time."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from recollect.domain.chat.replies import MAX_REPLY_VALUES, envelope, passed_status
from recollect.domain.chat.writing import to_bytes
from recollect.domain.text import count_values
from recollect.errors import ModelUnavailable, ReplyUnusable
from recollect.offloading import off_loop
from recollect.ports.models import EndpointReply

MAX_REPLY_BYTES: Final = 8_000_000
"""The largest reply that is read whole; streams may be longer."""
_MAX_ERROR_BYTES: Final = 65_536
_MAX_LOGGED: Final = 4_000

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
    """A failure in OpenAI's form; what the endpoint wrote goes to the log, at level DEBUG."""
    received = bytearray()
    async for piece in reply.pieces:
        received += piece[: _MAX_ERROR_BYTES - len(received)]
        if len(received) >= _MAX_ERROR_BYTES:
            break
    log_failure(reply.status, bytes(received))
    body = to_bytes(envelope(reply.status, bytes(received)))
    return replace(
        reply,
        status=passed_status(reply.status),
        headers={**reply.headers, "content-type": "application/json"},
        pieces=each([body]),
    )


def log_failure(status: int, received: bytes) -> None:
    """Keep what an endpoint wrote for whoever looks for the cause."""
    text = received[:_MAX_LOGGED].decode(errors="replace")
    logger.debug("endpoint.failed", extra={"facts": {"status": status, "text": text}})


async def before(deadline: float, pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The pieces as long as they come before a moment of the loop's clock; else `TimeoutError`."""
    while True:
        async with asyncio.timeout_at(deadline):
            try:
                piece = await anext(pieces)
            except StopAsyncIteration:
                return
        yield piece


def too_slow(limit: float) -> ModelUnavailable:
    """The error that says that an answer took too long."""
    return ModelUnavailable(f"there was no whole answer within {limit:g} seconds")


async def each(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Pieces that are there already, as ones that come."""
    for piece in pieces:
        yield piece
