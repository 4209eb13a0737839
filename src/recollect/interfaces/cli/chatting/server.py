"""Talking to a running server, over HTTP."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import httpx

from recollect.domain.conversation.message import message_id_for_key, reply_id_for
from recollect.domain.recall.recalled import AS_SET, RecallOverrides
from recollect.errors import (
    ConfigurationError,
    RecollectError,
    SessionNotFound,
    Unauthenticated,
    Unavailable,
)
from recollect.interfaces.cli.chatting.partner import (
    SESSION_METADATA,
    STOPPED,
    AnswerSummary,
    stopped_reply,
)

_SESSION: Final = "X-Session-ID"
_SIGN: Final = "X-Transaction-ID"
"""A header of every response of ours, and of hardly anybody else's."""
_ASKED_BEFORE: Final = 200
# A model may think for long before its first word; that is the server's to limit.
_TIMEOUT: Final = httpx.Timeout(None, connect=10.0)
_CHECK_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """Where a server is, and as whom it is asked."""

    url: str
    key: str | None = None
    user: str | None = None
    """The user that a service key acts for."""

    def headers(self) -> dict[str, str]:
        """What every request says."""
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
    _check(address.url)
    options = {
        "model": model,
        "recall_scope": recall.scope,
        "recall_k": recall.k,
        "recall_elsewhere": recall.elsewhere,
    }
    async with httpx.AsyncClient(
        base_url=address.url, headers=address.headers(), timeout=_TIMEOUT
    ) as client:
        partner = ServerPartner(client, session_id=session_id, options=options)
        await partner.check()
        yield partner


def _check(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigurationError(
            "--server must be an address such as http://127.0.0.1:8080 (or MEMORY_SERVER_URL)"
        )
    if parts.path.rstrip("/").endswith("/v1"):
        root = url.rstrip("/").removesuffix("/v1").removesuffix("/api")
        raise ConfigurationError(
            f"{url} is an address for OpenAI clients; --server wants the server's own: {root}"
        )


class ServerPartner:
    """Asks over POST /chat; the session's id lives in this process alone."""

    def __init__(
        self,
        client: httpx.AsyncClient,
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
        response = await self._send("GET", "/healthz", timeout=_CHECK_SECONDS)
        if not response.is_success or _SIGN not in response.headers:
            raise ConfigurationError(
                f"{self._client.base_url} is not a Recollect server: it answers /healthz with "
                f"{response.status_code} and no {_SIGN}"
            )

    async def ask(self, question: str) -> AsyncGenerator[str | AnswerSummary, None]:
        """The answer in pieces as the server sends them."""
        if self._session_id is None:
            self._session_id = await self._new_session()
        key = str(uuid4())
        self._question_id = message_id_for_key(UUID(self._session_id), key)
        headers = {_SESSION: self._session_id, "Idempotency-Key": key}
        body = {"query": question, "stream": True, **self._options}
        try:
            async with self._client.stream("POST", "/chat", json=body, headers=headers) as response:
                if response.status_code != HTTPStatus.OK:
                    await response.aread()
                    raise _refusal(response)
                async for event, data in _events(response):
                    yield _piece(event, data)
        except httpx.HTTPError as error:
            raise self._away(error) from None

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
        response = await self._send("POST", f"{self._session_path}/messages", json=body)
        # Stopped before the question was stored, or after the whole reply was: nothing to keep.
        nothing_to_keep = {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}
        if not (response.is_success or response.status_code in nothing_to_keep):
            raise _refusal(response)

    async def asked_before(self) -> Sequence[str]:
        """The questions of the conversation that is resumed."""
        if self._session_id is None:
            return ()
        path = f"{self._session_path}/messages"
        response = await self._send("GET", path, params={"limit": _ASKED_BEFORE})
        if response.status_code == HTTPStatus.NOT_FOUND:
            raise SessionNotFound(self._session_id)
        if response.status_code != HTTPStatus.OK:
            raise _refusal(response)
        items = reversed(response.json()["items"])
        return [item["content"] for item in items if item["role"] == "user"]

    def start_anew(self) -> None:
        """Begin another conversation with the next question."""
        self._session_id = self._question_id = None

    async def forget(self) -> None:
        """Delete the conversation."""
        if self._session_id is not None:
            response = await self._send("DELETE", self._session_path)
            if not response.is_success:
                raise _refusal(response)
        self.start_anew()

    @property
    def _session_path(self) -> str:
        return f"/api/v1/sessions/{self._session_id}"

    async def _new_session(self) -> str:
        """Start it before its first question, so that a question stopped at once is not lost."""
        response = await self._send("POST", "/api/v1/sessions", json={"metadata": SESSION_METADATA})
        if not response.is_success:
            raise _refusal(response)
        session_id: str = response.json()["session_id"]
        return session_id

    async def _send(self, method: str, path: str, **more: Any) -> httpx.Response:  # noqa: ANN401  # httpx's own
        try:
            return await self._client.request(method, path, **more)
        except httpx.HTTPError as error:
            raise self._away(error) from None

    def _away(self, error: httpx.HTTPError) -> Unavailable:
        return Unavailable(
            f"{self._client.base_url} does not answer ({type(error).__name__}); "
            "is 'recollect serve' running there?"
        )


async def _events(response: httpx.Response) -> AsyncIterator[tuple[str, Mapping[str, Any]]]:
    """Server-sent events: their names and data."""
    event = ""
    async for line in response.aiter_lines():
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


def _refusal(response: httpx.Response) -> RecollectError:
    try:
        body = response.json()
        problem = f"{body['error']}: {body['detail']}"
    except (ValueError, LookupError, TypeError):
        problem = f"the server answered {response.status_code}"
    if response.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return Unauthenticated(f"{problem} (set MEMORY_SERVER_KEY)")
    return Unavailable(problem)
