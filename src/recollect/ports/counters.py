"""Counting what happens, for whoever watches."""

from typing import Protocol


class Counters(Protocol):
    """Counts events; never fails and never waits."""

    def add(self, name: str, *, labels: tuple[str, ...] = ()) -> None:
        """Count one event of that name, apart for each combination of labels."""
        ...


class Uncounted:
    """For whoever does not watch."""

    def add(self, name: str, *, labels: tuple[str, ...] = ()) -> None:
        """Forget it."""
