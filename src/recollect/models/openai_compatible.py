"""Any chat model behind an OpenAI-compatible endpoint: a hosted one, vLLM, Ollama, llama.cpp."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final, Self

import httpx
import orjson

from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.ports.models import Prompt

MAX_RESPONSE_BYTES: Final = 4_000_000
_CONNECT_SECONDS: Final = 5.0
_LONGEST_PAUSE: Final = 30.0
_THOUGHTS: Final = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_END_OF_THOUGHTS: Final = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)
# OpenAI's own reasoning models refuse `max_tokens` and any temperature but their own.
_OPENAI_REASONING: Final = re.compile(r"(?:openai/)?(?:o\d|gpt-5)(?:[-.]|$)")
_ADVICE: Final = {
    HTTPStatus.UNAUTHORIZED: "; check MEMORY_LLM_API_KEY",
    HTTPStatus.FORBIDDEN: "; check what the API key may do",
    HTTPStatus.NOT_FOUND: "; check the base URL and the model's name",
}


class _TryAgain(Exception):
    """This attempt failed in a way that may pass."""

    def __init__(self, problem: str, *, after: float | None = None) -> None:
        super().__init__(problem)
        self.after = after


class OpenAICompatibleChat:
    """A `ChatModel` over HTTP, with one pool of connections; close it with `aclose`.

    A call is tried again when the endpoint cannot be reached, hangs up, is busy (429) or fails
    (5xx), with growing pauses or after as long as the endpoint asks, all within the call's time.
    """

    def __init__(
        self,
        base_url: str,
        *,
        model: str,
        api_key: str | None = None,
        attempts: int = 3,
        first_pause: float = 0.5,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self._url = _chat_url(base_url)
        self._model = _check_model(model)
        self._attempts = max(1, attempts)
        self._first_pause = first_pause
        self._max_response_bytes = max_response_bytes
        self._client = httpx.AsyncClient(
            headers=_headers(api_key),
            timeout=httpx.Timeout(None, connect=_CONNECT_SECONDS),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections; the model answers no more."""
        await self._client.aclose()

    async def complete(
        self,
        messages: Sequence[Prompt],
        *,
        max_tokens: int,
        timeout: float,  # noqa: ASYNC109  # the port says it: retries need to know what is left
    ) -> str:
        """The model's answer without its thoughts; see `ChatModel.complete`."""
        if self._client.is_closed:
            raise self._failure("was closed")
        body = self._body(messages, max_tokens)
        deadline = asyncio.get_running_loop().time() + timeout
        try:
            async with asyncio.timeout_at(deadline):
                return await self._answer(body, deadline)
        except TimeoutError:
            raise self._failure(f"gave no answer within {timeout:g} seconds") from None

    async def _answer(self, body: bytes, deadline: float) -> str:
        pause = self._first_pause
        for attempts_left in reversed(range(self._attempts)):
            try:
                return self._read(await self._post(body))
            except _TryAgain as failed:
                wait = pause if failed.after is None else failed.after
                ends = asyncio.get_running_loop().time() + wait
                if not attempts_left or ends >= deadline:
                    raise self._failure(str(failed)) from failed
            await asyncio.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)
        raise AssertionError  # pragma: no cover  # the last attempt returns or raises

    async def _post(self, body: bytes) -> bytes:
        try:
            async with self._client.stream("POST", self._url, content=body) as response:
                self._check_status(response)
                return await self._bounded(response)
        except (httpx.TransportError, httpx.StreamError) as error:
            # The error's own text may quote headers; its kind is enough to act on.
            raise _TryAgain(f"could not be reached ({type(error).__name__})") from None

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == HTTPStatus.OK:
            return
        if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            after = _retry_after(response.headers)
            raise _TryAgain(f"answered with status {status}", after=after)
        advice = next((text for code, text in _ADVICE.items() if code == status), "")
        raise self._failure(f"refused the request with status {status}{advice}")

    async def _bounded(self, response: httpx.Response) -> bytes:
        received = bytearray()
        async for chunk in response.aiter_raw():
            received += chunk
            if len(received) > self._max_response_bytes:
                limit = self._max_response_bytes
                raise self._failure(f"sent more than {limit:,} bytes")
        return bytes(received)

    def _read(self, received: bytes) -> str:
        try:
            content = _content(orjson.loads(received))
        except (ValueError, TypeError, LookupError):
            raise self._failure("sent something that is no chat completion") from None
        answer = _without_thoughts(content)
        if not answer:
            raise self._failure("answered with nothing")
        return answer

    def _body(self, messages: Sequence[Prompt], max_tokens: int) -> bytes:
        spoken = [{"role": prompt.role, "content": prompt.content} for prompt in messages]
        body: dict[str, object] = {"model": self._model, "messages": spoken, "stream": False}
        if _OPENAI_REASONING.match(self._model):
            body["max_completion_tokens"] = max_tokens
        else:
            body |= {"max_tokens": max_tokens, "temperature": 0}
        return json.dumps(body).encode()

    def _failure(self, problem: str) -> ModelUnavailable:
        return ModelUnavailable(f"the model {self._model} {problem}")


def _chat_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url.strip().rstrip("/") + "/chat/completions")
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigurationError(
            "MEMORY_LLM_BASE_URL must be an address such as http://127.0.0.1:11434/v1"
        )
    return url


def _check_model(model: str) -> str:
    if not model.strip():
        raise ConfigurationError("MEMORY_LLM_MODEL must name a model")
    return model.strip()


def _headers(api_key: str | None) -> dict[str, str]:
    # Uncompressed, so that the limit on the answer's size is one on memory too.
    headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
    key = (api_key or "").strip()
    if not (key.isascii() and all("!" <= character <= "~" for character in key)):
        raise ConfigurationError("MEMORY_LLM_API_KEY has characters that no API key has")
    return headers | ({"Authorization": f"Bearer {key}"} if key else {})


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


def _content(completion: object) -> str:
    match completion:
        case {"choices": [{"message": {"content": str() as content}}, *_]}:
            return content
        case {"choices": [{"message": {"content": None}}, *_]}:
            return ""
        case {"choices": [{"message": {"content": [*parts]}}, *_]}:
            return "".join(part["text"] for part in parts if part["type"] == "text")
    raise ValueError


def _without_thoughts(content: str) -> str:
    """What a reasoning model says after thinking; some leave out the opening tag."""
    return _END_OF_THOUGHTS.sub("", _THOUGHTS.sub("", content)).strip()
