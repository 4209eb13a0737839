"""How much there is: in the whole store, for its operators, and in an owner's memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from recollect.domain.activity import DayOfActivity, OwnerTotals
from recollect.domain.identity.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatistics:
    """Sizes and queues of the whole store, of all owners together."""

    database_bytes: int = 0
    table_bytes: Mapping[str, int] = field(default_factory=dict)
    """By table, with its indexes."""
    table_rows: Mapping[str, int] = field(default_factory=dict)
    """By table, as the database estimates: `sessions` and `owners` among them."""
    queue_depth: Mapping[str, int] = field(default_factory=dict)
    queue_oldest_seconds: Mapping[str, float] = field(default_factory=dict)
    """How long the oldest of a queue has waited, of those queues that know."""


class StatisticsStore(Protocol):
    """Tells how much is stored."""

    async def read(self) -> StoreStatistics:
        """Return sizes and queues as they are now; numbers and names of tables, nothing else."""


class ActivityStore(Protocol):
    """Counts what an owner has, without reading any of it."""

    async def by_day(self, scope: Scope, *, since: datetime) -> tuple[DayOfActivity, ...]:
        """Return the days since then on which something happened, oldest first.

        Of the audit log, the owner's latest entries are counted, some ten thousand of them.
        """

    async def expiring(self, scope: Scope, *, until: datetime) -> int:
        """Return how many sessions expire from now until then."""

    async def totals(self, scope: Scope) -> OwnerTotals:
        """Return how much the owner has now, without what has expired."""
