"""How facts fade while nobody uses them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from recollect.domain.facts.fact import Fact, Priority
from recollect.errors import InvalidInput

_DAY: Final = timedelta(days=1)
_MAX_DAYS: Final = 36_500
DEFAULT_HALF_LIVES: Final = {Priority.HIGH: 365.0, Priority.MEDIUM: 180.0, Priority.LOW: 60.0}
"""In days."""
DEFAULT_THRESHOLD: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class DecayPolicy:
    """How fast facts fade, and when they are pruned."""

    half_lives: Mapping[Priority, float] = field(default_factory=lambda: DEFAULT_HALF_LIVES)
    """Days after which an unused fact counts half, by priority; critical ones have none."""
    threshold: float = DEFAULT_THRESHOLD
    """A fact whose score is lower is pruned; 0 prunes none."""

    def __post_init__(self) -> None:
        if any(not 0 < days <= _MAX_DAYS for days in self.half_lives.values()):
            raise InvalidInput("half_life", f"must be more than 0 and at most {_MAX_DAYS} days")
        if not 0 <= self.threshold < 1:
            raise InvalidInput("threshold", "must be at least 0 and less than 1")

    def half_life(self, fact: Fact) -> timedelta | None:
        """After how long without use the fact counts half; None if it never fades.

        Each doubling of its accesses adds the half-life of the priority once more.
        """
        days = self.half_lives.get(fact.priority)
        return None if days is None else _DAY * days * (1 + math.log2(1 + fact.access_count))

    def score(self, fact: Fact, now: datetime) -> float:
        """How fresh the fact is, from 1 down to 0."""
        half_life = self.half_life(fact)
        if half_life is None:
            return 1.0
        unused = max(now - fact.accessed_at, timedelta())
        return math.exp2(-(unused / half_life))

    def is_faded(self, fact: Fact, now: datetime) -> bool:
        """Whether the fact is to be pruned."""
        return self.score(fact, now) < self.threshold

    def fades_at(self, fact: Fact) -> datetime | None:
        """When the fact would be pruned if nobody used it until then; None for never."""
        half_life = self.half_life(fact)
        if half_life is None or not self.threshold:
            return None
        try:
            return fact.accessed_at + half_life * math.log2(1 / self.threshold)
        except OverflowError:
            return None


def spell_half_lives(half_lives: Mapping[Priority, float]) -> str:
    """Write half-lives as `parse_half_lives` reads them."""
    return ",".join(f"{priority}:{days:.12g}" for priority, days in half_lives.items())


def parse_half_lives(text: str) -> dict[Priority, float]:
    """Read 'high:365,medium:180,low:60': days by priority; those left out have the default."""
    days = dict(DEFAULT_HALF_LIVES)
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition(":")
        try:
            days[Priority(name.strip().lower())] = float(value)
        except ValueError:
            raise InvalidInput("half_lives", "must be like high:365,medium:180,low:60") from None
    if Priority.CRITICAL in days:
        raise InvalidInput("half_lives", "must not name critical: those facts never fade")
    return days
