"""Metrics of all processes of a server, summed up from the memory that they share."""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from recollect.ports.metrics import ALL_METRICS, SERIES_LOST
from recollect.ports.telemetry import Metric, MetricKind
from recollect.telemetry.segments import Block, Segment, SeriesKey, new_block

_MOST_SERIES: Final = 400
"""Of one metric in one process: 50 routes with 8 statuses each."""
_OTHER: Final = "other"
_PARTS: Final = ((0, 11), (11, 22), (22, 32))
"""Hexadecimal digits of a trace id that one number holds exactly."""
_EXEMPLAR_SECONDS: Final = 1.0
_TRACES_AT_ONCE: Final = 128
_EXEMPLAR: Final = 2 + len(_PARTS)
"""Numbers of an exemplar: its value, its time, and the parts of its trace id."""
_BY_NAME: Final = {metric.name: metric for metric in ALL_METRICS}


class Exemplar(NamedTuple):
    """One observation, with the trace in which it was made."""

    value: float
    at: float
    """Seconds since 1970."""
    trace_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The numbers of one metric and one combination of labels."""

    metric: Metric
    labels: tuple[str, ...]
    value: float = 0.0
    """Of a counter or a gauge; of a histogram the sum of what was observed."""
    counts: tuple[int, ...] = ()
    """Of a histogram: how many observations lie in each bucket, and above the last."""
    exemplars: tuple[Exemplar | None, ...] = ()


class MetricStore:
    """Counts in the block of this process, and reads those of all."""

    def __init__(
        self,
        blocks: Sequence[Block] | None = None,
        *,
        own: int = 0,
        only: Collection[Metric] = ALL_METRICS,
        trace_id: Callable[[], str] = str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`own` is the number of this process's block; `trace_id` names the current trace.

        Metrics that are not among `only` are not counted.
        """
        self._only = frozenset(only)
        self._blocks = [new_block()] if blocks is None else blocks
        self._own = Segment(self._blocks[own])
        self._trace_id = trace_id
        self._clock = clock
        self._exemplars: dict[tuple[SeriesKey, int], float] = {}
        """When one was stored last."""
        self._combinations = Counter(name for (name, _), _ in self._own.series())
        for key, _ in self._own.series():
            # What the process that was here before held at the moment it died.
            if _BY_NAME[key[0]].kind is MetricKind.GAUGE:
                self._own.put(key, (0.0,), at=0, size=1)

    def count(self, metric: Metric, labels: tuple[str, ...], by: float = 1) -> None:
        """Add to a counter."""
        if metric not in self._only:
            return
        key = self._key(metric, labels)
        if not self._own.add(key, ((0, by),), size=1):
            self._lose()

    def observe(self, metric: Metric, value: float, labels: tuple[str, ...]) -> None:
        """Add to a histogram, or set a gauge."""
        if metric not in self._only:
            return
        key = self._key(metric, labels)
        if metric.kind is not MetricKind.HISTOGRAM:
            if not self._own.put(key, (value,), at=0, size=1):
                self._lose()
            return
        bucket, size = bisect_left(metric.buckets, value), _size_of(metric)
        if not self._own.add(key, ((0, value), (1 + bucket, 1)), size=size):
            self._lose()
        elif trace_id := self._trace_id():
            self._put_exemplar(key, bucket, value, trace_id)

    def _put_exemplar(self, key: SeriesKey, bucket: int, value: float, trace_id: str) -> None:
        """Store the trace of an observation, one a second for each bucket of a series."""
        now = self._clock()
        if now - self._exemplars.get((key, bucket), 0.0) < _EXEMPLAR_SECONDS:
            return
        self._exemplars[key, bucket] = now
        metric = _BY_NAME[key[0]]
        at = 1 + len(metric.buckets) + 1 + bucket * _EXEMPLAR
        exemplar = (value, now, *_numbers_of(trace_id))
        self._own.put(key, exemplar, at=at, size=_size_of(metric))

    def series(self) -> tuple[Series, ...]:
        """The numbers of all processes together, by metric and labels."""
        return merged(Segment(block) for block in self._blocks)

    def own_series(self) -> tuple[Series, ...]:
        """The numbers of this process alone."""
        return merged([self._own])

    def _key(self, metric: Metric, labels: tuple[str, ...]) -> SeriesKey:
        """The series of these labels; where a metric has too many, that of all others."""
        key = metric.name, labels
        if key in self._own:
            return key
        if self._combinations[metric.name] >= _MOST_SERIES:
            return metric.name, (_OTHER,) * len(metric.labels)
        self._combinations[metric.name] += 1
        return key

    def _lose(self) -> None:
        self._own.add((SERIES_LOST.name, ()), ((0, 1),), size=1)


@lru_cache(_TRACES_AT_ONCE)
def _numbers_of(trace_id: str) -> tuple[float, ...]:
    """A trace id as numbers that keep each of its digits."""
    return tuple(float(int(trace_id[start:end], 16)) for start, end in _PARTS)


def merged(segments: Iterator[Segment] | Sequence[Segment]) -> tuple[Series, ...]:
    """The series of several processes as one: sums, and the latest of what is a time."""
    found: dict[SeriesKey, Series] = {}
    for segment in segments:
        for key, numbers in segment.series():
            metric = _BY_NAME.get(key[0])
            if metric is None:
                continue
            one = _series(metric, key[1], numbers)
            known = found.get(key)
            found[key] = one if known is None else _sum(known, one)
    return tuple(found[key] for key in sorted(found))


def labelled(series: Series) -> Mapping[str, str]:
    """The labels of a series by name."""
    return dict(zip(series.metric.labels, series.labels, strict=True))


def _size_of(metric: Metric) -> int:
    """How many numbers a histogram has: sum, counts and exemplars."""
    return 1 + (len(metric.buckets) + 1) * (1 + _EXEMPLAR)


def _series(metric: Metric, labels: tuple[str, ...], numbers: Sequence[float]) -> Series:
    if metric.kind is not MetricKind.HISTOGRAM:
        return Series(metric=metric, labels=labels, value=numbers[0])
    end = 1 + len(metric.buckets) + 1
    exemplars = (
        _exemplar(numbers[start : start + _EXEMPLAR])
        for start in range(end, len(numbers), _EXEMPLAR)
    )
    return Series(
        metric=metric,
        labels=labels,
        value=numbers[0],
        counts=tuple(map(int, numbers[1:end])),
        exemplars=tuple(exemplars),
    )


def _exemplar(numbers: Sequence[float]) -> Exemplar | None:
    value, at, *parts = numbers
    if not at:
        return None
    digits = (
        f"{int(part):0{end - start}x}" for part, (start, end) in zip(parts, _PARTS, strict=True)
    )
    return Exemplar(value=value, at=at, trace_id="".join(digits))


def _sum(one: Series, other: Series) -> Series:
    if one.metric.kind is MetricKind.LATEST:
        return max(one, other, key=lambda series: series.value)
    newest = (
        max((a, b), key=lambda each: each.at if each else 0.0)
        for a, b in zip(one.exemplars, other.exemplars, strict=True)
    )
    return Series(
        metric=one.metric,
        labels=one.labels,
        value=one.value + other.value,
        counts=tuple(a + b for a, b in zip(one.counts, other.counts, strict=True)),
        exemplars=tuple(newest),
    )
