"""One OpenAI-compatible endpoint: a hosted one, vLLM, Ollama, llama.cpp."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from copy import copy
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from http import HTTPStatus
from typing import Final, Self, TypeVar

from recollect.concurrency import off_loop
from recollect.errors import ConfigurationError, ModelUnavailable, ReplyUnusable
from recollect.http_client import AsyncCloseable, HttpClient, bearer_header, http_address
from recollect.http_client.responses import HttpFailure, HttpResponse, ReplyTooLarge
from recollect.models.endpoint.calls import ModelCall
from recollect.ports.models import EndpointReply
from recollect.ports.telemetry import UNMEASURED, Telemetry

MAX_RESPONSE_BYTES: Final = 4_000_000
_MAX_CONNECTIONS: Final = 100
_MAX_FORWARDED: Final = 1000
_LONGEST_PAUSE: Final = 30.0
_FORWARDED_HEADERS: Final = ("content-type", "retry-after", "retry-after-ms", "x-request-id")
_FORWARDED_PREFIXES: Final = ("openai-", "x-ratelimit-")
Read = TypeVar("Read")


def _client(
    base_url: str, *, settings: str, api_key: str | None, connections: int, silence: float | None
) -> HttpClient:
    """Connect to an endpoint; `settings` is the prefix of its settings, for errors."""
    setting = f"{settings}_BASE_URL"
    problem = f"{setting} must be an address such as http://127.0.0.1:11434/v1"
    key = bearer_header(api_key, f"{settings}_API_KEY")
    return HttpClient(
        http_address(base_url, problem),
        setting=setting,
        headers={"Content-Type": "application/json", **key},
        connections=connections,
        silence=silence,
    )


class RequestRefused(ModelUnavailable):
    """The endpoint does not take a request as it is: another one it may."""


class _TryAgain(Exception):
    """This attempt failed in a way that may pass."""

    def __init__(self, problem: str, *, after: float | None = None) -> None:
        super().__init__(problem)
        self.after = after


class Endpoint:
    """Posts JSON to one path of an endpoint; close it with `aclose`.

    A call is tried again when the endpoint cannot be reached, closes the connection, is busy
    (429) or fails (5xx), with growing pauses or after as long as the endpoint asks for, all
    within the call's time.
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
        self._client = _client(
            base_url,
            settings=settings,
            api_key=api_key,
            connections=_MAX_CONNECTIONS,
            silence=None,
        )
        self._path = path
        self._settings = settings
        self._attempts = max(1, attempts)
        self._first_pause = first_pause
        self._max_response_bytes = max_response_bytes

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def ask(self, body: bytes, read: Callable[[bytes], Read], *, within: float) -> Read:
        """Return what `read` makes of the response; `ModelUnavailable` if none comes in time.

        A large response is read in a thread: JSON of a megabyte takes ten milliseconds.
        """
        received = await self._within(within, partial(self._post, body))
        return await off_loop(partial(read, received), characters=len(received))

    async def stream(self, body: bytes, *, within: float) -> AsyncGenerator[str, None]:
        """The lines of a response as they arrive; the response must begin in time.

        Once it has begun nothing is tried again: `ModelUnavailable` if it breaks off. A response
        that is no stream but JSON is one line.
        """
        async with AsyncExitStack() as stack:
            response = await self._within(within, partial(self._open, stack, body))
            try:
                if "json" in response.headers.get("Content-Type", ""):
                    reply = await response.read(self._max_response_bytes)
                    yield reply.body.decode(errors="replace")
                    return
                async for line in response.lines(self._max_response_bytes):
                    yield line
            except HttpFailure as error:
                raise self.failure(f"stopped before its answer was complete ({error})") from None
            except ReplyTooLarge as error:
                raise self.unusable(str(error)) from None

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
            raise self.failure(f"gave no answer within {seconds:.3g} seconds") from None

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
        async with AsyncExitStack() as stack:
            response = await self._open(stack, body)
            try:
                return (await response.read(self._max_response_bytes)).body
            except HttpFailure as error:
                raise _TryAgain(f"could not be reached ({error})") from None
            except ReplyTooLarge as error:
                raise self.unusable(str(error)) from None

    async def _open(self, stack: AsyncExitStack, body: bytes) -> HttpResponse:
        """Send a request; the response is closed with the stack."""
        if self._client.is_closed:
            raise self.failure("was closed")
        try:
            response = await stack.enter_async_context(
                self._client.request("POST", self._path, body)
            )
        except HttpFailure as error:
            raise _TryAgain(f"could not be reached ({error})") from None
        self._check_status(response)
        return response

    def _check_status(self, response: HttpResponse) -> None:
        status = response.status
        if status == HTTPStatus.OK:
            return
        if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            after = _retry_after(response.headers)
            raise _TryAgain(f"answered with status {status}", after=after)
        advice: dict[int, str] = {
            HTTPStatus.UNAUTHORIZED: f"; check {self._settings}_API_KEY",
            HTTPStatus.FORBIDDEN: "; check what the API key may do",
            HTTPStatus.NOT_FOUND: "; check the base URL and the model's name",
        }
        problem = f"refused the request with status {status}{advice.get(status, '')}"
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise self.failure(problem)
        raise RequestRefused(f"the model {self.model} {problem}")

    def failure(self, problem: str) -> ModelUnavailable:
        """The error that says what the model did; never what it was asked."""
        return ModelUnavailable(f"the model {self.model} {problem}")

    def unusable(self, problem: str) -> ReplyUnusable:
        """The error that says what is wrong with what the model sent."""
        return ReplyUnusable(f"the model {self.model} {problem}")


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


