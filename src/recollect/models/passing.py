"""Requests passed on to an OpenAI-compatible endpoint, byte by byte."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final, Self

import httpx

from recollect.errors import ModelUnavailable
from recollect.models.endpoint import endpoint_headers, endpoint_url
from recollect.ports.completions import EndpointReply

_SETTINGS: Final = "MEMORY_LLM"
_CONNECT_SECONDS: Final = 5.0
_MOST_CONNECTIONS: Final = 1000
_PASSED_ON: Final = ("content-type", "retry-after", "retry-after-ms", "x-request-id")
_PASSED_PREFIXES: Final = ("openai-", "x-ratelimit-")


class OpenAICompatibleEndpoint:
    """Implements `recollect.ports.completions.Completions`; close it with `aclose`."""

    def __init__(self, base_url: str, *, api_key: str | None = None, silence: float) -> None:
        """`silence`: so many seconds without a byte, and the endpoint counts as gone."""
        self._chat = endpoint_url(base_url, "/chat/completions", _SETTINGS)
        self._models = endpoint_url(base_url, "/models", _SETTINGS)
        self._client = httpx.AsyncClient(
            headers=endpoint_headers(api_key, _SETTINGS),
            timeout=httpx.Timeout(silence, connect=_CONNECT_SECONDS, pool=_CONNECT_SECONDS),
            # No cookies: what the endpoint gives one user must not go with another's request.
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
            limits=httpx.Limits(max_connections=_MOST_CONNECTIONS, max_keepalive_connections=100),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

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
        self, method: str, url: httpx.URL, body: bytes | None
    ) -> AsyncIterator[EndpointReply]:
        request = self._client.build_request(method, url, content=body)
        try:
            response = await self._client.send(request, stream=True)
        except httpx.TransportError as error:
            raise _unreachable(error) from None
        try:
            yield EndpointReply(
                status=response.status_code,
                pieces=_pieces(response),
                headers={
                    name: value
                    for name, value in response.headers.items()
                    if name in _PASSED_ON or name.startswith(_PASSED_PREFIXES)
                },
            )
        finally:
            await response.aclose()


async def _pieces(response: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for piece in response.aiter_raw():
            yield piece
    except (httpx.TransportError, httpx.StreamError) as error:
        raise _unreachable(error) from None


def _unreachable(error: Exception) -> ModelUnavailable:
    # The error's own text may quote headers; its kind is enough to act on.
    return ModelUnavailable(f"the endpoint of the model does not answer ({type(error).__name__})")
