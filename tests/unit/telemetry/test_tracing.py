"""Trace contexts of other programs, and collectors that are away."""

import time
from contextlib import suppress

import pytest

from recollect.ports.telemetry import SpanKind, traceparent
from recollect.telemetry.logging import trace_id
from recollect.telemetry.otlp_spans import OtlpSpans
from recollect.telemetry.tracing import (
    RecordedSpan,
    SpanReceiver,
    SpanTracer,
    parse_traceparent,
)
from support.doubles.otlp_receiver import otlp_receiver
from support.tables import for_each

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def test_a_trace_context_of_a_later_version_is_read() -> None:
    read = parse_traceparent(f"01-{TRACE}-{PARENT}-01-what.comes.later")
    assert read is not None
    assert (read.trace_id, read.span_id) == (TRACE, PARENT)
    assert read.is_sampled
    assert read.is_remote


@for_each(
    "text",
    [
        "",
        "none",
        f"ff-{TRACE}-{PARENT}-01",
        f"00-{TRACE}-{PARENT}-01-more",
        f"00-{'0' * 32}-{PARENT}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{PARENT}-01",
    ],
)
def test_what_is_no_trace_context_is_ignored(text: str) -> None:
    assert parse_traceparent(text) is None


def test_a_span_is_current_in_its_block_alone_and_keeps_the_callers_decision() -> None:
    tracer = SpanTracer([])
    unsampled = f"00-{TRACE}-{PARENT}-00"
    with tracer.span("request", SpanKind.SERVER, unsampled) as span:
        assert trace_id.get() == TRACE == span.trace_id
        assert traceparent.get().endswith("-00")
        assert PARENT not in traceparent.get()
    assert (trace_id.get(), traceparent.get()) == ("", "")


def test_what_is_told_of_a_span_that_has_ended_changes_nothing() -> None:
    span = SpanTracer([]).span("turn", SpanKind.INTERNAL)
    span.set("outcome", "failed")
    span.end()
    span.set("outcome", "answered")
    span.set("tokens", 5)
    assert isinstance(span, RecordedSpan)
    assert span.attributes == {"outcome": "failed"}


def test_a_collector_that_is_away_is_given_up_in_time(caplog: pytest.LogCaptureFixture) -> None:
    receiver = SpanReceiver(url="http://127.0.0.1:9/v1/traces")
    tracer = SpanTracer([OtlpSpans(receiver, resource={}, timeout=5)])
    began = time.monotonic()
    with tracer.span("work", SpanKind.INTERNAL):
        pass
    tracer.close()
    assert time.monotonic() - began < 20
    (warning,) = [record for record in caplog.records if record.msg == "otlp.spans_not_sent"]
    assert warning.facts["spans"] == 1  # type: ignore[attr-defined]  # given by `extra`


def test_what_a_span_tells_arrives_whatever_it_is() -> None:
    with otlp_receiver() as collector:
        receiver = SpanReceiver(url=f"{collector.url}/v1/traces")
        tracer = SpanTracer([OtlpSpans(receiver, resource={})])
        with suppress(KeyError), tracer.span("outer", SpanKind.SERVER) as outer:
            outer.set("texts", ("one", "two"))
            outer.set("half", "\ud800")
            with tracer.span("inner", SpanKind.CLIENT) as inner:
                inner.set("share", 0.5)
                inner.set("is_used", value=True)
                inner.set("tokens", 2**70)
            raise KeyError
        tracer.close()
    outside, inside = collector.span("outer"), collector.span("inner")
    assert inside.parent_id == outside.span_id
    assert inside.trace_id == outside.trace_id
    assert (outside.kind, inside.kind) == (2, 3)
    assert (outside.is_error, inside.is_error) == (True, False)
    assert outside.attributes == {"texts": ["one", "two"], "half": "?", "error.type": "KeyError"}
    assert inside.attributes == {"share": 0.5, "is_used": True, "tokens": str(2**70)}


@pytest.mark.parametrize(("sample", "is_recorded"), [(1.0, True), (0.0, False)])
def test_a_trace_is_recorded_as_a_whole_or_not_at_all(sample: float, *, is_recorded: bool) -> None:
    recorded: list[str] = []

    class Sink:
        def add(self, span: RecordedSpan) -> None:
            recorded.append(span.name)

        def close(self) -> None:
            pass

    tracer = SpanTracer([Sink()], sample=sample)
    with tracer.span("outer", SpanKind.SERVER), tracer.span("inner", SpanKind.INTERNAL):
        pass
    assert recorded == (["inner", "outer"] if is_recorded else [])
