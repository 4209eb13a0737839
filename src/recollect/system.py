"""The system's clock, random ids, and counters of this process."""

import secrets
from collections import Counter
from datetime import UTC, datetime
from uuid import UUID, uuid4


class SystemClock:
    """Tells the machine's time."""

    def now(self) -> datetime:
        """The current time, aware, in UTC."""
        return datetime.now(UTC)


class RandomIds:
    """Gives out random ids and secrets."""

    def new_id(self) -> UUID:
        """A random UUID."""
        return uuid4()

    def new_secret(self, size: int) -> bytes:
        """So many bytes from the system's generator."""
        return secrets.token_bytes(size)


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
