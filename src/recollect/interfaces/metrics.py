"""The page of metrics, and the numbers of a process that are read from time to time."""

import asyncio
import hmac
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Final

import psutil
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from recollect.concurrency import in_daemon_thread
from recollect.errors import Unavailable
from recollect.extras import named_extra
from recollect.memory import Memory
from recollect.ports.metrics import (
    CONNECTIONS,
    CPU_SECONDS,
    DATABASE_BYTES,
    DATABASE_UP,
    DISK_FREE,
    QUEUE_AGE,
    QUEUE_DEPTH,
    RESIDENT_BYTES,
    STORE_BYTES,
    STORE_ROWS,
)
from recollect.ports.statistics import StatisticsStore, StoreStatistics
from recollect.settings import Settings
from recollect.system import disk_space
from recollect.telemetry.measuring import Measuring
from recollect.telemetry.metrics import MetricStore, Series

PATH: Final = "/metrics"
_SAMPLE_SECONDS: Final = 5.0
_STATISTICS_LAST: Final = 10.0
"""Seconds for which sizes and queues count as current: several scrapers ask the database once."""
_STATISTICS_SECONDS: Final = 2.0


@dataclass(slots=True, kw_only=True)
class StoredNumbers:
    """Sizes and queues of the database as series, read at most every ten seconds."""

    store: StatisticsStore | None
    home: Path | None = None
    """The folder of the embedded database; None: the database is elsewhere."""
    _read_at: float = float("-inf")
    _series: tuple[Series, ...] = ()
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def series(self) -> tuple[Series, ...]:
        """The numbers now; only that the database does not answer, where that is so."""
        async with self._lock:
            if time.monotonic() - self._read_at > _STATISTICS_LAST:
                self._series = (*await self._of_disk(), *await self._of_database())
                self._read_at = time.monotonic()
        return self._series

    async def _of_disk(self) -> tuple[Series, ...]:
        if self.home is None:
            return ()
        try:
            async with asyncio.timeout(_STATISTICS_SECONDS):
                looking = in_daemon_thread(partial(disk_space, self.home), name="disk")
                _, free = await asyncio.wrap_future(looking)
        except OSError:  # of which a timeout is one
            return ()
        return (Series(metric=DISK_FREE, labels=(), value=free),)

    async def _of_database(self) -> tuple[Series, ...]:
        if self.store is None:
            return ()
        try:
            async with asyncio.timeout(_STATISTICS_SECONDS):
                statistics = await self.store.read()
        except (Unavailable, TimeoutError):
            return (Series(metric=DATABASE_UP, labels=(), value=0),)
        return tuple(_series_of(statistics))


def _series_of(statistics: StoreStatistics) -> Iterator[Series]:
    yield Series(metric=DATABASE_BYTES, labels=(), value=statistics.database_bytes)
    yield Series(metric=DATABASE_UP, labels=(), value=1)
    for metric, values in (
        (QUEUE_DEPTH, statistics.queue_depth),
        (QUEUE_AGE, statistics.queue_oldest_seconds),
        (STORE_BYTES, statistics.table_bytes),
        (STORE_ROWS, statistics.table_rows),
    ):
        for name, value in values.items():
            yield Series(metric=metric, labels=(name,), value=value)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsPage:
    """Answers scrapers: with the numbers of all processes, whichever of them is asked."""

    metrics: MetricStore
    stored: StoredNumbers
    render: Callable[..., tuple[bytes, str]]
    token: str | None = None
    """What scrapers must show; None: nothing."""

    async def answer(self, request: Request) -> Response:
        """Answer one scrape."""
        if not self._is_allowed(request.headers.get("authorization", "")):
            return PlainTextResponse(
                "metrics need the token of MEMORY_METRICS_TOKEN\n",
                status_code=HTTPStatus.UNAUTHORIZED,
                headers={"WWW-Authenticate": "Bearer"},
            )
        stored = await self.stored.series()
        accept = request.headers.get("accept", "")
        body, content_type = await asyncio.to_thread(self._rendered, stored, accept)
        return Response(body, headers={"Content-Type": content_type})

    def _rendered(self, stored: tuple[Series, ...], accept: str) -> tuple[bytes, str]:
        return self.render((*self.metrics.series(), *stored), accept=accept)

    def _is_allowed(self, authorization: str) -> bool:
        if self.token is None:
            return True
        scheme, _, given = authorization.partition(" ")
        is_token = hmac.compare_digest(given.strip().encode(), self.token.encode())
        return is_token and scheme.lower() == "bearer"


def metrics_page(memory: Memory, settings: Settings) -> MetricsPage | None:
    """The page of a memory; None if nothing is counted."""
    telemetry = memory.services.telemetry
    metrics = telemetry.metrics if isinstance(telemetry, Measuring) else None
    if metrics is None:
        return None
    with named_extra("MEMORY_METRICS_PORT or MEMORY_METRICS_TOKEN"):
        from recollect.telemetry.prometheus import rendered  # noqa: PLC0415  # an extra
    token = settings.metrics_token
    return MetricsPage(
        metrics=metrics,
        render=rendered,
        stored=StoredNumbers(
            store=memory.services.statistics,
            home=settings.home if settings.db_connection_string is None else None,
        ),
        token=None if token is None else token.get_secret_value(),
    )


def metrics_app(page: MetricsPage) -> Starlette:
    """An application of its own, for the port of the metrics."""
    return Starlette(routes=[Route(PATH, page.answer)])


async def sample_process(memory: Memory, *, process: str) -> None:
    """Note every five seconds what this process uses, until cancelled."""
    telemetry, own, used = memory.services.telemetry, psutil.Process(), 0.0
    while True:
        for state, count in memory.connections().items():
            telemetry.observe(CONNECTIONS, count, state)
        times = own.cpu_times()
        telemetry.count(CPU_SECONDS, process, by=times.user + times.system - used)
        used = times.user + times.system
        telemetry.observe(RESIDENT_BYTES, own.memory_info().rss, process)
        await asyncio.sleep(_SAMPLE_SECONDS)
