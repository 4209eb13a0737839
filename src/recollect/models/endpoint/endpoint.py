"""One address of an OpenAI-compatible endpoint: a hosted one, vLLM, Ollama, llama.cpp."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from copy import copy
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from http import HTTPStatus
from typing import Final, Self, TypeVar

import aiohttp
import orjson

from recollect.errors import ConfigurationError, ModelUnavailable, ReplyUnusable
from recollect.models.endpoint.connections import HttpConnections, trouble

MAX_RESPONSE_BYTES: Final = 4_000_000
_MOST_CONNECTIONS: Final = 100
_LONGEST_PAUSE: Final = 30.0
Read = TypeVar("Read")


class Lines:
    r"""Cuts at `\n`, `\r\n` and `\r`, and nowhere else; a line may be as long as it likes.

    Not at what else Unicode calls a line's end: a model may well say such a character.
    """

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def of(self, piece: bytes) -> list[str]:
        """The lines that this piece completes."""
        self._begun.append(piece)
        if b"\n" not in piece and b"\r" not in piece and not self._may_have_ended():
            return []
        lines = b"".join(self._begun).splitlines(keepends=True)
        # A `\r` at the end may be half of a line's end.
        self._begun = [] if lines[-1].endswith(b"\n") else [lines.pop()]
        return [_text(line) for line in lines]

    def rest(self) -> list[str]:
        """The line that nothing ended, if there is one."""
        return [_text(line) for line in b"".join(self._begun).splitlines()]

    def _may_have_ended(self) -> bool:
        return len(self._begun) > 1 and self._begun[-2].endswith(b"\r")


def _text(line: bytes) -> str:
    return line.rstrip(b"\r\n").decode(errors="replace")


class _TryAgain(Exception):
    """This attempt failed in a way that may pass."""

    def __init__(self, problem: str, *, after: float | None = None) -> None:
        super().__init__(problem)
        self.after = after


class Endpoint:
    """Posts JSON to one path, with one pool of connections; close it with `aclose`.

    A call is tried again when the endpoint cannot be reached, hangs up, is busy (429) or fails
    (5xx), with growing pauses or after as long as the endpoint asks, all within the call's time.
    """

    def __init__(
        self,
        base_url: str,
        path: str,
        *,
        model: str,
        settings: str,
        api_key: str | None = None,
        attempts: int = 3,
        first_pause: float = 0.5,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self.model = _check_model(model, settings)
        self._connections = HttpConnections(base_url, settings=settings, api_key=api_key)
        self._url = self._connections.url(path)
        # Not a limit of the connections': whoever waits for one has all the call's time.
        self._slots = asyncio.Semaphore(_MOST_CONNECTIONS)
        self._settings = settings
        self._attempts = max(1, attempts)
        self._first_pause = first_pause
        self._max_response_bytes = max_response_bytes

    async def aclose(self) -> None:
        """Close the connections; the endpoint is asked no more."""
        await self._connections.aclose()

    async def ask(self, body: bytes, read: Callable[[bytes], Read], *, within: float) -> Read:
        """What `read` makes of the response; `ModelUnavailable` if there is none in that time."""
        return read(await self._within(within, partial(self._post, body)))

    async def stream(self, body: bytes, *, within: float) -> AsyncGenerator[str, None]:
        """The lines of a response as they come; the first must come in that time.

        Once a line has come nothing is tried again: `ModelUnavailable` if the endpoint hangs up.
        A response that is no stream but JSON is one line.
        """
        async with AsyncExitStack() as stack:
            response = await self._within(within, partial(self._open, stack, body))
            try:
                if "json" in response.headers.get("Content-Type", ""):
                    yield (await self._bounded(response)).decode(errors="replace")
                    return
                async for line in self._lines(response):
                    yield line
            except aiohttp.ClientError as error:
                problem = f"stopped before its answer was complete ({trouble(error)})"
                raise self.failure(problem) from None

    def named(self, model: str) -> Self:
        """The same endpoint for another of its models, through the same connections."""
        twin = copy(self)
        twin.model = _check_model(model, self._settings)
        return twin

    async def _within(self, seconds: float, work: Callable[[], Awaitable[Read]]) -> Read:
        deadline = asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout_at(deadline):
                return await self._retried(work, deadline)
        except TimeoutError:
            raise self.failure(f"gave no answer within {seconds:g} seconds") from None

    async def _retried(self, work: Callable[[], Awaitable[Read]], deadline: float) -> Read:
        pause = self._first_pause
        for attempts_left in reversed(range(self._attempts)):
            try:
                return await work()
            except _TryAgain as failed:
                wait = pause if failed.after is None else failed.after
                ends = asyncio.get_running_loop().time() + wait
                if not attempts_left or ends >= deadline:
                    raise self.failure(str(failed)) from failed
            await asyncio.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)
        raise AssertionError  # pragma: no cover  # the last attempt returns or raises

    async def _post(self, body: bytes) -> bytes:
        async with self._response(body) as response:
            try:
                return await self._bounded(response)
            except aiohttp.ClientError as error:
                raise _unreached(error) from None

    async def _open(self, stack: AsyncExitStack, body: bytes) -> aiohttp.ClientResponse:
        return await stack.enter_async_context(self._response(body, unpacks=True))

    @asynccontextmanager
    async def _response(
        self, body: bytes, *, unpacks: bool = False
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        async with self._slots:
            if self._connections.is_closed:
                raise self.failure("was closed")
            try:
                response = await self._connections.send("POST", self._url, body, unpacks=unpacks)
            except aiohttp.ClientError as error:
                raise _unreached(error) from None
            try:
                self._check_status(response)
                yield response
            finally:
                response.close()

    def _check_status(self, response: aiohttp.ClientResponse) -> None:
        status = response.status
        if status == HTTPStatus.OK:
            return
        if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            after = _retry_after(response.headers)
            raise _TryAgain(f"answered with status {status}", after=after)
        raise self.failure(f"refused the request with status {status}{self._advice(status)}")

    def _advice(self, status: int) -> str:
        match status:
            case HTTPStatus.UNAUTHORIZED:
                return f"; check {self._settings}_API_KEY"
            case HTTPStatus.FORBIDDEN:
                return "; check what the API key may do"
            case HTTPStatus.NOT_FOUND:
                return "; check the base URL and the model's name"
            case _:
                return ""

    async def _bounded(self, response: aiohttp.ClientResponse) -> bytes:
        return b"".join([piece async for piece in self._pieces(response)])

    async def _lines(self, response: aiohttp.ClientResponse) -> AsyncIterator[str]:
        lines = Lines()
        async for piece in self._pieces(response):
            for line in lines.of(piece):
                yield line
        for line in lines.rest():
            yield line

    async def _pieces(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        received = 0
        while piece := await response.content.readany():
            received += len(piece)
            self._check_size(received)
            yield piece

    def _check_size(self, size: int) -> None:
        limit = self._max_response_bytes
        if size > limit:
            raise self.unusable(f"sent more than {limit:,} bytes")

    def failure(self, problem: str) -> ModelUnavailable:
        """The error that says what the model did; never what it was asked."""
        return ModelUnavailable(f"the model {self.model} {problem}")

    def unusable(self, problem: str) -> ReplyUnusable:
        """The error that says what is wrong with what the model sent."""
        return ReplyUnusable(f"the model {self.model} {problem}")


def json_bytes(body: Mapping[str, object]) -> bytes:
    """The body of a request, whatever its texts hold."""
    try:
        return orjson.dumps(body)
    except TypeError:  # half of a pair of surrogates, which only the standard library escapes
        return json.dumps(body).encode()


def _unreached(error: aiohttp.ClientError) -> _TryAgain:
    return _TryAgain(f"could not be reached ({trouble(error)})")


def _check_model(model: str, settings: str) -> str:
    if not model.strip():
        raise ConfigurationError(f"{settings}_MODEL must name a model")
    return model.strip()


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds an endpoint asks to wait, given as a number or as a date."""
    given = headers.get("Retry-After", "").strip()
    if given.isdecimal():
        return float(given)
    try:
        moment = parsedate_to_datetime(given)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
