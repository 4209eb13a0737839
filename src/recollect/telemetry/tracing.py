"""Traces by the rules of OpenTelemetry: what is current, what is sampled, and what is recorded.

Recorded without OpenTelemetry's SDK, whose spans take twenty times as long. See
docs/decisions/0052-spans-of-our-own.md.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Token
from dataclasses import dataclass, field
from random import getrandbits
from time import time_ns
from types import TracebackType
from typing import Final, NamedTuple, Protocol, Self, TypeAlias

from opentelemetry import trace

from recollect.ports.telemetry import NO_SPAN, AttributeValue, Span, SpanKind, traceparent
from recollect.telemetry.logging import trace_id

_TRACEPARENT: Final = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_SAMPLED: Final = 1
_UNSAMPLED: Final = "-00"
_LOW_BITS: Final = 2**64
_LANGFUSE_PATH: Final = "/api/public/otel/v1/traces"


class TraceContext(NamedTuple):
    """A span that others belong to."""

    trace_id: str
    """32 hexadecimal digits."""
    span_id: str
    """16 hexadecimal digits."""
    is_sampled: bool
    is_remote: bool = False
    """Whether another program has begun it."""


def parse_traceparent(text: str) -> TraceContext | None:
    """The context of another program by W3C's rules; None for what is no such text."""
    read = _TRACEPARENT.fullmatch(text.strip())
    if read is None or read[1] == "ff" or (read[1] == "00" and read[5]):
        return None
    if not (int(read[2], 16) and int(read[3], 16)):
        return None
    is_sampled = bool(int(read[4], 16) & _SAMPLED)
    return TraceContext(read[2], read[3], is_sampled, is_remote=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanReceiver:
    """Where spans are sent."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    only_turns: bool = False
    """Whether requests and statements of the database are left out."""
    setting: str = "MEMORY_OTLP_ENDPOINT"
    """What names the address in errors."""


def langfuse_receiver(url: str, *, public_key: str, secret_key: str) -> SpanReceiver:
    """Langfuse, which takes OTLP at a path of its own."""
    from base64 import b64encode  # noqa: PLC0415

    pair = b64encode(f"{public_key}:{secret_key}".encode()).decode()
    return SpanReceiver(
        url=url.rstrip("/") + _LANGFUSE_PATH,
        headers={"Authorization": f"Basic {pair}", "x-langfuse-ingestion-version": "4"},
        only_turns=True,
        setting="MEMORY_LANGFUSE_URL",
    )


class SpanSink(Protocol):
    """Takes spans that have ended."""

    def add(self, span: "RecordedSpan") -> None:
        """Take one; at once, from any thread."""

    def close(self) -> None:
        """Send what waits, for some seconds at most."""


class SpanTracer:
    """Makes spans, and hands over those that are sampled when they end."""

    def __init__(
        self, sinks: Sequence[SpanSink], *, sample: float = 1.0, traces_content: bool = False
    ) -> None:
        self.traces_content = traces_content
        self._sinks = tuple(sinks)
        self._sampled_below = round(sample * _LOW_BITS)

    def span(self, name: str, kind: SpanKind, remote_parent: str = "") -> Span:
        """Begin a span of the current trace, or of that of another program."""
        current = traceparent.get()
        if current and not remote_parent:
            if current.endswith(_UNSAMPLED):
                return NO_SPAN  # of a trace that is not sent
            return RecordedSpan(name, kind, current[3:35], current[36:52], sinks=self._sinks)
        parent = parse_traceparent(remote_parent) if remote_parent else _of_application()
        if parent is None:
            number = getrandbits(128)
            parent = TraceContext(f"{number:032x}", "", number % _LOW_BITS < self._sampled_below)
        span = RecordedSpan(name, kind, parent.trace_id, parent.span_id, sinks=self._sinks)
        span.is_sampled, span.has_remote_parent = parent.is_sampled, parent.is_remote
        span.is_first = True
        return span

    def close(self) -> None:
        """Send what waits, for some seconds at most."""
        for sink in self._sinks:
            sink.close()


def _of_application() -> TraceContext | None:
    """The span of the program that uses the library, where it has traces of its own."""
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return None
    ids = f"{context.trace_id:032x}", f"{context.span_id:016x}"
    return TraceContext(*ids, context.trace_flags.sampled)


class RecordedSpan:
    """Implements `recollect.ports.telemetry.Span`."""

    __slots__ = (
        *("attributes", "began", "ended", "has_remote_parent", "is_error", "is_first"),
        *("is_sampled", "kind", "name", "parent_id", "span_id", "trace_id", "_sinks", "_tokens"),
    )
    _tokens: "_Tokens"

    def __init__(
        self, name: str, kind: SpanKind, trace_id: str, parent_id: str, *, sinks: Sequence[SpanSink]
    ) -> None:
        self.name = name
        self.kind = kind
        self.trace_id = trace_id
        self.parent_id = parent_id
        """Empty if it is the first of its trace."""
        self.span_id = f"{getrandbits(64) or 1:016x}"
        self.attributes: dict[str, AttributeValue] = {}
        self.has_remote_parent = False
        self.is_first = False
        """Whether this process has begun none before it in its trace."""
        self.is_sampled = True
        self.is_error = False
        self.began = time_ns()
        self.ended = 0
        self._sinks = sinks

    def __enter__(self) -> Self:
        self._tokens = self._make_current()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _make_former_current(self._tokens)
        self.end(error="" if kind is None else kind.__name__)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Make it the parent of what begins in the block."""
        tokens = self._make_current()
        try:
            yield
        finally:
            _make_former_current(tokens)

    def set(self, name: str, value: AttributeValue) -> None:
        """Set an attribute, unless it has ended: then a thread may be writing them."""
        if not self.ended:
            self.attributes[name] = value

    def rename(self, name: str) -> None:
        """Give it another name, once that is known."""
        self.name = name

    def end(self, *, error: str = "") -> None:
        """End it; only the first call counts."""
        if self.ended:
            return
        self.ended = time_ns()
        if error:
            self.attributes["error.type"] = error
            self.is_error = True
        if self.is_sampled:
            for sink in self._sinks:
                sink.add(self)

    def _make_current(self) -> "_Tokens":
        """Let log lines, spans that begin and requests to others belong to it."""
        flags = "-01" if self.is_sampled else _UNSAMPLED
        return (
            traceparent.set(f"00-{self.trace_id}-{self.span_id}{flags}"),
            trace_id.set(self.trace_id) if self.is_first else None,  # it is set for all others
        )


_Tokens: TypeAlias = tuple[Token[str], Token[str] | None]


def _make_former_current(tokens: _Tokens) -> None:
    parent, identifier = tokens
    traceparent.reset(parent)
    if identifier is not None:
        trace_id.reset(identifier)
