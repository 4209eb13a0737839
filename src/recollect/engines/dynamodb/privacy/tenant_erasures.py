"""The erasure of a whole tenant: its users, and how far their erasures have come."""

from collections import Counter
from typing import Any, Final
from uuid import UUID

from recollect.domain.erasure.erasure import (
    Erasure,
)
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.session_items import stored_scope
from recollect.engines.dynamodb.conversations.store import (
    OWNERS,
    DynamoStore,
)
from recollect.engines.dynamodb.privacy.erasure_items import (
    erasure_from,
)
from recollect.engines.dynamodb.table.items import Item, optional_time
from recollect.engines.dynamodb.table.keys import (
    LAST,
    erasure_key,
    key_of,
)
from recollect.ports.privacy.erasure import TenantProgress

_MOST: Final = 100_000


def part_prefix(erasure_id: UUID) -> str:
    """What the notes of a tenant's users begin with whose erasures are parts of this one."""
    return f"@part#{erasure_id}#"


class DynamoTenantErasures(DynamoStore):
    """Implements `recollect.ports.privacy.erasure.TenantErasures`."""

    async def users(self, erasure: Erasure, *, after: UUID | None, limit: int) -> tuple[Scope, ...]:
        owners = await self._owners(erasure)
        parts = {part.owner_id for part in await self._parts(erasure)}
        chosen = [
            stored_scope(item)
            for item in owners
            if not item.get("isBeingErased") and UUID(str(item["userId"])) not in parts
        ]
        chosen.sort(key=lambda scope: scope.owner_id)
        return tuple(one for one in chosen if after is None or one.owner_id > after)[:limit]

    async def progress(self, erasure: Erasure) -> TenantProgress:
        parts = await self._parts(erasure)
        counts: dict[str, Counter[str]] = {}
        for part in parts:
            for place, erased in part.counts.items():
                counts[place] = counts.get(place, Counter()) + Counter(erased)
        done = [part for part in parts if part.is_done]
        finished = {part.owner_id for part in done}
        waiting = {UUID(str(item["userId"])) for item in await self._owners(erasure)}
        begun = {part.owner_id for part in parts}
        return TenantProgress(
            parts=len(parts),
            done=len(done),
            left=len((waiting | begun) - finished),
            expected=sum(part.expected for part in parts),
            sampled=sum(map(_sampled, done)),
            counts=counts,
        )

    async def _owners(self, erasure: Erasure) -> list[Item]:
        """The users of the tenant who were there when its erasure was requested."""
        tenant = erasure.owner_id
        keys = await self.table.waiting(
            OWNERS, since=f"{tenant}#", until=f"{tenant}#{LAST}", limit=_MOST
        )
        items = (await self.table.get_many(keys)).values()
        requested = erasure.requested_at
        return [
            item
            for item in items
            if item.get("user") and (optional_time(item["createdAt"]) or requested) <= requested
        ]

    async def _parts(self, erasure: Erasure) -> list[Erasure]:
        prefix = part_prefix(erasure.erasure_id)
        keys = [
            key_of(UUID(str(item["partOwner"])), erasure_key(UUID(str(item["erasureId"]))))
            async for item in self.table.items(erasure.owner_id, prefix)
        ]
        items = await self.table.get_many(keys) if keys else {}
        return [erasure_from(item) for item in items.values()]


def _sampled(part: Erasure) -> int:
    receipt: Any = part.receipt or {}
    return int(receipt.get("verification", {}).get("phrases", {}).get("sampled", 0))
