"""Counters of this process."""

from collections import Counter


class ProcessCounters:
    """Implements `recollect.ports.runtime.Counters` by counting in a dictionary."""

    def __init__(self) -> None:
        self._counted: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def add(self, name: str, *, labels: tuple[str, ...] = ()) -> None:
        """Count one event."""
        self._counted[name, labels] += 1

    def value(self, name: str, *, labels: tuple[str, ...] = ()) -> int:
        """How often that was counted since the process started."""
        return self._counted[name, labels]
