"""Counts of what an owner has, in PostgreSQL."""

from datetime import datetime
from typing import Final

from recollect.domain.activity import DayOfActivity, OwnerTotals
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.ports.runtime import Clock

_ENTRIES: Final = 20_000
"""Of the audit log; counting as many takes some 10 ms."""


class PostgresActivityStore:
    """Implements `recollect.ports.statistics.ActivityStore`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    async def by_day(self, scope: Scope, *, since: datetime) -> tuple[DayOfActivity, ...]:
        rows = await self._database.run(
            "activity_by_day",
            owner_id=scope.owner_id,
            since=since,
            now=self._clock.now(),
            entries=_ENTRIES,
        )
        return tuple(DayOfActivity(**dict(row)) for row in rows)

    async def expiring(self, scope: Scope, *, until: datetime) -> int:
        ((count,),) = await self._database.run(
            "count_expiring", owner_id=scope.owner_id, until=until, now=self._clock.now()
        )
        return int(count)

    async def totals(self, scope: Scope) -> OwnerTotals:
        (row,) = await self._database.run(
            "owner_totals", owner_id=scope.owner_id, now=self._clock.now()
        )
        return OwnerTotals(**dict(row))
