"""What the overview tells of the server: retrieval times, queues and clean-up."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from recollect.domain.identity.audit import AuditAction
from recollect.errors import Unavailable
from recollect.ports.metrics import (
    CLEANUP_DELETED,
    CLEANUP_SUCCESS,
    OPERATION_SECONDS,
    STAGE_SECONDS,
)
from recollect.ports.telemetry import Stage
from recollect.services.services import Services
from recollect.telemetry.measuring import Measuring
from recollect.telemetry.metrics import MetricStore, Series
from recollect.telemetry.quantiles import quantile, totals_of

STAGES: Final = {
    Stage.WINDOW: "the last messages",
    Stage.REWRITE: "understanding the question",
    Stage.EMBED: "its meaning as a vector",
    Stage.RECALL: "recall of earlier exchanges",
    Stage.FACTS: "facts that fit",
    Stage.ASSEMBLE: "putting it together",
}
"""The steps of reading memory for a question in their order, and what the page calls them."""
QUEUES: Final = {
    "indexing": "turns to index",
    "learning": "turns to learn from",
    "jobs": "jobs",
    "erasures": "erasures",
}
CLEANED: Final = {
    "sessions": "conversations",
    "facts": "faded facts",
    "archived_sessions": "archived conversations",
    "audit_entries": "entries of the audit log",
}
_PATIENCE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How long something took since the server started, in milliseconds."""

    count: int
    median: float
    p95: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What waits for background work."""

    name: str
    depth: int
    oldest_seconds: float | None = None
    """How long the oldest of it has waited; None where nothing waits or nobody notes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What the processes of the server have counted since they started."""

    contexts: Times | None = None
    """Reading memory for a question; None before the first one, or where nothing is counted."""
    stages: Mapping[str, Times] = field(default_factory=dict)
    """The steps of that, by their names on the page."""
    cleaned_at: datetime | None = None
    """When the clean-up last succeeded; None: not since the start, or another server does it."""
    deleted: Mapping[str, int] = field(default_factory=dict)
    """What clean-ups have deleted, by its name on the page."""


async def counted(services: Services) -> Counted:
    """What was counted so far, by all processes; it is summed up in a thread."""
    telemetry = services.telemetry
    metrics = telemetry.metrics if isinstance(telemetry, Measuring) else None
    return Counted() if metrics is None else await asyncio.to_thread(counted_in, metrics)


async def waiting(services: Services) -> tuple[Queue, ...]:
    """The queues now; nothing where the engine does not count them, or does not answer."""
    if services.statistics is None:
        return ()
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            now = await services.statistics.read()
    except (Unavailable, TimeoutError):
        return ()
    return tuple(
        Queue(
            name=name,
            depth=now.queue_depth[queue],
            oldest_seconds=now.queue_oldest_seconds.get(queue),
        )
        for queue, name in QUEUES.items()
        if queue in now.queue_depth
    )


def counted_in(metrics: MetricStore) -> Counted:
    """What the overview shows of the metrics of all processes."""
    series = {(one.metric, one.labels): one for one in metrics.series()}
    stages = (
        (name, _times(series.get((STAGE_SECONDS, (stage.value,)))))
        for stage, name in STAGES.items()
    )
    deleted = ((name, series.get((CLEANUP_DELETED, (what,)))) for what, name in CLEANED.items())
    cleaned = series.get((CLEANUP_SUCCESS, ()))
    return Counted(
        contexts=_times(series.get((OPERATION_SECONDS, (AuditAction.CONTEXT_READ.value,)))),
        stages={name: times for name, times in stages if times is not None},
        cleaned_at=datetime.fromtimestamp(cleaned.value, UTC) if cleaned else None,
        deleted={name: int(one.value) for name, one in deleted if one is not None},
    )


def _times(series: Series | None) -> Times | None:
    if series is None:
        return None
    totals = totals_of(series)
    median, p95 = quantile(totals, 0.5), quantile(totals, 0.95)
    if median is None or p95 is None:
        return None
    return Times(count=sum(series.counts), median=1000 * median, p95=1000 * p95)
