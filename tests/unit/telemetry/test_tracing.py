"""Trace contexts of other programs, and collectors that are away."""

import time

import pytest

from recollect.ports.telemetry import SpanKind, traceparent
from recollect.telemetry.logging import trace_id
from recollect.telemetry.tracing import OtelTracer, SpanReceiver, parse_traceparent

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def test_a_trace_context_of_a_later_version_is_read() -> None:
    read = parse_traceparent(f"01-{TRACE}-{PARENT}-01-what.comes.later")
    assert read is not None
    assert f"{read.trace_id:x}" == TRACE.lstrip("0")
    assert read.trace_flags.sampled


@pytest.mark.parametrize(
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
    tracer = OtelTracer([], resource={})
    unsampled = f"00-{TRACE}-{PARENT}-00"
    with tracer.span("request", SpanKind.SERVER, unsampled) as span:
        assert trace_id.get() == TRACE == span.trace_id
        assert traceparent.get().endswith("-00")
        assert PARENT not in traceparent.get()
    assert (trace_id.get(), traceparent.get()) == ("", "")


def test_a_collector_that_is_away_is_given_up_in_time(caplog: pytest.LogCaptureFixture) -> None:
    receiver = SpanReceiver(url="http://127.0.0.1:9/v1/traces")
    tracer = OtelTracer([receiver], resource={}, timeout=0.2)
    began = time.monotonic()
    with tracer.span("work", SpanKind.INTERNAL):
        pass
    tracer.close()
    assert time.monotonic() - began < 20
