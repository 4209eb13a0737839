"""Counts of what an owner has in DynamoDB."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.activity import DayOfActivity, OwnerTotals, days_of_activity, totals_of
from recollect.domain.identity.audit import AuditEntry
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.session_items import MESSAGES_BY_TIME
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.privacy.audit_chain import link_from
from recollect.engines.dynamodb.table.items import time_from, time_text
from recollect.engines.dynamodb.table.keys import (
    BY_TIME,
    BY_TIME_INDEX,
    LAST,
    PARTITION,
    SORT,
    audit_key,
)

_LATEST_ENTRIES: Final = 10_000
_AT_ONCE: Final = 1_000


class DynamoActivity(DynamoStore):
    """Implements `recollect.ports.statistics.ActivityStore`.

    Messages are counted by the keys in the index, and sessions by reading all of the owner's.
    """

    async def by_day(self, scope: Scope, *, since: datetime) -> tuple[DayOfActivity, ...]:
        conversations = await self.data.of_owner(scope.owner_id)
        return days_of_activity(
            since=since,
            sessions=[one.session.created_at for one in conversations],
            messages=await self._messages(scope, conversations, since),
            audited=await self._audited(scope, since),
        )

    async def expiring(self, scope: Scope, *, until: datetime) -> int:
        conversations = await self.data.of_owner(scope.owner_id)
        ends = (one.session.expires_at for one in conversations)
        return sum(end is not None and end <= until for end in ends)

    async def totals(self, scope: Scope) -> OwnerTotals:
        conversations = await self.sealed_data.of_owner(scope.owner_id)
        return totals_of([one.session for one in conversations])

    async def _messages(
        self, scope: Scope, conversations: Iterable[Conversation], since: datetime
    ) -> list[datetime]:
        sessions = {one.session_id: one for one in conversations}
        first = f"{MESSAGES_BY_TIME}{time_text(since)}"
        found: list[datetime] = []
        async for key in self.table.indexed(
            BY_TIME_INDEX,
            (PARTITION, str(scope.owner_id)),
            f" AND {BY_TIME} BETWEEN :first AND :last",
            {":first": first, ":last": MESSAGES_BY_TIME + LAST},
            limit=_AT_ONCE,
        ):
            session_id, _, incarnation, number = str(key[SORT]).split("#")
            one = sessions.get(UUID(session_id))
            if one is not None and one.incarnation == incarnation and one.has(int(number)):
                found.append(time_from(str(key[BY_TIME]).split("#")[1]))
        return found

    async def _audited(self, scope: Scope, since: datetime) -> list[AuditEntry]:
        found: list[AuditEntry] = []
        async for item in self.table.items(
            scope.owner_id, audit_key(0), audit_key(10**12 - 1), is_descending=True, limit=_AT_ONCE
        ):
            found.append(link_from(item).entry)
            if len(found) == _LATEST_ENTRIES or found[-1].at < since:
                break
        return found
