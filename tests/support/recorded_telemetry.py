"""Telemetry that remembers what was counted and observed."""

from collections import Counter, defaultdict

from recollect.ports.telemetry import Metric, Unmeasured


class RecordedTelemetry(Unmeasured):
    """Counts in a dictionary."""

    __slots__ = ("counted", "observed")

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "counted", Counter())
        object.__setattr__(self, "observed", defaultdict(list))

    def count(self, metric: Metric, *labels: str, by: float = 1) -> None:
        self.counted[metric, labels] += by

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        self.observed[metric, labels].append(value)

    def value(self, metric: Metric, *labels: str) -> float:
        return self.counted[metric, labels]