class OpenAICompatibleEndpoint(AsyncCloseable):
    """Implements `recollect.ports.models.Completions`: passes requests on, byte by byte.

    Close it with `aclose`.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        silence: float,
        model: str | None = None,
        telemetry: Telemetry = UNMEASURED,
    ) -> None:
        """`silence`: seconds without a byte after which the endpoint counts as gone.

        `model` is the one that most calls are for.
        """
        self._model = model or ""
        self._telemetry = telemetry
        self._client = _client(
            base_url,
            settings="MEMORY_LLM",
            api_key=api_key,
            connections=_MAX_FORWARDED,
            silence=silence,
        )
        self._silence = silence

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    @asynccontextmanager
    async def complete(self, body: bytes) -> AsyncIterator[EndpointReply]:
        """Ask for a completion; see `Completions.complete`."""
        call = ModelCall("chat", self._model, self._telemetry)
        try:
            async with AsyncExitStack() as stack:
                with call.span.active():
                    sending = self._send("POST", "/chat/completions", body)
                    reply = await stack.enter_async_context(sending)
                call.replied(reply.status)
                yield reply
        except BaseException as error:
            call.end(error)
            raise
        call.end()

    def models(self) -> AbstractAsyncContextManager[EndpointReply]:
        """Ask which models there are; see `Completions.models`."""
        return self._send("GET", "/models", None)

    @asynccontextmanager
    async def _send(
        self, method: str, path: str, body: bytes | None
    ) -> AsyncIterator[EndpointReply]:
        async with AsyncExitStack() as stack:
            request = self._client.request(method, path, body, unpacks=False)
            try:
                # Silence counts from the end of the request; sending it may take as long.
                async with asyncio.timeout(2 * self._silence):
                    response = await stack.enter_async_context(request)
            except (HttpFailure, TimeoutError) as error:
                kind = "WriteTimeout" if isinstance(error, TimeoutError) else str(error)
                raise _unanswered(kind) from None
            yield EndpointReply(
                status=response.status,
                pieces=_pieces(response),
                headers=_forwarded_headers(response),
            )


def _forwarded_headers(response: HttpResponse) -> dict[str, str]:
    """The headers that mean something to the client."""
    headers: dict[str, str] = {}
    for name, value in response.raw_headers():
        if name in _FORWARDED_HEADERS or name.startswith(_FORWARDED_PREFIXES):
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


async def _pieces(response: HttpResponse) -> AsyncIterator[bytes]:
    try:
        async for piece in response.pieces():
            yield piece
    except HttpFailure as error:
        raise _unanswered(str(error)) from None


def _unanswered(kind: str) -> ModelUnavailable:
    return ModelUnavailable(f"the endpoint of the model does not answer ({kind})")
