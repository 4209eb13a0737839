"""How much was going on in an owner's memory."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from recollect.domain.identity.scope import Scope


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
    expired: int = 0
    """Sessions that were deleted because their time had come, as far as the audit log has them."""


class ActivityStore(Protocol):
    """Counts what an owner has, without reading any of it."""

    async def by_day(self, scope: Scope, *, since: datetime) -> tuple[DayOfActivity, ...]:
        """Return the days since then on which something happened, oldest first.

        Of the audit log, the owner's latest entries are counted, some ten thousand of them.
        """

    async def expiring(self, scope: Scope, *, until: datetime) -> int:
        """Return how many sessions expire from now until then."""
