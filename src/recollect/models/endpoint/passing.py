"""Requests passed on to an OpenAI-compatible endpoint, byte by byte."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Self

import aiohttp
from yarl import URL

from recollect.errors import ModelUnavailable
from recollect.models.endpoint.connections import HttpConnections, trouble
from recollect.ports.models import EndpointReply

_MOST_CONNECTIONS: Final = 1000
_PASSED_ON: Final = ("content-type", "retry-after", "retry-after-ms", "x-request-id")
_PASSED_PREFIXES: Final = ("openai-", "x-ratelimit-")


class OpenAICompatibleEndpoint:
    """Implements `recollect.ports.models.Completions`; close it with `aclose`."""

    def __init__(self, base_url: str, *, api_key: str | None = None, silence: float) -> None:
        """`silence`: so many seconds without a byte, and the endpoint counts as gone."""
        self._connections = HttpConnections(
            base_url,
            settings="MEMORY_LLM",
            api_key=api_key,
            limit=_MOST_CONNECTIONS,
            silence=silence,
        )
        self._chat = self._connections.url("/chat/completions")
        self._models = self._connections.url("/models")
        self._silence = silence

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connections.aclose()

    @asynccontextmanager
    async def complete(self, body: bytes) -> AsyncIterator[EndpointReply]:
        """Ask for a completion; see `Completions.complete`."""
        async with self._send("POST", self._chat, body) as reply:
            yield reply

    @asynccontextmanager
    async def models(self) -> AsyncIterator[EndpointReply]:
        """Ask which models there are; see `Completions.models`."""
        async with self._send("GET", self._models, None) as reply:
            yield reply

    @asynccontextmanager
    async def _send(
        self, method: str, url: URL, body: bytes | None
    ) -> AsyncIterator[EndpointReply]:
        try:
            # Silence is counted from the request's end on; sending it may take as long.
            async with asyncio.timeout(2 * self._silence):
                response = await self._connections.send(method, url, body)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _unreachable(error) from None
        try:
            yield EndpointReply(
                status=response.status, pieces=_pieces(response), headers=_passed_on(response)
            )
        finally:
            response.close()


def _passed_on(response: aiohttp.ClientResponse) -> dict[str, str]:
    """The headers that mean something to the client, byte by byte."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in response.raw_headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name in _PASSED_ON or name.startswith(_PASSED_PREFIXES):
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


async def _pieces(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    try:
        while piece := await response.content.readany():
            yield piece
    except aiohttp.ClientError as error:
        raise _unreachable(error) from None


def _unreachable(error: Exception) -> ModelUnavailable:
    return ModelUnavailable(f"the endpoint of the model does not answer ({trouble(error)})")
