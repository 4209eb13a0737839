"""Spans sent by OTLP over HTTP, in batches and from a thread of their own."""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

from opentelemetry.sdk.resources import Resource

from recollect.concurrency import log_failure
from recollect.http_client import HttpClient, http_address
from recollect.http_client.responses import HttpFailure, ReplyTooLarge
from recollect.ports.telemetry import SpanKind
from recollect.telemetry.otlp_encoding import encoded_resource, encoded_spans
from recollect.telemetry.tracing import RecordedSpan, SpanReceiver

_BATCH: Final = 2_048
"""Spans of some seventy turns: a request takes as long as encoding a few hundred."""
_SECONDS: Final = 5.0
"""How long a span waits for others at most."""
_MOST_WAITING: Final = 8_192
"""While nothing can be sent, older spans are given up."""
_TIMEOUT_SECONDS: Final = 5.0
_PAUSES: Final = (1.0, 2.0)
"""Seconds before another attempt."""
_RETRIED: Final = frozenset({429, 502, 503, 504})
_REPLY_BYTES: Final = 100_000
_HEADERS: Final = {"Content-Type": "application/x-protobuf"}
logger = logging.getLogger(__name__)


class OtlpSpans:
    """Sends spans to one receiver: implements `recollect.telemetry.tracing.SpanSink`."""

    def __init__(
        self,
        receiver: SpanReceiver,
        *,
        resource: Mapping[str, str],
        timeout: float = _TIMEOUT_SECONDS,
        seconds: float = _SECONDS,
    ) -> None:
        self._only_turns = receiver.only_turns
        # With what OTEL_RESOURCE_ATTRIBUTES adds.
        known = Resource.create(dict(resource)).attributes
        self._resource = encoded_resource({name: str(value) for name, value in known.items()})
        self._timeout = timeout
        self._seconds = seconds
        problem = f"{receiver.setting} must be an address such as http://collector:4318"
        self._client = HttpClient(
            http_address(receiver.url, problem),
            setting=receiver.setting,
            headers={**receiver.headers, **_HEADERS},
            connect_seconds=timeout,
            silence=timeout,
        )
        self._waiting: deque[RecordedSpan] = deque(maxlen=_MOST_WAITING)
        self._is_due = threading.Event()
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="otlp-spans", daemon=True)
        self._thread.start()

    def add(self, span: RecordedSpan) -> None:
        """Take a span that has ended."""
        if self._only_turns and (
            span.kind is SpanKind.SERVER or "db.system.name" in span.attributes
        ):
            return  # who looks at answers does not look for requests and statements
        self._waiting.append(span)
        if len(self._waiting) == _BATCH:
            self._is_due.set()

    def close(self) -> None:
        """Send what waits, for some seconds at most."""
        self._is_closing.set()
        self._is_due.set()
        self._thread.join(2 * self._timeout)

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            is_over = False
            while not is_over:
                self._is_due.wait(self._seconds)
                self._is_due.clear()
                is_over = self._is_closing.is_set()
                while batch := self._next_batch():
                    try:
                        runner.run(self._send(batch))
                    except Exception as error:  # noqa: BLE001  # the next spans are sent all the same
                        log_failure("otlp-spans", error)
            runner.run(self._client.aclose())

    def _next_batch(self) -> list[RecordedSpan]:
        return [self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))]

    async def _send(self, batch: Sequence[RecordedSpan]) -> None:
        body = encoded_spans(batch, self._resource)
        problem, may_pass = await self._post(body)
        for pause in _PAUSES:
            if not may_pass or self._is_closing.wait(pause):
                break
            problem, may_pass = await self._post(body)
        if problem:
            facts = {"spans": len(batch), "problem": problem}
            logger.warning("otlp.spans_not_sent", extra={"facts": facts})

    async def _post(self, body: bytes) -> tuple[str, bool]:
        """Send a batch once; return what it failed with, and whether to try again."""
        try:
            async with asyncio.timeout(self._timeout):
                reply = await self._client.fetch("POST", "", body, limit=_REPLY_BYTES)
        except (HttpFailure, ReplyTooLarge, TimeoutError) as error:
            return str(error) or type(error).__name__, True
        return "" if reply.is_success else str(reply.status), reply.status in _RETRIED
