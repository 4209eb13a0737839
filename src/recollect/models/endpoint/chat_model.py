"""Any chat model behind an OpenAI-compatible endpoint: a hosted one, vLLM, Ollama, llama.cpp."""

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from copy import copy
from functools import partial
from time import monotonic
from typing import Final, Self

from recollect.concurrency import off_loop
from recollect.domain.chat.replies import AnswerReader
from recollect.domain.chat.writing import shaped
from recollect.domain.model_names import ChatTemplate
from recollect.http_client import AsyncCloseable, json_bytes
from recollect.models.endpoint.calls import ModelCall
from recollect.models.endpoint.endpoint import MAX_RESPONSE_BYTES, Endpoint, RequestRefused
from recollect.ports.models import Completion, JsonSchema, Prompt, Sampling
from recollect.ports.telemetry import UNMEASURED, Telemetry

_THOUGHTS: Final = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_END_OF_THOUGHTS: Final = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)
_OPENING: Final = ("<think>", "<thinking>")
_CLOSING: Final = re.compile(r"</think(?:ing)?>")
_LONGEST_CLOSING: Final = len("</thinking>")
_NO_COMPLETION: Final = "sent something that is no chat completion"
# OpenAI's own reasoning models refuse `max_tokens` and any temperature but their own.
_OPENAI_REASONING: Final = re.compile(r"(?:openai/)?(?:o\d|gpt-5)(?:[-.]|$)")


def without_thoughts(content: str) -> str:
    """Return the text after a model's reasoning; some leave out the opening tag."""
    return _END_OF_THOUGHTS.sub("", _THOUGHTS.sub("", content)).strip()


class ThoughtFilter:
    """Leaves out the reasoning at the start of an answer that arrives in pieces."""

    def __init__(self) -> None:
        self._held = ""
        self._has_begun = False
        self._handle: Callable[[], str] = self._before

    def shown(self, piece: str) -> str:
        """Add a piece and return what can be shown now; the start of a tag waits for its end."""
        self._held += piece
        return self._handle()

    def _before(self) -> str:
        start = self._held.lstrip()
        if not start or any(tag.startswith(start) for tag in _OPENING if tag != start):
            return ""
        self._handle = self._thinking if start.startswith(_OPENING) else self._after
        return self._handle()

    def _thinking(self) -> str:
        end = _CLOSING.search(self._held)
        if end is None:
            self._held = self._held[-_LONGEST_CLOSING:]
            return ""
        self._held = self._held[end.end() :]
        self._handle = self._after
        return self._after()

    def _after(self) -> str:
        text, self._held = self._held if self._has_begun else self._held.lstrip(), ""
        self._has_begun |= bool(text)
        return text


