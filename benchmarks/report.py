"""What was measured, as tables for people and as JSON for programs."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final, Self

from measuring import Operation, Samples, Task
from stage import BARE_POOL, HTTP, SERVICE, USUAL_POOL

GOAL: Final = 1.5
"""How many times the hand-written statement the service may take."""

FLAT: Final = 1.25
"""How many times the smallest database counts as flat: in a large one caches miss more often."""

_WAYS: Final = (USUAL_POOL, BARE_POOL, SERVICE, HTTP)
_TASK_HEADS: Final = ("operation", "stored", "clients")


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """How long a task took in one way, in milliseconds."""

    operation: Operation
    size: int
    clients: int
    way: str
    count: int
    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, task: Task, way: str, seconds: Sequence[float]) -> Self:
        """Sum up what was measured in all rounds."""
        return cls(
            operation=task.operation,
            size=task.size,
            clients=task.clients,
            way=way,
            count=len(seconds),
            p50=_quantile(seconds, 50) * 1000,
            p95=_quantile(seconds, 95) * 1000,
            p99=_quantile(seconds, 99) * 1000,
        )

    def __str__(self) -> str:
        return f"{self.p50:.2f} / {self.p95:.2f} / {self.p99:.2f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """How many times longer the service took than what it is held against.

    The median of the rounds' ratios: the two sides of a round ran within seconds of each other.
    """

    operation: Operation
    size: int
    clients: int
    against: str
    p50: float
    p95: float
    goal: float

    @property
    def is_met(self) -> bool:
        """Whether the goal is reached, by the middle and by the slow end."""
        return max(self.p50, self.p95) <= self.goal

    def __str__(self) -> str:
        return f"{self.p50:.2f} / {self.p95:.2f} {'met' if self.is_met else 'MISSED'}"


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of a run."""

    samples: Samples

    def as_json(self) -> dict[str, object]:
        """Everything, for programs."""
        latencies = [asdict(self._latency(task, way)) for task in self._tasks() for way in _WAYS]
        ratios = [asdict(ratio) | {"is_met": ratio.is_met} for ratio in self._all_ratios()]
        return {"latencies_ms": latencies, "ratios": ratios}

    def as_text(self) -> str:
        """Two tables: latencies, and ratios with their goals."""
        columns = (f"÷ {USUAL_POOL}", f"÷ {BARE_POOL}", "flat")
        ratios = [(*_labels(task), *map(str, self._ratios(task))) for task in self._tasks()]
        latencies = [
            (*_labels(task), *(str(self._latency(task, way)) for way in _WAYS))
            for task in self._tasks()
        ]
        return "\n".join(
            [
                f"Service, ratios by p50 / p95 (goal: at most {GOAL}; flat: at most {FLAT} times",
                "the smallest database, and for the long session the ordinary ones)",
                "",
                *_table((*_TASK_HEADS, *columns), ratios),
                "",
                "Latencies, p50 / p95 / p99 in ms",
                "",
                *_table((*_TASK_HEADS, *_WAYS), latencies),
            ]
        )

    def _tasks(self) -> list[Task]:
        order = list(Operation)
        tasks = {task for task, _ in self.samples}
        return sorted(tasks, key=lambda t: (order.index(t.operation), t.size, t.clients))

    def _latency(self, task: Task, way: str) -> Latency:
        seconds = [second for round_ in self.samples[task, way] for second in round_]
        return Latency.of(task, way, seconds)

    def _all_ratios(self) -> Iterator[Ratio]:
        for task in self._tasks():
            yield from self._ratios(task)

    def _ratios(self, task: Task) -> Iterator[Ratio]:
        for way in (USUAL_POOL, BARE_POOL):
            yield self._ratio(task, task, way, against=way, goal=GOAL)
        smaller = self._flatness_baseline(task)
        if smaller != task:
            against = f"{smaller.operation} at {smaller.size:,}"
            yield self._ratio(task, smaller, SERVICE, against=against, goal=FLAT)

    def _flatness_baseline(self, task: Task) -> Task:
        match task.operation:
            case Operation.READ_LONG:
                return Task(Operation.READ, task.clients, task.size)
            case Operation.WRITE_LONG:
                return Task(Operation.WRITE, task.clients, task.size)
            case _:
                return Task(task.operation, task.clients, min(t.size for t in self._tasks()))

    def _ratio(self, task: Task, other: Task, way: str, *, against: str, goal: float) -> Ratio:
        ours, theirs = self.samples[task, SERVICE], self.samples[other, way]
        p50, p95 = (
            statistics.median(
                _quantile(our, percent) / _quantile(their, percent)
                for our, their in zip(ours, theirs, strict=True)
            )
            for percent in (50, 95)
        )
        return Ratio(
            operation=task.operation,
            size=task.size,
            clients=task.clients,
            against=against,
            p50=p50,
            p95=p95,
            goal=goal,
        )


def _quantile(seconds: Sequence[float], percent: int) -> float:
    if len(seconds) == 1:
        return seconds[0]
    return statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1]


def _labels(task: Task) -> tuple[str, str, str]:
    return task.operation, f"{task.size:,}", str(task.clients)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A Markdown table whose columns line up."""
    filled = [[*row, *[""] * (len(heads) - len(row))] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *filled, strict=True)]
    for row in (heads, ["-" * width for width in widths], *filled):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"| {' | '.join(cells)} |"
