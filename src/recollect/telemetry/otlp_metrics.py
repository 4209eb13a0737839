"""Metrics sent by OTLP over HTTP, with the numbers of the process that sends them."""

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricExportResult,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from recollect.ports.telemetry import MetricKind
from recollect.telemetry.metrics import MetricStore, Series, labelled

_SECONDS: Final = 15.0
_TIMEOUT_SECONDS: Final = 5
logger = logging.getLogger(__name__)


class OtlpMetrics:
    """Sends the metrics of this process every 15 seconds, from a thread, and at the end."""

    def __init__(
        self,
        store: MetricStore,
        *,
        url: str,
        headers: Mapping[str, str],
        resource: Mapping[str, str],
        seconds: float = _SECONDS,
    ) -> None:
        self._store = store
        self._exporter = OTLPMetricExporter(
            endpoint=url, headers=dict(headers), timeout=_TIMEOUT_SECONDS
        )
        self._resource = Resource.create(dict(resource))
        self._began = time.time_ns()
        self._seconds = seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="otlp-metrics", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Send the last numbers, for some seconds at most."""
        self._stopped.set()
        self._thread.join(2 * _TIMEOUT_SECONDS)

    def _run(self) -> None:
        is_over = False
        while not is_over:
            is_over = self._stopped.wait(self._seconds)
            result = self._exporter.export(self._data())
            if result is not MetricExportResult.SUCCESS:
                logger.warning("otlp.metrics_not_sent")
        self._exporter.shutdown()

    def _data(self) -> MetricsData:
        now = time.time_ns()
        families = groupby(self._store.own_series(), key=lambda series: series.metric)
        metrics = [self._metric(list(group), now) for _, group in families]
        scope = ScopeMetrics(
            scope=InstrumentationScope("recollect"), metrics=metrics, schema_url=""
        )
        of_resource = ResourceMetrics(resource=self._resource, scope_metrics=[scope], schema_url="")
        return MetricsData(resource_metrics=[of_resource])

    def _metric(self, family: Sequence[Series], now: int) -> Metric:
        metric = family[0].metric
        name, unit = metric.name, "s" if metric.name.endswith("_seconds") else "1"
        temporality = AggregationTemporality.CUMULATIVE
        if metric.kind is MetricKind.HISTOGRAM:
            points = [self._histogram_point(one, now) for one in family]
            data: Histogram | Sum | Gauge = Histogram(points, temporality)
        elif metric.kind is MetricKind.COUNTER:
            data = Sum([self._point(one, now) for one in family], temporality, is_monotonic=True)
        else:
            data = Gauge([self._point(one, now) for one in family])
        return Metric(name=name, description=metric.help, unit=unit, data=data)

    def _point(self, series: Series, now: int) -> NumberDataPoint:
        return NumberDataPoint(
            attributes=dict(labelled(series)),
            start_time_unix_nano=self._began,
            time_unix_nano=now,
            value=series.value,
        )

    def _histogram_point(self, series: Series, now: int) -> HistogramDataPoint:
        return HistogramDataPoint(
            attributes=dict(labelled(series)),
            start_time_unix_nano=self._began,
            time_unix_nano=now,
            count=sum(series.counts),
            sum=series.value,
            bucket_counts=list(series.counts),
            explicit_bounds=list(series.metric.buckets),
            min=None,  # type: ignore[arg-type]  # not known, and left out of what is sent
            max=None,  # type: ignore[arg-type]
        )
