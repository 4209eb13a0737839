"""How much is going on in a user's memory, for people who look at it."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final

from recollect.domain.activity import DayOfActivity
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.ports.runtime import Clock
from recollect.ports.statistics import ActivityStore
from recollect.services.audit.operations import Audited, audited

DAYS: Final = 30
_SOON: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity(Audited):
    """Counts what a user has; no text of it is read."""

    store: ActivityStore
    clock: Clock

    @audited(AuditAction.MESSAGE_COUNTED)
    async def by_day(self, scope: Scope, *, days: int = DAYS) -> tuple[DayOfActivity, ...]:
        """What happened on each of the last days, today included; days without any are left out."""
        first = (self.clock.now().astimezone(UTC) - timedelta(days=days - 1)).date()
        return await self.store.by_day(scope, since=datetime.combine(first, time(), UTC))

    async def expiring_soon(self, scope: Scope) -> int:
        """How many sessions expire within a week."""
        return await self.store.expiring(scope, until=self.clock.now() + _SOON)
