"""A clock that stands still and ids that count, so that a test knows what comes next."""

from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

FIRST_MOMENT: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)


class FixedClock:
    """Tells the same time until it is moved."""

    def __init__(self, start: datetime = FIRST_MOMENT) -> None:
        self._now = start

    def now(self) -> datetime:
        """The time the clock was last moved to."""
        return self._now

    def move(self, distance: timedelta) -> datetime:
        """Move the clock forwards, or with a negative distance backwards; the new time."""
        self._now += distance
        return self._now


class CountingIds:
    """Gives out 1, 2, 3 … as ids and secrets: never the same twice, and easy to guess."""

    def __init__(self) -> None:
        self._last = 0

    def new_id(self) -> UUID:
        """The next number as a UUID: 00000000-0000-0000-0000-000000000001 and so on."""
        return UUID(int=self._next())

    def new_secret(self, size: int) -> bytes:
        """The next number in so many bytes."""
        return self._next().to_bytes(size, "big")

    def _next(self) -> int:
        self._last += 1
        return self._last
