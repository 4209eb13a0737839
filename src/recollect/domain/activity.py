"""How much happened in an owner's memory, by day."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DayOfActivity:
    """What happened on one day, in UTC."""

    day: date
    sessions: int = 0
    """Started ones that are still there."""
    messages: int = 0
    """Those of all branches that are still there."""
    contexts: int = 0
    """Questions for which memory was read, as far as the audit log has them."""
    contexts_with_memory: int = 0
    """Those of them for which memory had something."""


def days_of_activity(
    *,
    since: datetime,
    sessions: Iterable[datetime],
    messages: Iterable[datetime],
    contexts: Iterable[tuple[datetime, int]],
) -> tuple[DayOfActivity, ...]:
    """Count by day what happened since then, oldest first.

    `contexts` are the times of contexts with how much each had of memory.
    """
    read = [*contexts]
    times = {
        "sessions": sessions,
        "messages": messages,
        "contexts": (at for at, _ in read),
        "contexts_with_memory": (at for at, count in read if count),
    }
    counts = {
        name: Counter(time.astimezone(UTC).date() for time in given if time >= since)
        for name, given in times.items()
    }
    return tuple(
        DayOfActivity(day=day, **{name: count[day] for name, count in counts.items()})
        for day in sorted(set().union(*counts.values()))
    )
