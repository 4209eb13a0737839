"""Metrics of several processes: summed up, never going back, within bounds."""

from prometheus_client.parser import text_string_to_metric_families

from recollect.ports import metrics as catalogue
from recollect.ports.metrics import (
    CLEANUP_SUCCESS,
    CONNECTIONS,
    HTTP_REQUESTS,
    SERIES_LOST,
    STAGE_SECONDS,
    TURNS,
)
from recollect.ports.telemetry import Metric, MetricKind
from recollect.telemetry.metrics import MetricStore, Series
from recollect.telemetry.prometheus import rendered
from recollect.telemetry.segments import new_block
from support.tables import for_each

TRACE = "0af7651916cd43dd8448eb211c80319c"
A_TURN = ("chat", "used", "answered")


def value(store: MetricStore, metric: Metric, *labels: str) -> float:
    return find(store, metric, *labels).value


def find(store: MetricStore, metric: Metric, *labels: str) -> Series:
    (found,) = [one for one in store.series() if (one.metric, one.labels) == (metric, labels)]
    return found


def test_any_process_tells_the_numbers_of_all() -> None:
    blocks = [new_block(), new_block()]
    one, other = MetricStore(blocks, own=0), MetricStore(blocks, own=1)
    one.count(TURNS, A_TURN)
    other.count(TURNS, A_TURN, 2)
    for seconds, store in ((0.003, one), (0.004, other), (9, other)):
        store.observe(STAGE_SECONDS, seconds, ("window",))
    assert value(one, TURNS, *A_TURN) == value(other, TURNS, *A_TURN) == 3
    counts = find(one, STAGE_SECONDS, "window").counts
    assert (sum(counts), counts[STAGE_SECONDS.buckets.index(0.005)], counts[-1]) == (3, 2, 1)


def test_what_takes_the_place_of_a_killed_process_counts_on() -> None:
    blocks = [new_block(), new_block()]
    before = MetricStore(blocks, own=0)
    before.count(TURNS, A_TURN, 5)
    before.observe(CONNECTIONS, 7, ("busy",))
    before.observe(CLEANUP_SUCCESS, 1000, ())
    after = MetricStore(blocks, own=0)
    after.count(TURNS, A_TURN)
    assert value(after, TURNS, *A_TURN) == 6
    assert value(after, CONNECTIONS, "busy") == 0, "those went with the process"
    assert value(after, CLEANUP_SUCCESS) == 1000
    MetricStore(blocks, own=1).observe(CLEANUP_SUCCESS, 900, ())
    assert value(after, CLEANUP_SUCCESS) == 1000, "the latest of all"


def test_exemplars_lead_to_traces() -> None:
    store = MetricStore(trace_id=lambda: TRACE, clock=lambda: 12.5)
    store.observe(STAGE_SECONDS, 0.003, ("window",))
    text, kind = rendered(store.series(), accept="application/openmetrics-text; version=1.0.0")
    assert kind.startswith("application/openmetrics-text")
    assert f'le="0.005",stage="window"}} 1.0 # {{trace_id="{TRACE}"}} 0.003 12.5' in text.decode()


def test_labels_without_an_end_become_one_series() -> None:
    store = MetricStore()
    for number in range(1000):
        store.count(HTTP_REQUESTS, ("GET", f"/{number}", "404"))
    series = [one for one in store.series() if one.metric is HTTP_REQUESTS]
    assert len(series) < 500
    assert value(store, HTTP_REQUESTS, "other", "other", "other") >= 500


def test_measurements_without_room_are_counted_and_lost() -> None:
    blocks = [new_block()]
    store = MetricStore(blocks)
    store.count(SERIES_LOST, (), 0)
    for metric in catalogue.ALL_METRICS:
        for number in range(300):
            labels = tuple(f"{number}-{label}-{'x' * 200}" for label in metric.labels)
            if metric.kind is MetricKind.HISTOGRAM:
                store.observe(metric, 1, labels)
            else:
                store.count(metric, labels)
    assert value(store, SERIES_LOST) > 0
    assert len(MetricStore(blocks).series()) == len(store.series()), "still whole"


def test_prometheus_reads_what_is_written() -> None:
    store = MetricStore()
    for metric in catalogue.ALL_METRICS:
        labels = metric.labels
        if metric.kind is MetricKind.COUNTER:
            store.count(metric, labels)
        else:
            store.observe(metric, 1, labels)
    text, _ = rendered(store.series(), accept="text/plain")
    names = {family.name for family in text_string_to_metric_families(text.decode())}
    assert names == {metric.name for metric in catalogue.ALL_METRICS}


@for_each("metric", catalogue.ALL_METRICS)
def test_every_metric_is_named_by_the_conventions(metric: Metric) -> None:
    assert metric.name.startswith("recollect_")
    assert not metric.name.endswith("_total"), "the writer adds it"
    assert metric.help.endswith(".")
    assert list(metric.buckets) == sorted(set(metric.buckets))
