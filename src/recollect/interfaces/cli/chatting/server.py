"""Talking to a running server, over HTTP."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from recollect.errors import (
    ConfigurationError,
    RecollectError,
    SessionNotFound,
    Unauthenticated,
    Unavailable,
)
from recollect.interfaces.cli.chatting.partner import Told

_SESSION: Final = "X-Session-ID"
_ASKED_BEFORE: Final = 200
# A model may think for long before its first word; that is the server's to limit.
_TIMEOUT: Final = httpx.Timeout(None, connect=10.0)


@asynccontextmanager
async def server_at(
    address: str, *, key: str | None, session_id: str | None
) -> AsyncIterator["ServerPartner"]:
    """A partner on a server, its connections closed at the end."""
    headers = {"User-Agent": "recollect-cli"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    async with httpx.AsyncClient(
        base_url=_checked(address), headers=headers, timeout=_TIMEOUT
    ) as client:
        yield ServerPartner(client, session_id=session_id)


def _checked(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigurationError(
            "--server must be an address such as http://127.0.0.1:8080 (or MEMORY_SERVER_URL)"
        )
    return address


class ServerPartner:
    """Asks over POST /chat; the session's id lives in this process alone."""

    def __init__(self, client: httpx.AsyncClient, *, session_id: str | None) -> None:
        self._client = client
        self._session_id = session_id

    async def ask(self, question: str) -> AsyncGenerator[str | Told, None]:
        """The answer in pieces as the server sends them."""
        headers = {_SESSION: self._session_id} if self._session_id else {}
        body = {"query": question, "stream": True}
        try:
            async with self._client.stream("POST", "/chat", json=body, headers=headers) as response:
                if response.status_code != HTTPStatus.OK:
                    await response.aread()
                    raise _refusal(response)
                self._session_id = response.headers.get(_SESSION, self._session_id)
                async for event, data in _events(response):
                    yield _piece(event, data)
        except httpx.HTTPError as error:
            raise Unavailable(
                f"{self._client.base_url} does not answer ({type(error).__name__}); "
                "is 'recollect serve' running there?"
            ) from None

    async def asked_before(self) -> Sequence[str]:
        """The questions of the conversation that is resumed."""
        if self._session_id is None:
            return ()
        path = f"/api/v1/sessions/{self._session_id}/messages"
        response = await self._client.get(path, params={"limit": _ASKED_BEFORE})
        if response.status_code == HTTPStatus.NOT_FOUND:
            raise SessionNotFound(self._session_id)
        if response.status_code != HTTPStatus.OK:
            raise _refusal(response)
        items = reversed(response.json()["items"])
        return [item["content"] for item in items if item["role"] == "user"]

    def start_anew(self) -> None:
        """Begin another conversation with the next question."""
        self._session_id = None


async def _events(response: httpx.Response) -> AsyncIterator[tuple[str, Mapping[str, Any]]]:
    """Server-sent events: their names and data."""
    event = ""
    async for line in response.aiter_lines():
        name, _, value = line.partition(": ")
        if name == "event":
            event = value
        elif name == "data":
            yield event, json.loads(value)


def _piece(event: str, data: Mapping[str, Any]) -> str | Told:
    match event:
        case "answer":
            return Told.of(data)
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
