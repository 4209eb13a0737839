"""How much happened in an owner's memory, by day."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from recollect.domain.conversation.session import Session
from recollect.domain.identity.audit import AuditAction, AuditEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerTotals:
    """How much an owner has said, and when something was done with it last."""

    sessions: int = 0
    """Those that have not expired."""
    messages: int = 0
    """Those of their active branches."""
    last_active_at: datetime | None = None
    """When one of these sessions was used last; None without any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedUser:
    """A user of a tenant, as a list of them shows it."""

    user: str
    owner_id: UUID
    sessions: int | None
    """None for an engine that does not count."""
    messages: int | None
    facts: int | None
    """Active ones; None where they cannot be decrypted."""
    last_active_at: datetime | None


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


def totals_of(sessions: Sequence[Session]) -> OwnerTotals:
    """Add up the sessions of an owner."""
    return OwnerTotals(
        sessions=len(sessions),
        messages=sum(one.message_count for one in sessions),
        last_active_at=max((one.last_accessed_at for one in sessions), default=None),
    )


def days_of_activity(
    *,
    since: datetime,
    sessions: Iterable[datetime],
    messages: Iterable[datetime],
    audited: Iterable[AuditEntry],
) -> tuple[DayOfActivity, ...]:
    """Count by day what happened since then, oldest first.

    `audited` are entries of the audit log, those of other operations, too.
    """
    entries = [*audited]
    read = [entry for entry in entries if entry.action == AuditAction.CONTEXT_READ]
    times = {
        "sessions": sessions,
        "messages": messages,
        "contexts": (entry.at for entry in read),
        "contexts_with_memory": (entry.at for entry in read if entry.count),
        "expired": (entry.at for entry in entries if entry.action == AuditAction.SESSION_EXPIRED),
    }
    counts = {
        name: Counter(time.astimezone(UTC).date() for time in given if time >= since)
        for name, given in times.items()
    }
    return tuple(
        DayOfActivity(day=day, **{name: count[day] for name, count in counts.items()})
        for day in sorted(set().union(*counts.values()))
    )
