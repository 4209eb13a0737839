"""Traces by OpenTelemetry, sent by OTLP over HTTP."""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import Token
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import NonRecordingSpan, SpanContext, Status, StatusCode, TraceFlags

from recollect.ports.telemetry import NO_SPAN, AttributeValue, Span, SpanKind, traceparent
from recollect.telemetry.logging import trace_id

EXPORT_SECONDS: Final = 5
"""How long one attempt to send may take."""
_KINDS: Final = {
    SpanKind.INTERNAL: trace.SpanKind.INTERNAL,
    SpanKind.SERVER: trace.SpanKind.SERVER,
    SpanKind.CLIENT: trace.SpanKind.CLIENT,
}
_TRACEPARENT: Final = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_LANGFUSE_PATH: Final = "/api/public/otel/v1/traces"


def parse_traceparent(text: str) -> SpanContext | None:
    """The context of another program by W3C's rules; None for what is no such text."""
    read = _TRACEPARENT.fullmatch(text.strip())
    if read is None or read[1] == "ff" or (read[1] == "00" and read[5]):
        return None
    parent = SpanContext(
        trace_id=int(read[2], 16),
        span_id=int(read[3], 16),
        is_remote=True,
        trace_flags=TraceFlags(int(read[4], 16) & TraceFlags.SAMPLED),
    )
    return parent if parent.is_valid else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanReceiver:
    """Where spans are sent."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    only_turns: bool = False
    """Whether requests and statements of the database are left out."""


def langfuse_receiver(url: str, *, public_key: str, secret_key: str) -> SpanReceiver:
    """Langfuse, which takes OTLP at a path of its own."""
    from base64 import b64encode  # noqa: PLC0415

    pair = b64encode(f"{public_key}:{secret_key}".encode()).decode()
    headers = {"Authorization": f"Basic {pair}", "x-langfuse-ingestion-version": "4"}
    return SpanReceiver(url=url.rstrip("/") + _LANGFUSE_PATH, headers=headers, only_turns=True)


class OtelTracer:
    """Makes spans and sends them, in batches and in a thread of its own."""

    def __init__(
        self,
        receivers: Sequence[SpanReceiver],
        *,
        resource: Mapping[str, str],
        sample: float = 1.0,
        traces_content: bool = False,
        timeout: float = EXPORT_SECONDS,
    ) -> None:
        sampler = ParentBased(TraceIdRatioBased(sample))
        self.traces_content = traces_content
        self._provider = TracerProvider(
            sampler=sampler, resource=Resource.create(dict(resource)), shutdown_on_exit=False
        )
        for receiver in receivers:
            exporter = OTLPSpanExporter(
                endpoint=receiver.url, headers=dict(receiver.headers), timeout=timeout
            )
            kind = _TurnSpanProcessor if receiver.only_turns else BatchSpanProcessor
            self._provider.add_span_processor(kind(exporter))
        self._tracer = self._provider.get_tracer("recollect")

    def span(self, name: str, kind: SpanKind, remote_parent: str = "") -> Span:
        """Begin a span of the current trace, or of that of another program."""
        current = trace.get_current_span().get_span_context()
        if not remote_parent and current.is_valid and not current.trace_flags.sampled:
            return NO_SPAN  # of a trace that is not sent; to make one takes 20 µs
        context = None
        remote = parse_traceparent(remote_parent) if remote_parent else None
        if remote is not None:
            context = trace.set_span_in_context(NonRecordingSpan(remote))
        return OtelSpan(self._tracer.start_span(str(name), context, _KINDS[kind]))

    def close(self) -> None:
        """Send what waits, for some seconds at most."""
        self._provider.shutdown()


class _TurnSpanProcessor(BatchSpanProcessor):
    """Leaves out requests and statements: those who look at answers do not look for them."""

    def on_end(self, span: ReadableSpan) -> None:
        is_request = span.kind is trace.SpanKind.SERVER
        if not is_request and "db.system.name" not in (span.attributes or {}):
            super().on_end(span)


class OtelSpan:
    """Implements `recollect.ports.telemetry.Span`."""

    __slots__ = ("_active", "_is_ended", "_span", "_trace_id", "_traceparent")
    _active: "_Active"

    def __init__(self, span: trace.Span) -> None:
        self._span = span
        self._is_ended = False
        context = span.get_span_context()
        self._trace_id = f"{context.trace_id:032x}"
        self._traceparent = f"00-{self._trace_id}-{context.span_id:016x}-{context.trace_flags:02x}"

    @property
    def trace_id(self) -> str:
        """The trace it belongs to, in 32 hexadecimal digits."""
        return self._trace_id

    def __enter__(self) -> Self:
        self._active = _Active(self)
        self._active.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._active.__exit__(kind, error, traceback)
        self.end(error="" if kind is None else kind.__name__)

    def active(self) -> AbstractContextManager[object]:
        """Make it the parent of what begins in the block."""
        return _Active(self)

    def set(self, name: str, value: AttributeValue) -> None:
        """Set an attribute."""
        self._span.set_attribute(name, str(value) if isinstance(value, str) else value)

    def rename(self, name: str) -> None:
        """Give it another name, once that is known."""
        self._span.update_name(name)

    def end(self, *, error: str = "") -> None:
        """End it; only the first call counts."""
        if self._is_ended:
            return
        self._is_ended = True
        if error:
            self._span.set_attribute("error.type", error)
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()


class _Active:
    """Makes a span the current one of OpenTelemetry, of log lines and of requests to others."""

    __slots__ = ("_span", "_tokens")
    _tokens: "tuple[Token[otel_context.Context], Token[str], Token[str]]"

    def __init__(self, span: OtelSpan) -> None:
        self._span = span

    def __enter__(self) -> Self:
        span = self._span
        current = trace.set_span_in_context(span._span)  # noqa: SLF001  # both are one thing
        self._tokens = (
            otel_context.attach(current),
            traceparent.set(span._traceparent),  # noqa: SLF001
            trace_id.set(span.trace_id),
        )
        return self

    def __exit__(self, *_: object) -> None:
        current, parent, identifier = self._tokens
        trace_id.reset(identifier)
        traceparent.reset(parent)
        otel_context.detach(current)
