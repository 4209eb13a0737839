"""What surrounds every request: its method, transaction id, size limit, log line, a line's end.

Scopes of another type, such as `lifespan` and `websocket`, are passed on untouched: programs that
mount the application may have them.
"""

import asyncio
import logging
import re
import time
from functools import partial
from http import HTTPStatus
from typing import Final
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.interfaces.http.errors import error_response
from recollect.ports.metrics import HTTP_REQUESTS, HTTP_SECONDS
from recollect.ports.telemetry import UNMEASURED, SpanKind, Telemetry, traceparent
from recollect.telemetry.logging import trace_id, transaction_id
from recollect.telemetry.loop_watchdog import current_route

TRANSACTION_HEADER: Final = "X-Transaction-ID"
_TRANSACTION_NAME: Final = TRANSACTION_HEADER.lower().encode()
_CACHE_NAME: Final = b"cache-control"
_WITHOUT_BODY: Final = frozenset({"GET", "HEAD"})
_AS_IT_IS: Final = frozenset({"", "identity"})
"""Codings of a body that is not compressed."""
_TERMINAL_CLIENTS: Final = ("curl/", "Wget/", "HTTPie/", "xh/")
_CUT_OFF: Final = "the server stops and did not finish this request; try again"
_UNTRACED: Final = ("/healthz", "/readyz", "/metrics")
"""What others ask for all the time."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?")
_ACCEPTABLE: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}")

logger = logging.getLogger(__name__)


class Transactions:
    """Gives each request an id, returns it, and logs the request under it, without content.

    Nobody in between keeps what it is answered, unless the answer says otherwise.
    """

    def __init__(self, app: ASGIApp, *, telemetry: Telemetry = UNMEASURED) -> None:
        self._app = app
        self._telemetry = telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["path"] in _UNTRACED:
            await self._serve(scope, receive, send)
            return
        parent = _header(scope, b"traceparent")
        if parent and not _TRACEPARENT.fullmatch(parent):
            parent = ""
        # Without traces of our own, the caller's is passed on as it came.
        tokens = traceparent.set(parent), trace_id.set(parent[3:35])
        span = self._telemetry.span(scope["method"], kind=SpanKind.SERVER, remote_parent=parent)
        try:
            with span:
                status = await self._serve(scope, receive, send)
                route = _route(scope)
                span.rename(f"{scope['method']} {route}")
                span.set("http.request.method", scope["method"])
                span.set("http.route", route)
                span.set("http.response.status_code", status)
        finally:
            traceparent.reset(tokens[0])
            trace_id.reset(tokens[1])

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> int:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return 0
        given = _header(scope, _TRANSACTION_NAME)
        current = given if given and _ACCEPTABLE.fullmatch(given) else str(uuid4())
        token = transaction_id.set(current)
        route = current_route.set(partial(_route, scope))
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        has_started = False
        began = time.perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status, has_started
            if message["type"] == "http.response.start":
                status, has_started = message["status"], True
                headers = [*message["headers"], (_TRANSACTION_NAME, current.encode())]
                if not any(name == _CACHE_NAME for name, _ in headers):
                    headers.append((_CACHE_NAME, b"no-store"))  # most have personal data
                message["headers"] = headers
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except asyncio.CancelledError:  # the server stops, and its grace period is over
            logger.warning("http.cut_off", extra={"facts": {"route": _route(scope)}})
            if not has_started:
                unavailable = HTTPStatus.SERVICE_UNAVAILABLE
                response = error_response(
                    unavailable, unavailable.phrase, _CUT_OFF, path=scope["path"]
                )
                await response(scope, receive, send_with_id)
        finally:
            self._record(scope, int(status), time.perf_counter() - began)
            current_route.reset(route)
            transaction_id.reset(token)
        return int(status)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        method, route = scope["method"], _route(scope)
        facts = {
            "method": method,
            "route": route,
            "status": status,
            "milliseconds": round(seconds * 1000, 2),
        }
        logger.info("http.request", extra={"facts": facts})
        known = method if method in _METHODS else "other"
        self._telemetry.count(HTTP_REQUESTS, known, route, str(status))
        self._telemetry.observe(HTTP_SECONDS, seconds, route)


def _header(scope: Scope, name: bytes) -> str:
    """The first value of a header, by its name in lower case; empty where it is missing.

    A tenth of what `Headers` takes, and every request goes through here.
    """
    for key, value in scope["headers"]:
        if key == name:
            text: str = value.decode("latin-1")
            return text
    return ""


def _route(scope: Scope) -> str:
    """The path that a request's route was declared with, without the ids in it."""
    return getattr(scope.get("route"), "path", "unknown")


class HeadAsGet:
    """Answers HEAD as it would answer GET, without the body: many programs ask so for health."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            await send({**message, "body": b""} if "body" in message else message)

        # The server has its own scope, and knows by its method that no body comes.
        await self._app({**scope, "method": "GET"}, receive, send_without_body)


class BodyLimit:
    """Refuses a body that is too large, or compressed, as soon as that is known.

    Nothing has read it then. A compressed body may be of any size once it is unpacked.
    """

    def __init__(self, app: ASGIApp, *, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = _header(scope, b"content-length")
        if not declared and scope["method"] in _WITHOUT_BODY:  # no route reads one
            await self._app(scope, receive, send)
            return
        if declared.isdecimal() and int(declared) > self._max_bytes:
            await self._refuse(scope, receive, send)
            return
        if _header(scope, b"content-encoding").lower() not in _AS_IT_IS:
            response = error_response(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "Compressed body",
                "send the body as it is, without a Content-Encoding",
                path=scope["path"],
            )
            await response(scope, receive, send)
            return
        received = 0
        is_too_large = False

        async def receive_limited() -> Message:
            nonlocal received, is_too_large
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                is_too_large = True
                # The application sees a client that left, and stores nothing.
                return {"type": "http.disconnect"}
            return message

        async def send_unless_refused(message: Message) -> None:
            if not is_too_large:
                await send(message)

        await self._app(scope, receive_limited, send_unless_refused)
        if is_too_large:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = error_response(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "Request too large",
            f"the body is larger than {self._max_bytes:,} bytes (MEMORY_MAX_BODY_BYTES)",
            path=scope["path"],
        )
        await response(scope, receive, send)


class TerminalNewline:
    """Ends JSON with a line break for clients that print it to a terminal."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if not _header(scope, b"user-agent").startswith(_TERMINAL_CLIENTS):
            await self._app(scope, receive, send)
            return
        is_extended = False

        async def send_line(message: Message) -> None:
            nonlocal is_extended
            if message["type"] == "http.response.start":
                is_extended = _make_room_for_newline(MutableHeaders(scope=message))
            elif is_extended and not message.get("more_body", False):
                message = {**message, "body": message.get("body", b"") + b"\n"}
            await send(message)

        await self._app(scope, receive, send_line)


def _make_room_for_newline(headers: MutableHeaders) -> bool:
    """Count one more byte where the body is JSON of a known length; whether it is."""
    is_json = headers.get("content-type", "").startswith("application/json")
    length = headers.get("content-length", "")
    if is_json and length.isdecimal() and int(length) > 0:
        headers["content-length"] = str(int(length) + 1)
        return True
    return False
