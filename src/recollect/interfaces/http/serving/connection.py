"""One connection of a client, with limits on what it may send and how long it may take.

Decision 32 lists which parts of uvicorn's protocol this one replaces, and why.
"""

import asyncio
import logging
import os
import socket
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from uuid import uuid4

import httptools
import uvicorn
from uvicorn._types import (
    ASGI3Application,
    ASGIReceiveCallable,
    ASGISendCallable,
    ASGISendEvent,
    Scope,
)
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from recollect.interfaces.http.errors import error_response
from recollect.interfaces.http.middleware import TRANSACTION_HEADER
from recollect.interfaces.http.serving.connection_registry import ConnectionRegistry, Phase
from recollect.interfaces.http.serving.handover import Handover

_MAX_URL_BYTES: Final = 8_192
_MIN_BODY_RATE: Final = 500
"""Bytes a second; a client that sends less occupies a connection rather than uploads."""
_MAX_LINGERING_EXTENSIONS: Final = 6
_HEADER_SEPARATORS: Final = len(b": \r\n")
_HEAD: Final = b"HTTP/1.1 "

logger = logging.getLogger(__name__)


class _Refused(Exception):
    """A request that is not read further."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class HttpConnection(HttpToolsProtocol):
    """uvicorn's protocol with limits; the registry ends it at its deadlines.

    Where uvicorn would close a connection on which more may arrive, this one ends its own side
    first and drops what still comes: closed at once, the client would get a reset, and lose the
    response that says what is wrong.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        registry: ConnectionRegistry,
        handover: Handover | None = None,
        received: bytes = b"",
    ) -> None:
        """Serve a connection, on which `received` has come already while another process had it."""
        super().__init__(config, server_state, app_state, _loop)
        self._lingering: _LingeringTransport
        self.phase = Phase.HEAD
        self._registry = registry
        self._handover = handover
        self._taken_over = received
        self._limits = registry.limits
        self._is_in_head = False
        self._is_over = False
        """Whether nothing that still arrives is read as a request."""
        self._refusal: _Refused | None = None
        self._unparsed = 0
        """Bytes given to the parser since it last returned a head or a part of a body."""
        self._received = 0
        """Bytes received since the last deadline."""
        self._extensions = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Wait for the first request."""
        self._lingering = _LingeringTransport(transport, self)
        super().connection_made(self._lingering)  # type: ignore[arg-type]  # it has what is needed
        self._registry.enter(self, Phase.HEAD)
        received, self._taken_over = self._taken_over, b""
        if received:
            self._read(received)
            self.loop.call_soon(self._stay_paused)
        self._registry.make_room()

    def _stay_paused(self) -> None:
        """Stop reading again if what had come was enough: uvloop begins to read after all that."""
        if self.flow.read_paused and not self.transport.is_closing():
            self.transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.close()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read as much as the limits allow, or hand a new request over to another process."""
        if not self._hand_over(data):
            self._read(data)

    def _hand_over(self, data: bytes) -> bool:
        """Send the connection to a process with less to do, if a request begins with this."""
        if self._handover is None or not self._is_at_rest:
            return False
        if self._lingering.has_unsent() or self._registry.is_shutting_down:
            return False
        is_sent = self._handover.hand_over(self.transport.get_extra_info("socket"), data)
        if is_sent:
            self._is_over = True
            self.transport.abort()  # here alone: the other process goes on with it
        return is_sent

    @property
    def _is_at_rest(self) -> bool:
        """Whether nothing of a request has come yet, and none is being answered."""
        is_waiting = self.phase in {Phase.HEAD, Phase.IDLE} and not self._is_over
        return is_waiting and not self._is_in_head and not self._unparsed

    def _read(self, data: bytes) -> None:
        if self._handover is not None and self._is_at_rest:
            self._handover.note_new()
        self._received += len(data)
        if self._is_over:
            return
        self._unparsed += len(data)
        try:
            self.parser.feed_data(data)
            if self._unparsed > self._limits.max_header_bytes:
                self._refuse(self._head_too_large())
        except httptools.HttpParserUpgrade:
            pass  # the request is answered as if it had not asked for another protocol
        except httptools.HttpParserError:
            invalid = _Refused(HTTPStatus.BAD_REQUEST, "this is no valid HTTP request")
            self._refuse(self._refusal or invalid)
        self._update_phase()

    def on_message_begin(self) -> None:
        """Begin a head."""
        self._is_in_head = True
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of the URL."""
        super().on_url(url)
        if len(self.url) > _MAX_URL_BYTES:
            problem = f"the URL is longer than {_MAX_URL_BYTES:,} bytes"
            self._stop_parsing(_Refused(HTTPStatus.REQUEST_URI_TOO_LONG, problem))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; those that follow a body have no meaning here."""
        if not self._is_in_head:
            return
        super().on_header(name, value)
        if len(self.headers) > self._limits.max_headers:
            problem = f"there are more than {self._limits.max_headers} headers (MEMORY_MAX_HEADERS)"
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            self._stop_parsing(_Refused(status, problem))

    def on_headers_complete(self) -> None:
        """Start to answer, once the head is known to be within its limits."""
        sizes = (len(name) + len(value) + _HEADER_SEPARATORS for name, value in self.headers)
        if len(self.url) + sum(sizes) > self._limits.max_header_bytes:
            self._stop_parsing(self._head_too_large())
        self._is_in_head = False
        self._unparsed = 0
        super().on_headers_complete()
        if self._registry.is_shutting_down:
            self.cycle.keep_alive = False

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        super()._start_asgi_task(cycle, partial(_announce_last_response, cycle, app))

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._unparsed = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request."""
        self._unparsed = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with the next request if the client has sent one already, or wait for it."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self.cycle.more_body:
            self._linger()
        self._update_phase()

    def shutdown(self) -> None:
        """End as soon as nothing is being answered, and nothing has just arrived."""
        if self.phase in {Phase.BODY, Phase.ANSWERING}:
            self.cycle.keep_alive = False
        elif self.phase is Phase.LINGERING or not self._has_unread():
            self.close()

    def expire(self) -> None:
        """See `Registered.expire`."""
        received, self._received = self._received, 0
        self._extensions += 1
        match self.phase:
            case Phase.LINGERING:
                goes_on = received > 0 and self._extensions < _MAX_LINGERING_EXTENSIONS
            case Phase.BODY:
                goes_on = self._has_unread() or self._is_fast_enough(received)
            case _:
                goes_on = self._has_unread() and self._extensions == 1
        if goes_on:
            self._registry.enter(self, self.phase)
        else:
            self._time_out()

    def evict(self) -> bool:
        """See `Registered.evict`."""
        if self._has_unread():
            return False
        self._time_out()
        return True

    def finish(self) -> None:
        """Close if the client has sent its whole request; else let it finish first."""
        is_read = self.cycle is not None and not self.cycle.more_body
        is_whole = is_read and not self._is_in_head and self._refusal is None
        if self._registry.is_shutting_down or is_whole:
            self.close()
        else:
            self._linger()

    def close(self) -> None:
        """Close once everything written is sent."""
        self._is_over = True
        self._registry.leave(self)
        self._lingering.close_now()

    def _update_phase(self) -> None:
        if self._is_over:
            return
        if self.cycle is None or self.cycle.response_complete:
            is_begun = self.cycle is None or self._is_in_head
            phase = Phase.HEAD if is_begun else Phase.IDLE
        else:
            arrives = self.cycle.more_body and not self.pipeline
            phase = Phase.BODY if arrives else Phase.ANSWERING
        if phase is not self.phase:
            self._enter(phase)

    def _enter(self, phase: Phase) -> None:
        self._received = self._extensions = 0
        self._registry.enter(self, phase)

    def _is_fast_enough(self, received: int) -> bool:
        """Whether a body makes progress; one that we do not read at the moment cannot."""
        return (
            self.flow.read_paused or received >= _MIN_BODY_RATE * self._limits.body_timeout_seconds
        )

    def _has_unread(self) -> bool:
        """Whether something has arrived that a busy event loop has not read yet."""
        number = self.transport.get_extra_info("socket").fileno()
        try:
            # The event loop's own socket cannot be read from.
            with socket.socket(fileno=os.dup(number)) as connection:
                return bool(connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except OSError:
            return False

    def _stop_parsing(self, refusal: _Refused) -> None:
        """Make the parser stop, which raises an error of its own."""
        self._refusal = refusal
        raise refusal

    def _head_too_large(self) -> _Refused:
        limit = self._limits.max_header_bytes
        problem = f"the head is larger than {limit:,} bytes (MEMORY_MAX_HEADER_BYTES)"
        return _Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, problem)

    def _time_out(self) -> None:
        is_silent = self.phase in {Phase.IDLE, Phase.LINGERING}
        if is_silent or (self.phase is Phase.HEAD and not self._is_in_head):
            self.close()
            return
        problem = "the request took too long to arrive"
        self._refuse(_Refused(HTTPStatus.REQUEST_TIMEOUT, problem))

    def _refuse(self, refusal: _Refused) -> None:
        """Say what is wrong and read no further.

        What is wrong with a later request does not disturb the answer to an earlier one, which
        then is the last. The application sees a request that it waits for as disconnected.
        """
        self._refusal = refusal
        self._is_over = True
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering and (self._is_in_head or self.cycle.response_started or self.pipeline):
            self.cycle.keep_alive = False
            self._enter(Phase.ANSWERING)
            self.flow.resume_reading()
            return
        if is_answering:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write(_response(refusal, path=getattr(self, "url", b"").decode("latin-1")))
        self._linger()

    def _linger(self) -> None:
        """End our side, and drop what the client still sends, for a while."""
        self._is_over = True
        self.flow.resume_reading()
        self._enter(Phase.LINGERING)
        if not self._lingering.end_writing():
            self.close()


def _response(refusal: _Refused, *, path: str) -> bytes:
    status = refusal.status
    body = bytes(error_response(status, status.phrase, str(refusal), path=path).body)
    transaction_id = str(uuid4())
    facts = {"status": int(status), "transaction_id": transaction_id}
    logger.info("http.refused", extra={"facts": facts})
    head = (
        f"HTTP/1.1 {status:d} {status.phrase}\r\n"
        "content-type: application/json\r\n"
        f"content-length: {len(body)}\r\n"
        "connection: close\r\n"
        f"{TRANSACTION_HEADER.lower()}: {transaction_id}\r\n\r\n"
    )
    return head.encode() + body


async def _announce_last_response(
    cycle: RequestResponseCycle,
    app: ASGI3Application,
    scope: Scope,
    receive: ASGIReceiveCallable,
    send: ASGISendCallable,
) -> None:
    """Let a response that starts before the body has come say that the connection ends with it."""
    if not cycle.more_body:
        await app(scope, receive, send)
        return

    async def send_announced(message: ASGISendEvent) -> None:
        if cycle.more_body and not cycle.response_started:
            cycle.keep_alive = False
        await send(message)

    await app(scope, receive, send_announced)


class _LingeringTransport:
    """A transport that lets the connection decide how it is closed, and sends a head with its body.

    uvicorn writes them one after the other: two calls of the system, and a client that is woken up
    for a head alone.
    """

    def __init__(self, transport: asyncio.Transport, connection: HttpConnection) -> None:
        self._transport = transport
        self._connection = connection
        self._is_ending = False
        self._head = b""
        """The head of a response whose body is not written yet."""

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)

    def has_unsent(self) -> bool:
        """Whether a part of a response waits for the client to read."""
        return bool(self._head) or self._transport.get_write_buffer_size() > 0

    def is_closing(self) -> bool:
        return self._is_ending or self._transport.is_closing()

    def close(self) -> None:
        if not self.is_closing():
            self._connection.finish()

    def write(self, data: bytes) -> None:
        if self._head:
            head, self._head = self._head, b""
            self._transport.writelines((head, data))
        elif data.startswith(_HEAD):
            self._head = data
            self._connection.loop.call_soon(self._send_head)
        else:
            self._transport.write(data)

    def close_now(self) -> None:
        self._send_head()
        self._is_ending = True
        self._transport.close()

    def end_writing(self) -> bool:
        """Send the end of our side; whether the other one is still open."""
        self._send_head()
        self._is_ending = True
        if self._transport.is_closing() or not self._transport.can_write_eof():
            return False
        self._transport.write_eof()
        return True

    def resume_reading(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def _send_head(self) -> None:
        """Send a head that has waited long enough: nothing came with it in its turn of the loop."""
        if self._head:
            head, self._head = self._head, b""
            self._transport.write(head)
