"""A double of an OTLP collector over real HTTP: it decodes what it is sent."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class ReceivedSpan:
    """A span as it was sent."""

    def __init__(self, span: Span, headers: dict[str, str], path: str) -> None:
        self.name: str = span.name
        self.kind: int = span.kind
        self.trace_id: str = span.trace_id.hex()
        self.span_id: str = span.span_id.hex()
        self.parent_id: str = span.parent_span_id.hex()
        self.is_error: bool = span.status.code == 2
        self.attributes = {one.key: _value(one.value) for one in span.attributes}
        self.headers = headers
        self.path = path


class OtlpReceiver:
    """What a collector has received."""

    def __init__(self) -> None:
        self.url = ""
        self.spans: list[ReceivedSpan] = []
        self.metrics: dict[str, Any] = {}
        self.bodies: list[bytes] = []

    def span(self, name: str) -> ReceivedSpan:
        """The one span of a name."""
        (found,) = [span for span in self.spans if span.name == name]
        return found

    def take(self, path: str, headers: dict[str, str], body: bytes) -> None:
        if headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        self.bodies.append(body)
        if path.endswith("/v1/traces"):
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    self.spans += [ReceivedSpan(span, headers, path) for span in scope.spans]
        else:
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                for scope in resource.scope_metrics:
                    self.metrics |= {metric.name: metric for metric in scope.metrics}


@contextmanager
def otlp_receiver() -> Iterator[OtlpReceiver]:
    """Receive until the end of the block."""
    received = OtlpReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.take(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    received.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield received
    finally:
        server.shutdown()
        server.server_close()


def attributes(values: list[KeyValue]) -> dict[str, Any]:
    """Attributes by their keys."""
    return {one.key: _value(one.value) for one in values}


def _value(value: AnyValue) -> Any:  # noqa: ANN401  # of any type
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind)
