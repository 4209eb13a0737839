"""Measuring calls of models, by OpenTelemetry's conventions for generative AI."""

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from time import perf_counter
from types import TracebackType
from typing import Final, Self

from recollect.errors import ModelUnavailable, ReplyUnusable
from recollect.http_client import json_bytes
from recollect.ports.metrics import MODEL_CALLS, MODEL_SECONDS, MODEL_TOKENS
from recollect.ports.models import Completion, Prompt
from recollect.ports.telemetry import Span, SpanKind, Telemetry

_PROVIDER: Final = "openai"
"""The protocol that is spoken; who is behind it nobody can tell."""


class ModelCall:
    """One call of a model."""

    def __init__(self, operation: str, model: str, telemetry: Telemetry) -> None:
        """`operation`: `chat` or `embeddings`; it ends with the block, or with `end`."""
        self._operation, self._telemetry = operation, telemetry
        self._began = perf_counter()
        self._is_ended = False
        self._refusal = ""
        name = f"{self._operation} {model}" if model else self._operation
        self.span: Span = self._telemetry.span(name, kind=SpanKind.CLIENT)
        self.span.set("gen_ai.operation.name", self._operation)
        self.span.set("gen_ai.provider.name", _PROVIDER)
        if model:
            self.span.set("gen_ai.request.model", model)

    def __enter__(self) -> Self:
        self.span.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._count(error)
        self.span.__exit__(kind, error, traceback)

    def end(self, error: BaseException | None = None) -> None:
        """End a call that no block surrounds."""
        self._count(error)
        self.span.end(error="" if error is None else type(error).__name__)

    def asked(self, messages: Sequence[Prompt]) -> None:
        """Tell what the model is asked, where content is traced."""
        if self._telemetry.traces_content:
            prompts = [
                {"role": str(one.role), "parts": [{"type": "text", "content": one.content}]}
                for one in messages
            ]
            self.span.set("gen_ai.input.messages", json_bytes(prompts).decode())

    def replied(self, status: int) -> None:
        """Tell the status of a reply that is passed on unread."""
        self.span.set("http.response.status_code", status)
        if status != HTTPStatus.OK:
            self._refusal = "unavailable"

    def answered(self, completion: Completion) -> None:
        """Tell what the model reports of its answer."""
        self.span.set("gen_ai.response.model", completion.model)
        for direction, used in (
            ("input", completion.input_tokens),
            ("output", completion.output_tokens),
        ):
            if used is not None:
                self.span.set(f"gen_ai.usage.{direction}_tokens", used)
                self._telemetry.count(MODEL_TOKENS, direction, by=used)
        if self._telemetry.traces_content:
            part = {"type": "text", "content": completion.text}
            answer = [{"role": "assistant", "parts": [part]}]
            self.span.set("gen_ai.output.messages", json_bytes(answer).decode())

    def _count(self, error: BaseException | None) -> None:
        if self._is_ended:
            return
        self._is_ended = True
        self._telemetry.count(MODEL_CALLS, self._operation, self._refusal or _outcome(error))
        self._telemetry.observe(MODEL_SECONDS, perf_counter() - self._began, self._operation)


def _outcome(error: BaseException | None) -> str:
    match error:
        case None:
            return "ok"
        case ReplyUnusable():
            return "unusable"
        case ModelUnavailable() | TimeoutError():
            return "unavailable"
        case asyncio.CancelledError() | GeneratorExit():
            return "cancelled"
        case _:
            return "error"
