"""Opens what the settings say is measured: metrics, traces and log lines of operations."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from recollect.errors import ConfigurationError, Unavailable
from recollect.extras import named_extra
from recollect.ports.metrics import ALL_METRICS, BUILD, SHOWN
from recollect.ports.telemetry import Telemetry, traceparent
from recollect.services.privacy.erasing import Erasing
from recollect.settings import Settings
from recollect.telemetry.logging import trace_id
from recollect.telemetry.measuring import Measuring, Tracer
from recollect.telemetry.metrics import MetricStore
from recollect.telemetry.segments import Block

logger = logging.getLogger(__name__)
_PSEUDONYM_KEY_BYTES: Final = 64
_PURPOSE: Final = "pseudonyms"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricBlocks:
    """The memory that the processes of a server share for their metrics."""

    blocks: Sequence[Block]
    own: int = 0
    """Which of them is this process's."""
    process: str = "server"
    """What the process does, for the resource of traces."""


@asynccontextmanager
async def open_telemetry(
    settings: Settings, shared: MetricBlocks | None = None
) -> AsyncIterator[Measuring]:
    """Measure as the settings say; what is not sent yet is sent at the end.

    With memory for metrics, but nobody who asks for them, what the dashboard shows is counted.
    """
    async with AsyncExitStack() as stack:
        metrics = None
        if settings.has_metrics or shared is not None:
            blocks = None if shared is None else shared.blocks
            own = 0 if shared is None else shared.own
            only = ALL_METRICS if settings.has_metrics else SHOWN
            metrics = MetricStore(blocks, own=own, only=only, trace_id=_sampled_trace)
            if own == 0:
                metrics.observe(BUILD, 1, (version("recollect"),))
        resource = _resource(shared)
        tracer = _tracer(settings, resource, stack) if settings.has_traces else None
        if metrics is not None and settings.otlp_endpoint and settings.otlp_metrics:
            _send_metrics(settings, metrics, resource, stack)
        key = settings.pseudonym_key
        yield Measuring(
            metrics=metrics,
            tracer=tracer,
            slow_seconds=settings.slow_milliseconds / 1000,
            pseudonym_key=None if key is None else _key(key.get_secret_value()),
            traced_users=settings.trace_users,
        )


async def share_pseudonyms(telemetry: Telemetry, erasing: Erasing) -> None:
    """Make pseudonyms with a key of the database: the same in all processes that work on it.

    Where it cannot be read or made, such as on a standby, they stay those of this process.
    """
    try:
        telemetry.key_pseudonyms(await erasing.key_for(_PURPOSE))
    except Unavailable as error:
        logger.warning("pseudonyms.own", extra={"facts": {"error": type(error).__name__}})


def _sampled_trace() -> str:
    """The id of the current trace, if it is sent: others would be looked for in vain."""
    current = traceparent.get()
    return trace_id.get() if current and not current.endswith("-00") else ""


def _key(text: str) -> bytes:
    return text.encode()[:_PSEUDONYM_KEY_BYTES]


def _resource(shared: MetricBlocks | None) -> dict[str, str]:
    process = "server" if shared is None else shared.process
    number = 0 if shared is None else shared.own
    return {
        "service.name": "recollect",
        "service.version": version("recollect"),
        "service.instance.id": f"{process}-{number}",
    }


def _tracer(settings: Settings, resource: dict[str, str], stack: AsyncExitStack) -> Tracer:
    name = "MEMORY_LANGFUSE_URL" if settings.otlp_endpoint is None else "MEMORY_OTLP_ENDPOINT"
    with named_extra(name):
        # Loaded here: it is an extra, and takes 0.2 s.
        from recollect.telemetry.otlp_spans import OtlpSpans  # noqa: PLC0415
        from recollect.telemetry.tracing import (  # noqa: PLC0415
            SpanReceiver,
            SpanTracer,
            langfuse_receiver,
        )

    receivers = []
    if settings.otlp_endpoint is not None:
        url = f"{settings.otlp_endpoint.rstrip('/')}/v1/traces"
        receivers.append(SpanReceiver(url=url, headers=_headers(settings)))
    secret = settings.langfuse_secret_key
    if settings.langfuse_url and settings.langfuse_public_key and secret:
        receivers.append(
            langfuse_receiver(
                settings.langfuse_url,
                public_key=settings.langfuse_public_key,
                secret_key=secret.get_secret_value(),
            )
        )
    tracer = SpanTracer(
        [OtlpSpans(receiver, resource=resource) for receiver in receivers],
        sample=settings.trace_sample,
        traces_content=settings.trace_content,
    )
    stack.push_async_callback(asyncio.to_thread, tracer.close)
    return tracer


def _send_metrics(
    settings: Settings, metrics: MetricStore, resource: dict[str, str], stack: AsyncExitStack
) -> None:
    with named_extra("MEMORY_OTLP_ENDPOINT"):
        from recollect.telemetry.otlp_metrics import OtlpMetrics  # noqa: PLC0415  # as above

    url = f"{(settings.otlp_endpoint or '').rstrip('/')}/v1/metrics"
    sending = OtlpMetrics(metrics, url=url, headers=_headers(settings), resource=resource)
    stack.push_async_callback(asyncio.to_thread, sending.close)


def _headers(settings: Settings) -> dict[str, str]:
    """The headers that the settings name, such as `authorization=Bearer x`."""
    if settings.otlp_headers is None:
        return {}
    headers = {}
    for pair in settings.otlp_headers.get_secret_value().split(","):
        name, separator, value = pair.partition("=")
        if not (name.strip() and separator):
            raise ConfigurationError("MEMORY_OTLP_HEADERS must be name=value, comma-separated")
        headers[name.strip()] = value.strip()
    return headers
