"""Talking to a running server, over HTTP."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import SplitResult
from uuid import UUID, uuid4

from recollect.domain.conversation.message import message_id_for_key, reply_id_for
from recollect.domain.recall.entry import AS_SET, RecallOverrides
from recollect.errors import (
    ConfigurationError,
    RecollectError,
    SessionNotFound,
    Unauthenticated,
    Unavailable,
)
from recollect.http_client import (
    HttpClient,
    HttpFailure,
    HttpReply,
    HttpResponse,
    ReplyTooLarge,
    http_address,
    json_bytes,
)
from recollect.interfaces.cli.chatting.partner import (
    SESSION_METADATA,
    STOPPED,
    AnswerSummary,
    stopped_reply,
)

_SESSION: Final = "X-Session-ID"
_OUR_HEADER: Final = "X-Transaction-ID"
"""A header of every response of ours, and of hardly anybody else's."""
_EARLIER_QUESTIONS: Final = 200
_MAX_REPLY_BYTES: Final = 32_000_000
# Only these: a model may take long before its first word, which the server limits.
_CONNECT_SECONDS: Final = 10.0
_CHECK_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """Where a server is, and on whose behalf it is asked."""

    url: str
    key: str | None = None
    user: str | None = None
    """The user that a service key acts for."""

    def headers(self) -> dict[str, str]:
        """The headers of every request."""
        headers = {"User-Agent": "recollect-cli"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if self.user:
            headers["X-Memory-User"] = self.user
        return headers


@asynccontextmanager
async def server_at(
    address: ServerAddress,
    *,
    session_id: str | None,
    model: str | None = None,
    recall: RecallOverrides = AS_SET,
) -> AsyncIterator["ServerPartner"]:
    """A partner on a server, its connections closed at the end.

    Raises:
        ConfigurationError: the address is none, or not that of a Recollect server.
        Unavailable: nobody answers there.
    """
    url = _checked(address.url)
    options = {
        "model": model,
        "recall_scope": recall.scope,
        "recall_k": recall.k,
        "recall_elsewhere": recall.elsewhere,
    }
    headers = {"Content-Type": "application/json", **address.headers()}
    async with HttpClient(url, headers=headers, connect_seconds=_CONNECT_SECONDS) as client:
        partner = ServerPartner(client, session_id=session_id, options=options)
        await partner.check()
        yield partner


def _checked(url: str) -> SplitResult:
    problem = "--server must be an address such as http://127.0.0.1:8080 (or MEMORY_SERVER_URL)"
    parts = http_address(url, problem)
    if parts.path.rstrip("/").endswith("/v1"):
        root = url.rstrip("/").removesuffix("/v1").removesuffix("/api")
        raise ConfigurationError(
            f"{url} is an address for OpenAI clients; --server wants the server's own: {root}"
        )
    return parts


class ServerPartner:
    """Asks over POST /chat; the session's id lives in this process alone."""

    def __init__(
        self,
        client: HttpClient,
        *,
        session_id: str | None,
        options: Mapping[str, str | int | None],
    ) -> None:
        self._client = client
        self._session_id = session_id
        self._question_id: UUID | None = None
        self._options = {name: value for name, value in options.items() if value is not None}

    @property
    def session_id(self) -> str | None:
        """The conversation; None before its first question."""
        return self._session_id

    async def check(self) -> None:
        """Refuse to talk to anything but a Recollect server."""
        try:
            async with asyncio.timeout(_CHECK_SECONDS):
                reply = await self._send("GET", "/healthz")
        except TimeoutError:
            raise self._unavailable("ReadTimeout") from None
        if not reply.is_success or _OUR_HEADER not in reply.headers:
            raise ConfigurationError(
                f"{self._client.address} is not a Recollect server: it answers /healthz with "
                f"{reply.status} and no {_OUR_HEADER}"
            )

    async def ask(self, question: str) -> AsyncGenerator[str | AnswerSummary, None]:
        """The answer in pieces as the server sends them."""
        if self._session_id is None:
            self._session_id = await self._new_session()
        key = str(uuid4())
        self._question_id = message_id_for_key(UUID(self._session_id), key)
        headers = {_SESSION: self._session_id, "Idempotency-Key": key}
        body = json_bytes({"query": question, "stream": True, **self._options})
        try:
            async with self._client.request("POST", "/chat", body, headers=headers) as response:
                if response.status != HTTPStatus.OK:
                    raise _refusal(await response.read(_MAX_REPLY_BYTES))
                async for event, data in _events(response):
                    yield _piece(event, data)
        except HttpFailure as error:
            raise self._unavailable(str(error)) from None

    async def keep_stopped(self, partial: str) -> None:
        """Keep what was heard of the last answer; its question stays in the context."""
        if self._session_id is None or self._question_id is None:
            return
        body = {
            "message_id": str(reply_id_for(self._question_id)),
            "role": "assistant",
            "content": stopped_reply(partial),
            "metadata": STOPPED,
            "reply_to": str(self._question_id),
        }
        reply = await self._send("POST", f"{self._session_path}/messages", body)
        # Stopped before the question was stored, or after the whole reply was: nothing to keep.
        nothing_to_keep = {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}
        if not (reply.is_success or reply.status in nothing_to_keep):
            raise _refusal(reply)

    async def asked_before(self) -> Sequence[str]:
        """The questions of the conversation that is resumed."""
        if self._session_id is None:
            return ()
        path = f"{self._session_path}/messages?limit={_EARLIER_QUESTIONS}"
        reply = await self._send("GET", path)
        if reply.status == HTTPStatus.NOT_FOUND:
            raise SessionNotFound(self._session_id)
        if reply.status != HTTPStatus.OK:
            raise _refusal(reply)
        items = reversed(json.loads(reply.body)["items"])
        return [item["content"] for item in items if item["role"] == "user"]

    def start_anew(self) -> None:
        """Begin another conversation with the next question."""
        self._session_id = self._question_id = None

    async def forget(self) -> None:
        """Delete the conversation."""
        if self._session_id is not None:
            reply = await self._send("DELETE", self._session_path)
            if not reply.is_success:
                raise _refusal(reply)
        self.start_anew()

    @property
    def _session_path(self) -> str:
        return f"/api/v1/sessions/{self._session_id}"

    async def _new_session(self) -> str:
        """Start it before its first question, so that a question stopped at once is not lost."""
        reply = await self._send("POST", "/api/v1/sessions", {"metadata": SESSION_METADATA})
        if not reply.is_success:
            raise _refusal(reply)
        session_id: str = json.loads(reply.body)["session_id"]
        return session_id

    async def _send(self, method: str, path: str, body: object = None) -> HttpReply:
        content = None if body is None else json_bytes(body)
        try:
            return await self._client.fetch(method, path, content, limit=_MAX_REPLY_BYTES)
        except (HttpFailure, ReplyTooLarge) as error:
            raise self._unavailable(str(error)) from None

    def _unavailable(self, problem: str) -> Unavailable:
        return Unavailable(
            f"{self._client.address} does not answer ({problem}); "
            "is 'recollect serve' running there?"
        )


async def _events(response: HttpResponse) -> AsyncIterator[tuple[str, Mapping[str, Any]]]:
    """Server-sent events: their names and data."""
    event = ""
    async for line in response.lines():
        name, _, value = line.partition(": ")
        if name == "event":
            event = value
        elif name == "data":
            yield event, json.loads(value)


def _piece(event: str, data: Mapping[str, Any]) -> str | AnswerSummary:
    match event:
        case "answer":
            return AnswerSummary.of(data)
        case "error":
            raise Unavailable(f"{data['error']}: {data['detail']}")
        case _:
            return str(data["text"])


def _refusal(reply: HttpReply) -> RecollectError:
    try:
        body = json.loads(reply.body)
        problem = f"{body['error']}: {body['detail']}"
    except (ValueError, LookupError, TypeError):
        problem = f"the server answered {reply.status}"
    if reply.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return Unauthenticated(f"{problem} (set MEMORY_SERVER_KEY)")
    return Unavailable(problem)
