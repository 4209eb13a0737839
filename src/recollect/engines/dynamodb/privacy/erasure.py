"""Erasures: durable, and carried on in pieces."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.erasure.erasure import (
    DATABASE,
    Counts,
    Erasure,
    ErasureKind,
    ErasureRequest,
    ErasureState,
)
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.text import JsonObject
from recollect.engines.dynamodb.conversations.store import (
    NOT_ERASED,
    OWNERS,
    DynamoStore,
    owner_due,
)
from recollect.engines.dynamodb.privacy.audit_chain import add_entries, tenant_id
from recollect.engines.dynamodb.privacy.erased_items import Erased, items_left
from recollect.engines.dynamodb.privacy.erased_phrases import DynamoErasedPhrases
from recollect.engines.dynamodb.privacy.erasure_items import (
    DONE,
    UNDER_WAY,
    erasure_from,
    erasure_item,
)
from recollect.engines.dynamodb.privacy.receipt_keys import DynamoReceiptKeys
from recollect.engines.dynamodb.privacy.tenant_erasures import DynamoTenantErasures, part_prefix
from recollect.engines.dynamodb.recall.removals import DynamoOwnerRemovals, RemovalNotes
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import time_from, time_text
from recollect.engines.dynamodb.table.keys import (
    OWNER,
    WORK_DUE,
    WORK_QUEUE,
    erasure_key,
    key_of,
    name_of,
    owner_of,
    queue_of,
)
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.dynamodb.table.transaction import Transaction, version_of
from recollect.errors import ErasureUnderWay
from recollect.ports.privacy.erasure import Erasable, ErasureStores, RecentErasure
from recollect.ports.runtime import Clock

_ERASURES: Final = "@erasure#"
_MOST: Final = 100_000


def dynamo_erasure_stores(
    table: Table, clock: Clock, *, kept_in: str | None, data_keys: Erasable | None
) -> ErasureStores:
    """All that erasures need; `kept_in` names the store that vectors are in."""
    return ErasureStores(
        removals=None if kept_in is None else DynamoOwnerRemovals(table, kept_in),
        erasures=DynamoErasures(table, clock),
        database=DynamoErasable(table, clock),
        tenants=DynamoTenantErasures(table, clock),
        phrases=DynamoErasedPhrases(table, clock),
        receipt_keys=DynamoReceiptKeys(table, clock),
        data_keys=data_keys,
    )


class DynamoErasures(DynamoStore):
    """Implements `recollect.ports.privacy.erasure.ErasureStore`.

    An owner who is being erased is marked, and so is every session of theirs: readers look at
    nothing but the session, and who starts another one looks at the owner.
    """

    async def begin(self, scope: Scope | TenantScope, erasure: Erasure) -> Erasure | None:
        request = erasure.request
        under_way = await self._under_way(scope.owner_id, request)
        if under_way is not None:
            await self._hide(under_way)
            return under_way
        await self.data.refuse_erased(scope.owner_id)
        erased = Erased(self, scope.owner_id, request)
        if request.session_id is not None and not await erased.is_there():
            return None
        erasure = replace(erasure, expected=await erased.count_messages())
        await self._store_new(scope, erasure)
        await self._hide(erasure)
        return await self.get(scope.owner_id, erasure.erasure_id)

    async def _under_way(self, owner_id: UUID, request: ErasureRequest) -> Erasure | None:
        async for item in self.table.items(owner_id, _ERASURES):
            erasure = erasure_from(item)
            if erasure.request == request and not erasure.is_done:
                return erasure
        return None

    async def _store_new(self, scope: Scope | TenantScope, erasure: Erasure) -> None:
        now, transaction = erasure.requested_at, self.table.transaction()
        transaction.put(erasure_item(erasure, due=now, changed_at=now), read=0)
        if erasure.request.kind is ErasureKind.EVERYTHING:
            _mark_owner(transaction, scope, self.clock.now())
        if erasure.part_of is not None:
            part = f"{part_prefix(erasure.part_of)}{erasure.owner_id}"
            transaction.put(
                {
                    **key_of(tenant_id(scope.tenant), part),
                    "partOwner": str(erasure.owner_id),
                    "erasureId": str(erasure.erasure_id),
                }
            )
        try:
            await self.table.write(transaction)
        except ConditionFailed:
            raise ErasureUnderWay from None

    async def _hide(self, erasure: Erasure) -> None:
        """Let readers find nothing of what is erased; what is small goes at once."""
        erased = Erased(self, erasure.owner_id, erasure.request)
        counts = await erased.hide()
        if counts:
            await self.count(erasure, DATABASE, counts)

    async def get(self, owner_id: UUID, erasure_id: UUID) -> Erasure | None:
        item = await self.table.get(owner_id, erasure_key(erasure_id))
        return None if item is None else erasure_from(item)

    async def due(
        self, *, now: datetime, limit: int, part_of: UUID | None = None, tenant: str | None = None
    ) -> tuple[Erasure, ...]:
        read = limit if part_of is None and tenant is None else _MOST
        keys = await self.table.waiting(UNDER_WAY, until=time_text(now), limit=read)
        items = await self.table.get_many(keys)
        found = [erasure_from(items[name_of(key)]) for key in keys if name_of(key) in items]
        due = [
            one
            for one in found
            if not one.is_done and part_of in {None, one.part_of} and tenant in {None, one.tenant}
        ]
        return tuple(due[:limit])

    async def count(self, erasure: Erasure, place: str, counts: Counts) -> None:
        def change(known: Erasure) -> Erasure:
            added = dict(Counter(known.counts.get(place, {})) + Counter(counts))
            return replace(known, counts={**known.counts, place: added})

        await self.change(erasure, change)

    async def postpone(self, erasure: Erasure, *, until: datetime, waits_for: str | None) -> None:
        await self.change(erasure, lambda one: replace(one, waits_for=waits_for), due=until)

    async def change(
        self,
        erasure: Erasure,
        change: Callable[[Erasure], Erasure],
        *,
        due: datetime | None = None,
    ) -> None:
        """Change an erasure that is not done, as it is stored now."""

        async def attempt() -> None:
            item = await self.table.get(erasure.owner_id, erasure_key(erasure.erasure_id))
            if item is None or erasure_from(item).is_done:
                return
            next_at = due or time_from(item[WORK_DUE])
            changed_at = time_from(item["changedAt"])
            changed = erasure_item(change(erasure_from(item)), due=next_at, changed_at=changed_at)
            await self.table.put(changed, read=version_of(item))

        await self.table.repeated(attempt)

    async def finish(self, erasure: Erasure, receipt: JsonObject, *, now: datetime) -> bool:
        async def attempt() -> bool:
            item = await self.table.get(erasure.owner_id, erasure_key(erasure.erasure_id))
            if item is None or erasure_from(item).is_done:
                return True
            known = erasure_from(item)
            if any((await items_left(self, known)).values()):
                return False
            done = replace(known, state=ErasureState.DONE, receipt=receipt, waits_for=None)
            transaction = self.table.transaction()
            transaction.put(erasure_item(done, due=now, changed_at=now), read=version_of(item))
            await self._release_owner(known, transaction)
            await add_entries(self.table, transaction, [known.audit_entry(at=now)])
            await self.table.write(transaction)
            return True

        return await self.table.repeated(attempt)

    async def _release_owner(self, erasure: Erasure, transaction: Transaction) -> None:
        """Delete the owner's own item, the last one; a tenant with keys stays."""
        if erasure.request.kind not in {ErasureKind.EVERYTHING, ErasureKind.TENANT}:
            return
        async for _ in self.table.items(erasure.owner_id, "@key#", limit=1):
            return
        transaction.delete(key_of(erasure.owner_id, OWNER))

    async def forget_store(self, kept_in: str) -> int:
        return await RemovalNotes(self.table, kept_in).forget()

    async def lately(self, *, since: datetime) -> tuple[RecentErasure, ...]:
        keys = [
            *await self.table.waiting(DONE, since=time_text(since), limit=_MOST),
            *await self.table.waiting(UNDER_WAY, limit=_MOST),
        ]
        items = (await self.table.get_many(keys)).values()
        recent = [
            RecentErasure(
                UUID(str(item["erasureId"])), owner_of(item), time_from(item["changedAt"])
            )
            for item in items
            if time_from(item["changedAt"]) >= since
        ]
        return tuple(sorted(recent, key=lambda one: one.changed_at))


def _mark_owner(transaction: Transaction, scope: Scope | TenantScope, now: datetime) -> None:
    transaction.update(
        key_of(scope.owner_id, OWNER),
        "SET isBeingErased = :true, #tenant = :tenant, #user = :user, "
        f"createdAt = if_not_exists(createdAt, :now), {WORK_QUEUE} = :queue, {WORK_DUE} = :due",
        {
            ":true": True,
            ":tenant": scope.tenant,
            ":user": scope.user if isinstance(scope, Scope) else "",
            ":now": time_text(now),
            ":queue": queue_of(OWNERS, scope.owner_id),
            ":due": owner_due(scope),
        },
        condition=NOT_ERASED,
        names={"#tenant": "tenant", "#user": "user"},
    )


class DynamoErasable(DynamoStore):
    """Implements `recollect.ports.privacy.erasure.Erasable`."""

    @property
    def name(self) -> str:
        return DATABASE

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:
        erased = Erased(self, erasure.owner_id, erasure.request)
        counts, has_more = await erased.erase(limit=limit)
        if counts:
            await DynamoErasures(self.table, self.clock).count(erasure, DATABASE, counts)
        return has_more

    async def remaining(self, erasure: Erasure) -> Counts:
        return await items_left(self, erasure)
