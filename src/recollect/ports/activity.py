"""How much was going on in an owner's memory."""

from datetime import datetime
from typing import Protocol

from recollect.domain.activity import DayOfActivity
from recollect.domain.identity.scope import Scope


class ActivityStore(Protocol):
    """Counts what an owner has, without reading any of it."""

    async def by_day(self, scope: Scope, *, since: datetime) -> tuple[DayOfActivity, ...]:
        """Return the days since then on which something happened, oldest first.

        Of the audit log, the owner's latest entries are counted, some ten thousand of them.
        """

    async def expiring(self, scope: Scope, *, until: datetime) -> int:
        """Return how many sessions expire from now until then."""