class OpenAICompatibleChat(AsyncCloseable):
    """A `ChatModel` and `AnsweringModel` over HTTP; see `Endpoint` for retries.

    Close it with `aclose`.
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
        template: ChatTemplate = ChatTemplate.AUTO,
        telemetry: Telemetry = UNMEASURED,
    ) -> None:
        self._telemetry = telemetry
        self._template = template
        self._without_schemas: set[str] = set()
        self._endpoint = Endpoint(
            base_url,
            "/chat/completions",
            model=model,
            settings="MEMORY_LLM",
            api_key=api_key,
            attempts=attempts,
            first_pause=first_pause,
            max_response_bytes=max_response_bytes,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    def named(self, model: str) -> Self:
        """Another model of the same endpoint, through the same connections."""
        twin = copy(self)
        twin._endpoint = self._endpoint.named(model)  # noqa: SLF001  # it is one of us
        return twin

    async def complete(
        self,
        messages: Sequence[Prompt],
        *,
        max_tokens: int,
        timeout: float,  # noqa: ASYNC109  # the port says it: retries need to know what is left
        schema: JsonSchema | None = None,
    ) -> str:
        """The model's answer without its reasoning; see `ChatModel.complete`.

        An endpoint that refuses a schema is asked again without, in the time that is left; if it
        answers, from then on.
        """
        began = monotonic()
        sampling = Sampling(max_tokens=max_tokens, temperature=0)
        if schema is None or self._endpoint.model in self._without_schemas:
            return (await self.reply(messages, sampling, timeout=timeout)).text
        try:
            return (await self._reply(messages, sampling, timeout, schema)).text
        except RequestRefused:
            left = max(0.0, timeout - (monotonic() - began))
            answer = (await self.reply(messages, sampling, timeout=left)).text
            self._without_schemas.add(self._endpoint.model)
            return answer

    async def reply(
        self,
        messages: Sequence[Prompt],
        sampling: Sampling,
        *,
        timeout: float,  # noqa: ASYNC109  # as above
    ) -> Completion:
        """The whole answer; see `AnsweringModel.reply`."""
        return await self._reply(messages, sampling, timeout)

    async def _reply(
        self,
        messages: Sequence[Prompt],
        sampling: Sampling,
        seconds: float,
        schema: JsonSchema | None = None,
    ) -> Completion:
        body = self._body(messages, sampling, is_streamed=False, schema=schema)
        with ModelCall("chat", self._endpoint.model, self._telemetry) as call:
            call.asked(messages)
            completion = await self._endpoint.ask(body, self._read, within=seconds)
            call.answered(completion)
        return completion

    async def stream(
        self,
        messages: Sequence[Prompt],
        sampling: Sampling,
        *,
        timeout: float,  # noqa: ASYNC109  # as above
    ) -> AsyncGenerator[str | Completion, None]:
        """The answer in pieces, and the whole; see `AnsweringModel.stream`."""
        call = ModelCall("chat", self._endpoint.model, self._telemetry)
        call.asked(messages)
        body = self._body(messages, sampling, is_streamed=True)
        try:
            async with aclosing(self._pieces(call, body, timeout)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        call.answered(piece)
                        call.end()
                    yield piece
        except BaseException as error:
            call.end(error)
            raise

    async def _pieces(
        self, call: ModelCall, body: bytes, seconds: float
    ) -> AsyncGenerator[str | Completion, None]:
        reader, thoughts = AnswerReader(is_stream=True), ThoughtFilter()
        async with aclosing(self._lines(call, body, seconds)) as lines:
            async for line in lines:
                if line.startswith("{"):  # the endpoint does not stream
                    received = line.encode()
                    completion = await off_loop(
                        partial(self._read, received), characters=len(received)
                    )
                    yield completion.text
                    yield completion
                    return
                known = len(reader.texts)
                reader.feed(f"{line}\n".encode())
                if reader.has_failed:
                    raise self._endpoint.unusable(_NO_COMPLETION)
                if piece := thoughts.shown("".join(reader.texts[known:])):
                    yield piece
        if not reader.is_finished:
            raise self._endpoint.failure("stopped before its answer was complete")
        yield self._completion(reader)

    async def _lines(
        self, call: ModelCall, body: bytes, seconds: float
    ) -> AsyncGenerator[str, None]:
        """The lines of the endpoint's reply, each waited for in the trace of the call."""
        async with aclosing(self._endpoint.stream(body, within=seconds)) as lines:
            while True:
                with call.span.active():
                    line = await anext(lines, None)
                if line is None:
                    return
                yield line

    def _read(self, received: bytes) -> Completion:
        reader = AnswerReader(is_stream=False)
        reader.feed(received)
        reader.close()
        if reader.has_failed or not reader.is_finished:
            raise self._endpoint.unusable(_NO_COMPLETION)
        return self._completion(reader)

    def _completion(self, reader: AnswerReader) -> Completion:
        text = without_thoughts(reader.content)
        if not text:
            raise self._endpoint.failure("answered with nothing")
        model = reader.model or self._endpoint.model
        return Completion(
            text=text,
            model=model,
            tokens=reader.tokens,
            input_tokens=reader.input_tokens,
            output_tokens=reader.output_tokens,
        )

    def _body(
        self,
        messages: Sequence[Prompt],
        sampling: Sampling,
        *,
        is_streamed: bool,
        schema: JsonSchema | None = None,
    ) -> bytes:
        model = self._endpoint.model
        prompts = [{"role": prompt.role, "content": prompt.content} for prompt in messages]
        body: dict[str, object] = {
            "model": model,
            "messages": shaped(prompts, self._template.of(model)),
            "stream": is_streamed,
        }
        is_reasoning = _OPENAI_REASONING.match(model)
        if sampling.max_tokens is not None:
            body["max_completion_tokens" if is_reasoning else "max_tokens"] = sampling.max_tokens
        if sampling.temperature is not None and not is_reasoning:
            body["temperature"] = sampling.temperature
        if schema is not None:
            described = {"name": schema.name, "schema": schema.definition, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        return json_bytes(body)
