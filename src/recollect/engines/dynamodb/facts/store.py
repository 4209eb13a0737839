"""Facts about users: an owner has hundreds, so they are compared in the process."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from recollect.domain.conversation.paging import FactPosition, Page, PageRequest, cut_page
from recollect.domain.facts.fact import Fact, FactChange, FactEdit
from recollect.domain.facts.query import FactFilter, FactSort
from recollect.domain.facts.stored import (
    EmbeddedFact,
    FactStats,
    committed,
    nearest_facts,
    statements_in,
    stats_of,
)
from recollect.domain.identity.audit import AuditAction, OwnedEntry
from recollect.domain.identity.scope import Scope
from recollect.domain.vectors import Vector
from recollect.engines.dynamodb.conversations.append import find_known
from recollect.engines.dynamodb.conversations.session_items import stored_scope
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.facts.fact_items import (
    ACCESS_COUNT,
    ACCESSED_AT,
    embedded_fact_from,
    fact_item,
    history_from,
    history_item,
    vector_bytes,
)
from recollect.engines.dynamodb.facts.owner_facts import OwnerFacts
from recollect.engines.dynamodb.privacy.audit_chain import add_entries
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Item, time_text
from recollect.engines.dynamodb.table.keys import (
    FACTS,
    PARTITION,
    WORK_DUE,
    WORK_QUEUE,
    fact_history_key,
    fact_key,
    key_of,
    name_of,
    owner_of,
    queue_of,
)
from recollect.engines.dynamodb.table.table import in_parts
from recollect.engines.dynamodb.table.transaction import VERSION, Transaction, version_of
from recollect.engines.dynamodb.work.embedded import MIXED, common_model, note_model
from recollect.errors import ContentUnreadable, InvalidInput
from recollect.ports.facts import EDITS_AT_ONCE

OWNERS_WITH_FACTS: Final = "facts"
"""The queue of all owners with active facts, each due at the model of all their vectors."""
_MOST_OWNERS: Final = 100_000
_OWNERS_AT_ONCE: Final = 20
_FACTS: Final = "@fact#"
_HISTORIES: Final = "@facthistory#"


class DynamoFacts(DynamoStore):
    """Implements `recollect.ports.facts.FactStore`."""

    async def commit(
        self,
        scope: Scope,
        edits: Sequence[FactEdit],
        vectors: Mapping[UUID, EmbeddedFact],
        *,
        learnt_from: UUID | None = None,
    ) -> bool:
        if len(edits) > EDITS_AT_ONCE:
            problem = f"must be at most {EDITS_AT_ONCE} that DynamoDB changes all or none"
            raise InvalidInput("facts", problem)

        async def attempt() -> bool:
            await self.data.refuse_erased(scope.owner_id)
            if learnt_from is not None:
                known = await find_known(self.data, scope, None, [learnt_from])
                if learnt_from not in known.elsewhere:
                    return False
            owner = await self.read(scope.owner_id)
            changed = committed(edits, vectors, known=owner.facts, changes=owner.changes)
            if changed is None:
                return False
            histories = {
                edit.fact.fact_id: (*owner.histories.get(edit.fact.fact_id, ()), edit.change)
                for edit in edits
            }
            await self.store(scope, owner, changed, histories)
            return True

        async with self.table.alone(scope.owner_id, FACTS):
            return await self.table.repeated(attempt)

    async def read(self, owner_id: UUID) -> OwnerFacts:
        """Read everything of an owner's facts, as of the version of their common item."""
        head = await self.table.get(owner_id, FACTS)
        facts = [item async for item in self.table.items(owner_id, _FACTS)]
        histories = [item async for item in self.table.items(owner_id, _HISTORIES)]
        return OwnerFacts(head, facts, histories)

    async def store(
        self,
        scope: Scope,
        owner: OwnerFacts,
        changed: Mapping[UUID, EmbeddedFact],
        histories: Mapping[UUID, tuple[FactChange, ...]],
    ) -> None:
        """Store facts on top of what was read, in one transaction.

        Raises:
            InvalidInput: it takes no more bytes; nothing is stored.
        """
        transaction = self.table.transaction()
        there = {**owner.facts, **changed}.values()
        self._put_head(scope, transaction, there, read=owner.read)
        for fact_id, one in changed.items():
            read = version_of(owner.items.get(fact_id))
            transaction.put(fact_item(scope.owner_id, one), read=read)
            transaction.put(history_item(scope.owner_id, fact_id, histories[fact_id]))
        self.data.claim_owner(scope, transaction)
        if not transaction.fits:
            raise InvalidInput("facts", "have longer histories than DynamoDB changes all or none")
        await self.table.write(transaction)

    def _put_head(
        self, scope: Scope, transaction: Transaction, facts: Iterable[EmbeddedFact], *, read: int
    ) -> None:
        """All changes of an owner's facts go one after the other; these are there afterwards."""
        models = {one.model for one in facts if one.fact.is_active}
        transaction.put(
            {
                **key_of(scope.owner_id, FACTS),
                "tenant": scope.tenant,
                "user": scope.user,
                WORK_QUEUE: queue_of(OWNERS_WITH_FACTS, scope.owner_id) if models else None,
                WORK_DUE: common_model(models) if models else None,
            },
            read=read,
        )

    async def active(self, scope: Scope) -> tuple[EmbeddedFact, ...]:
        active = await self._active(scope.owner_id)
        return tuple(sorted(active, key=lambda one: (one.fact.created_at, one.fact.fact_id)))

    async def get(self, scope: Scope, fact_id: UUID) -> Fact | None:
        item = await self.table.get(scope.owner_id, fact_key(fact_id))
        return None if item is None else embedded_fact_from(item).fact

    async def history(self, scope: Scope, fact_id: UUID) -> tuple[FactChange, ...]:
        item = await self.table.get(scope.owner_id, fact_history_key(fact_id))
        return () if item is None else history_from(item)

    async def histories(
        self, scope: Scope, fact_ids: Collection[UUID]
    ) -> Mapping[UUID, tuple[FactChange, ...]]:
        keys = [key_of(scope.owner_id, fact_history_key(one)) for one in fact_ids]
        items = (await self.table.get_many(keys)).values() if keys else ()
        return {UUID(str(item["factId"])): history_from(item) for item in items}

    async def learnt(
        self, scope: Scope, message_ids: Collection[UUID]
    ) -> frozenset[tuple[UUID, str]]:
        owner = await self.read(scope.owner_id)
        return frozenset(one for one in statements_in(owner.changes) if one[0] in message_ids)

    async def list(
        self,
        scope: Scope,
        page: PageRequest,
        *,
        filters: FactFilter,
        sort: FactSort = FactSort.CREATED,
    ) -> Page[Fact]:
        sort.start_of(page)  # refuses a cursor of another sort
        facts = (one.fact for one in await self._facts(scope.owner_id))
        return cut_page(filter(filters.matches, facts), page, FactPosition, sort.position_of)

    async def nearest(
        self,
        scope: Scope,
        vector: Vector,
        *,
        model: str,
        limit: int,
        slots: Collection[str] = (),
    ) -> tuple[tuple[Fact, float], ...]:
        active = await self._active(scope.owner_id)
        return nearest_facts(active, vector, model=model, limit=limit, slots=slots)

    async def touch(self, scope: Scope, fact_ids: Collection[UUID], *, at: datetime) -> None:
        for fact_id in set(fact_ids):
            key = key_of(scope.owner_id, fact_key(fact_id))
            counted = f"ADD {ACCESS_COUNT} :one, {VERSION} :one"
            try:
                await self.table.update(
                    key,
                    f"SET {ACCESSED_AT} = :at {counted}",
                    {":at": time_text(at), ":one": 1},
                    condition=f"{ACCESSED_AT} < :at",
                )
            except ConditionFailed:
                await self._count_access(key, counted)

    async def _count_access(self, key: Item, counted: str) -> None:
        try:
            await self.table.update(
                key, counted, {":one": 1}, condition=f"attribute_exists({PARTITION})"
            )
        except ConditionFailed:
            return  # there is no such fact

    async def stats(self, scope: Scope) -> FactStats:
        return stats_of([one.fact for one in await self._facts(scope.owner_id)])

    async def delete(self, scope: Scope, fact_ids: Collection[UUID] | None = None) -> int:
        async with self.table.alone(scope.owner_id, FACTS):
            deleted = 0
            while count := await self.table.repeated(lambda: self._delete(scope, fact_ids)):
                deleted += count
                if count < EDITS_AT_ONCE:
                    break
            return deleted

    async def _delete(self, scope: Scope, fact_ids: Collection[UUID] | None) -> int:
        """Delete as many as one transaction takes, and tell of them in it; how many."""
        owner = await self.read(scope.owner_id)
        chosen = owner.facts.keys() & set(owner.facts if fact_ids is None else fact_ids)
        if not chosen:
            return 0
        deleted = {*sorted(chosen)[:EDITS_AT_ONCE]}
        transaction = self.table.transaction()
        left = [one for key, one in owner.facts.items() if key not in deleted]
        self._put_head(scope, transaction, left, read=owner.read)
        for fact_id in deleted:
            transaction.delete(key_of(scope.owner_id, fact_key(fact_id)))
            transaction.delete(key_of(scope.owner_id, fact_history_key(fact_id)))
        action = AuditAction.FACTS_CLEARED if fact_ids is None else AuditAction.FACT_DELETED
        (target,) = fact_ids if fact_ids and len(fact_ids) == 1 else (scope.owner_id,)
        entry = OwnedEntry.of(scope, action, target, count=len(deleted), at=self.clock.now())
        await add_entries(self.table, transaction, [entry])
        await self.table.write(transaction)
        return len(deleted)

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Fact], ...]:
        keys = await self.table.waiting_elsewhere(OWNERS_WITH_FACTS, model, limit=_MOST_OWNERS)
        found: list[tuple[Scope, Fact]] = []
        for part in in_parts(keys, _OWNERS_AT_ONCE):
            for head in (await self.table.get_many(part)).values():
                with suppress(ContentUnreadable):  # those of other owners are embedded all the same
                    outdated = await self._outdated_of(head, model)
                    found += [(stored_scope(head), fact) for fact in outdated]
                if len(found) >= limit:
                    return tuple(found[:limit])
        return tuple(found)

    async def _outdated_of(self, head: Item, model: str) -> Sequence[Fact]:
        """Return an owner's facts that the model has not embedded; note if there are none."""
        active = await self._active(owner_of(head))
        outdated = [one.fact for one in active if one.model != model]
        if not outdated:
            await note_model(self.table, head, model, counter=VERSION, read=version_of(head))
        return outdated

    async def embed(
        self, scope: Scope, vectors: Mapping[UUID, tuple[int, Vector]], *, model: str
    ) -> None:
        async with self.table.alone(scope.owner_id, FACTS):
            for part in in_parts(vectors.items(), EDITS_AT_ONCE):
                await self.table.repeated(partial(self._embed, scope, dict(part), model))

    async def _embed(
        self, scope: Scope, vectors: Mapping[UUID, tuple[int, Vector]], model: str
    ) -> None:
        keys = {key: key_of(scope.owner_id, fact_key(key)) for key in vectors}
        items = await self.table.get_many(keys.values())
        transaction = self.table.transaction()
        for fact_id, (version, vector) in vectors.items():
            item = items.get(name_of(keys[fact_id]))
            if item is not None and embedded_fact_from(item).fact.version == version:
                changed = {**item, "model": model, "vector": vector_bytes(vector)}
                transaction.put(changed, read=version_of(item))
        if transaction.operations:
            transaction.update(
                key_of(scope.owner_id, FACTS),
                f"SET {WORK_DUE} = :mixed ADD {VERSION} :one",
                {":mixed": MIXED, ":one": 1},
                condition=f"attribute_exists({PARTITION})",
            )
            await self.table.write(transaction)

    async def owners(self, *, after: UUID | None = None, limit: int) -> tuple[Scope, ...]:
        keys = await self.table.waiting(OWNERS_WITH_FACTS, limit=_MOST_OWNERS)
        rest = sorted(
            filter(lambda key: after is None or owner_of(key) > after, keys), key=owner_of
        )
        found: list[Scope] = []
        for part in in_parts(rest, limit):
            items = await self.table.get_many(part)
            heads = [items[name_of(key)] for key in part if name_of(key) in items]
            found += [stored_scope(head) for head in heads if WORK_QUEUE in head]
            if len(found) >= limit:
                break
        return tuple(found[:limit])

    async def _facts(self, owner_id: UUID) -> Sequence[EmbeddedFact]:
        return [embedded_fact_from(item) async for item in self.table.items(owner_id, _FACTS)]

    async def _active(self, owner_id: UUID) -> Sequence[EmbeddedFact]:
        return [one for one in await self._facts(owner_id) if one.fact.is_active]
