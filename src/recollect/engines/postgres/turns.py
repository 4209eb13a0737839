"""Turns as wholes in PostgreSQL."""

from datetime import datetime
from uuid import UUID

from recollect.domain.scope import Scope
from recollect.domain.turn import TurnStatus
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.queries import query
from recollect.engines.postgres.rows import read_messages
from recollect.ports.clock import Clock
from recollect.ports.turns import StoredTurn


class PostgresTurnStore:
    """Reads the table `turns` and the messages that belong to it."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, scope: Scope, session_id: UUID, turn_number: int) -> StoredTurn | None:
        """The turn, or None if the session has none of that number."""
        async with self._database.owned_by(scope.owner_id) as connection:
            rows = await connection.fetch(
                query("get_turn"), scope.owner_id, session_id, turn_number, self._clock.now()
            )
        if not rows:
            return None
        return StoredTurn(status=TurnStatus(rows[0]["status"]), messages=await read_messages(rows))

    async def fail_abandoned(self, *, started_by: datetime) -> int:
        """Mark the turns of all owners as failed that are pending since that time or longer."""
        async with self._database.working(now=self._clock.now()) as connection:
            count: int = await connection.fetchval(query("fail_abandoned"), started_by)
        return count
