"""Counts of what an owner has, in memory."""

from collections import Counter
from datetime import UTC, datetime

from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory.data import InMemoryStore
from recollect.ports.activity import DayOfActivity


class InMemoryActivity(InMemoryStore):
    """Implements `recollect.ports.activity.ActivityStore`."""

    async def by_day(self, scope: Scope, *, since: datetime) -> tuple[DayOfActivity, ...]:
        conversations = self.data.conversations(scope)
        audit = self.data.of(scope.owner_id).audit
        entries = [link.entry for link in (audit.links if audit else ())]
        read = [entry for entry in entries if entry.action == AuditAction.CONTEXT_READ]
        expired = [entry for entry in entries if entry.action == AuditAction.SESSION_EXPIRED]
        times = {
            "sessions": [one.session.created_at for one in conversations],
            "messages": [m.created_at for one in conversations for m in one.messages.values()],
            "contexts": [entry.at for entry in read],
            "contexts_with_memory": [entry.at for entry in read if entry.count],
            "expired": [entry.at for entry in expired],
        }
        counts = {
            name: Counter(time.astimezone(UTC).date() for time in given if time >= since)
            for name, given in times.items()
        }
        days = sorted(set().union(*counts.values()))
        return tuple(
            DayOfActivity(day=day, **{name: count[day] for name, count in counts.items()})
            for day in days
        )

    async def expiring(self, scope: Scope, *, until: datetime) -> int:
        ends = (one.session.expires_at for one in self.data.conversations(scope))
        return sum(end is not None and end <= until for end in ends)
