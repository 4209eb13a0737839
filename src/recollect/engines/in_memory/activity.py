"""Counts of what an owner has, in memory."""

from datetime import datetime

from recollect.domain.activity import DayOfActivity, OwnerTotals, days_of_activity, totals_of
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory.data import InMemoryStore


class InMemoryActivity(InMemoryStore):
    """Implements `recollect.ports.statistics.ActivityStore`."""

    async def by_day(self, scope: Scope, *, since: datetime) -> tuple[DayOfActivity, ...]:
        conversations = self.data.conversations(scope)
        audit = self.data.of(scope.owner_id).audit
        return days_of_activity(
            since=since,
            sessions=[one.session.created_at for one in conversations],
            messages=[m.created_at for one in conversations for m in one.messages.values()],
            audited=[link.entry for link in (audit.links if audit else ())],
        )

    async def expiring(self, scope: Scope, *, until: datetime) -> int:
        ends = (one.session.expires_at for one in self.data.conversations(scope))
        return sum(end is not None and end <= until for end in ends)

    async def totals(self, scope: Scope) -> OwnerTotals:
        return totals_of([one.session for one in self.data.conversations(scope)])
