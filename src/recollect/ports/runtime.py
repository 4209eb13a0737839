"""Time, identifiers and counters, which tests control."""

from datetime import datetime
from typing import Protocol
from uuid import UUID


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The current time, aware, in UTC."""
        ...


class Ids(Protocol):
    """Gives out what nobody else has."""

    def new_id(self) -> UUID:
        """An id never given before."""
        ...

    def new_secret(self, size: int) -> bytes:
        """So many bytes nobody can guess."""
        ...


class Counters(Protocol):
    """Counts events; never fails and never waits."""

    def add(self, name: str, *, labels: tuple[str, ...] = ()) -> None:
        """Count one event of that name, apart for each combination of labels."""
        ...


class Uncounted:
    """For whoever does not watch."""

    def add(self, name: str, *, labels: tuple[str, ...] = ()) -> None:
        """Forget it."""
