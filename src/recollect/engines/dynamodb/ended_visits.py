"""Visits to the dashboard that were ended by signing out."""

from contextlib import suppress
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.keys import key_of

_SYSTEM: Final = UUID(int=0)
_ENDED: Final = "@endedvisit#"


class DynamoEndedVisits(DynamoStore):
    """Implements `recollect.ports.accounts.EndedVisits`; DynamoDB deletes those that expire."""

    async def end(self, visit_id: UUID, *, now: datetime, expires_at: datetime) -> None:  # noqa: ARG002  # DynamoDB has a clock of its own
        item = {**key_of(_SYSTEM, f"{_ENDED}{visit_id}"), "ttl": int(expires_at.timestamp())}
        with suppress(ConditionFailed):  # ended already
            await self.table.put(item, read=0)

    async def has(self, visit_id: UUID) -> bool:
        return await self.table.get(_SYSTEM, f"{_ENDED}{visit_id}") is not None
