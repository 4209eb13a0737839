"""Metrics in Prometheus' text format, and in OpenMetrics with exemplars."""

from collections.abc import Iterable, Iterator
from itertools import accumulate, groupby
from typing import Final

from prometheus_client import Metric as Family
from prometheus_client.exposition import choose_encoder
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector, CollectorRegistry
from prometheus_client.samples import Exemplar as SampleExemplar

from recollect.ports.telemetry import MetricKind
from recollect.telemetry.metrics import Exemplar, Series, labelled

_KINDS: Final = {
    MetricKind.COUNTER: "counter",
    MetricKind.HISTOGRAM: "histogram",
    MetricKind.GAUGE: "gauge",
    MetricKind.LATEST: "gauge",
}


Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]
"""Numbers by the name of their sample and their labels."""


def read_samples(text: str) -> Samples:
    """What a page of metrics in Prometheus' text format says."""
    return {
        (sample.name, frozenset(sample.labels.items())): float(sample.value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def rendered(series: Iterable[Series], *, accept: str) -> tuple[bytes, str]:
    """The series as a scraper wants them, and the content type of that."""
    encode, content_type = choose_encoder(accept)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(tuple(series)))
    return encode(registry), content_type


class _Collected(Collector):
    """Hands the series over to the encoder."""

    def __init__(self, series: tuple[Series, ...]) -> None:
        self._series = series

    def describe(self) -> Iterator[Family]:
        return iter(())

    def collect(self) -> Iterator[Family]:
        for metric, group in groupby(self._series, key=lambda one: one.metric):
            family = Family(metric.name, metric.help, _KINDS[metric.kind])
            for series in group:
                _add(family, series)
            yield family


def _add(family: Family, series: Series) -> None:
    labels, name = dict(labelled(series)), series.metric.name
    match series.metric.kind:
        case MetricKind.COUNTER:
            family.add_sample(f"{name}_total", labels, series.value)
        case MetricKind.HISTOGRAM:
            bounds = [*map(str, series.metric.buckets), "+Inf"]
            totals = list(accumulate(series.counts))
            for bound, total, seen in zip(bounds, totals, series.exemplars, strict=True):
                family.add_sample(
                    f"{name}_bucket", {**labels, "le": bound}, total, exemplar=_exemplar(seen)
                )
            family.add_sample(f"{name}_count", labels, totals[-1])
            family.add_sample(f"{name}_sum", labels, series.value)
        case _:
            family.add_sample(name, labels, series.value)


def _exemplar(seen: Exemplar | None) -> SampleExemplar | None:
    if seen is None:
        return None
    return SampleExemplar({"trace_id": seen.trace_id}, seen.value, seen.at)
