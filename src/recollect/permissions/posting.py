"""Asking a permission service over HTTP."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, Self

import httpx
import orjson

from recollect.errors import ConfigurationError, PermissionsUnavailable

_MAX_ANSWER_BYTES: Final = 16_000_000
_ATTEMPTS: Final = 2  # a kept connection may have been closed meanwhile


class HttpService:
    """One service that is asked with JSON and answers with JSON; close it with `aclose`."""

    def __init__(self, *, name: str, time_limit: float, headers: Mapping[str, str]) -> None:
        self._name = name
        self._time_limit = time_limit
        self._client = httpx.AsyncClient(
            # Uncompressed, so that the limit on the answer's size is one on memory too.
            headers={"Accept-Encoding": "identity", "Accept": "application/json", **headers},
            timeout=httpx.Timeout(time_limit),
            follow_redirects=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections; the service is asked no more."""
        await self._client.aclose()

    async def post(
        self, url: httpx.URL, body: object, *, headers: Mapping[str, str] | None = None
    ) -> tuple[int, object]:
        """The status and, if that is 200, the answer; `PermissionsUnavailable` without any."""
        try:
            async with asyncio.timeout(self._time_limit):
                status, received = await self._sent(url, orjson.dumps(body), headers or {})
        except TimeoutError:
            raise self.failure(f"gave no answer within {self._time_limit:g} seconds") from None
        if status != HTTPStatus.OK:
            return status, None
        try:
            return status, orjson.loads(received)
        except ValueError:
            raise self.failure("sent something that is no JSON") from None

    async def _sent(
        self, url: httpx.URL, body: bytes, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        sent = {"Content-Type": "application/json", **headers}
        for attempts_left in reversed(range(_ATTEMPTS)):
            try:
                async with self._client.stream("POST", url, content=body, headers=sent) as answer:
                    return answer.status_code, await self._bounded(answer)
            except (httpx.TransportError, httpx.StreamError) as error:
                if not attempts_left:
                    # The error's own text may quote headers; its kind is enough to act on.
                    problem = f"could not be reached ({type(error).__name__})"
                    raise self.failure(problem) from None
        raise AssertionError  # pragma: no cover  # the last attempt returns or raises

    async def _bounded(self, answer: httpx.Response) -> bytes:
        received = bytearray()
        async for chunk in answer.aiter_raw():
            received += chunk
            if len(received) > _MAX_ANSWER_BYTES:
                raise self.failure(f"sent more than {_MAX_ANSWER_BYTES:,} bytes")
        return bytes(received)

    def failure(self, problem: str) -> PermissionsUnavailable:
        """The error that says what is wrong with the service."""
        return PermissionsUnavailable(f"{self._name} {problem}")


def service_url(address: str) -> httpx.URL:
    """An address as it is set, or an error that says how to write one."""
    try:
        url = httpx.URL(address.strip())
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo:
        raise ConfigurationError(
            "MEMORY_PERMISSIONS must have an address such as https://host/path, "
            "without a name and password in it"
        )
    return url
