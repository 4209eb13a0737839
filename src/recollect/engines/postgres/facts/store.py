"""Facts about users in PostgreSQL."""

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.conversation.paging import FactPosition, Order, Page, PageRequest
from recollect.domain.facts.fact import Fact, FactChange, FactEdit, FactStatus, Priority
from recollect.domain.facts.query import FactFilter, FactSort
from recollect.domain.facts.stored import EmbeddedFact, FactStats
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.vectors import Vector
from recollect.engines.postgres.audit import record
from recollect.engines.postgres.connection.database import PostgresStore
from recollect.engines.postgres.facts.rows import (
    change_from,
    edits_as_json,
    fact_from,
    read_embedded_facts,
    read_facts,
    read_histories,
    vector_text,
    vectors_as_json,
)
from recollect.engines.postgres.rows import worker_scope
from recollect.errors import ContentUnreadable

_PRIORITIES: Final = sorted(Priority, key=lambda priority: priority.rank)
_OWNERS_AT_LEAST: Final = 100  # to choose from
_SEARCHED_AT_ONCE: Final = 200
_CHANCE: Final = random.Random()  # noqa: S311  # keeps workers apart, keeps no secrets


class PostgresFactStore(PostgresStore):
    """Keeps facts in the table `facts`, their history in `fact_changes`.

    What changes facts locks the owner's row first; what counts accesses shares it.
    """

    async def commit(
        self,
        scope: Scope,
        edits: Sequence[FactEdit],
        vectors: Mapping[UUID, EmbeddedFact],
        *,
        learnt_from: UUID | None = None,
    ) -> bool:
        facts, changes = await edits_as_json(edits, vectors)
        (row,) = await self._database.write(
            "commit_facts",
            owner_id=scope.owner_id,
            tenant_id=scope.tenant,
            user_id=scope.user,
            fact_ids=[edit.fact.fact_id for edit in edits],
            facts=facts,
            changes=changes,
            learnt_from=learnt_from,
            now=self._clock.now(),
        )
        return bool(row["is_stored"])

    async def active(self, scope: Scope) -> tuple[EmbeddedFact, ...]:
        rows = await self._database.read("active_facts", owner_id=scope.owner_id)
        return await read_embedded_facts(rows)

    async def get(self, scope: Scope, fact_id: UUID) -> Fact | None:
        rows = await self._database.run("get_fact", owner_id=scope.owner_id, fact_id=fact_id)
        return fact_from(rows[0]) if rows else None

    async def history(self, scope: Scope, fact_id: UUID) -> tuple[FactChange, ...]:
        rows = await self._database.run("fact_history", owner_id=scope.owner_id, fact_id=fact_id)
        return tuple(map(change_from, rows))

    async def histories(
        self, scope: Scope, fact_ids: Collection[UUID]
    ) -> Mapping[UUID, tuple[FactChange, ...]]:
        rows = await self._database.run(
            "fact_histories", owner_id=scope.owner_id, fact_ids=list(fact_ids)
        )
        return await read_histories(rows)

    async def learnt(
        self, scope: Scope, message_ids: Collection[UUID]
    ) -> frozenset[tuple[UUID, str]]:
        rows = await self._database.run(
            "learnt_statements", owner_id=scope.owner_id, message_ids=list(message_ids)
        )
        return frozenset((row["message_id"], row["statement"]) for row in rows)

    async def list(
        self,
        scope: Scope,
        page: PageRequest,
        *,
        filters: FactFilter,
        sort: FactSort = FactSort.CREATED,
    ) -> Page[Fact]:
        after = sort.start_of(page)
        if filters.searched is not None and self._database.keys.is_on:
            facts = await self._search_decrypted(scope, page, filters, sort, after)
        else:
            facts = await self._listed(
                scope, page, filters, sort, after, limit=page.limit + 1, offset=page.offset
            )
        return page.page([(fact, sort.position_of(fact)) for fact in facts])

    async def _listed(
        self,
        scope: Scope,
        page: PageRequest,
        filters: FactFilter,
        sort: FactSort,
        after: FactPosition | None,
        *,
        limit: int,
        offset: int = 0,
    ) -> Sequence[Fact]:
        owner_id = scope.owner_id
        parameters: dict[str, object] = {
            "type": filters.type,
            "priority": filters.priority,
            "status": filters.status,
            "searched": filters.searched,
            "after_time": after and after.at,
            "after_fact": after and after.fact_id,
            "limit": limit,
            "offset": offset,
        }
        if sort is FactSort.CREATED and page.order is Order.DESC:
            rows = await self._database.run("newest_facts", owner_id=owner_id, **parameters)
            return await read_facts(rows)
        rows = await self._database.run(
            "list_facts",
            owner_id=owner_id,
            sort=sort,
            priorities=_PRIORITIES,
            descending=page.order is Order.DESC,
            after_rank=after and after.rank,
            **parameters,
        )
        return await read_facts(rows)

    async def _search_decrypted(
        self,
        scope: Scope,
        page: PageRequest,
        filters: FactFilter,
        sort: FactSort,
        after: FactPosition | None,
    ) -> Sequence[Fact]:
        """The same where SQL cannot look into the texts: facts are read until the page is full."""
        others = replace(filters, text=None)
        matching: list[Fact] = []
        while len(matching) <= page.offset + page.limit:
            facts = await self._listed(scope, page, others, sort, after, limit=_SEARCHED_AT_ONCE)
            matching += [fact for fact in facts if filters.matches(fact)]
            if len(facts) < _SEARCHED_AT_ONCE:
                break
            after = sort.position_of(facts[-1])
        return matching[page.offset : page.offset + page.limit + 1]

    async def nearest(
        self,
        scope: Scope,
        vector: Vector,
        *,
        model: str,
        limit: int,
        slots: Collection[str] = (),
    ) -> tuple[tuple[Fact, float], ...]:
        rows = await self._database.read(
            "nearest_facts",
            owner_id=scope.owner_id,
            vector=vector_text(vector),
            model=model,
            limit=limit,
            slots=list(slots),
        )
        return tuple((fact_from(row), row["cosine"] or 0.0) for row in rows)

    async def touch(self, scope: Scope, fact_ids: Collection[UUID], *, at: datetime) -> None:
        await self._database.write(
            "touch_facts", owner_id=scope.owner_id, fact_ids=list(fact_ids), at=at
        )

    async def stats(self, scope: Scope) -> FactStats:
        rows = await self._database.run("count_facts", owner_id=scope.owner_id)
        types, priorities, statuses, weeks = (Counter[str]() for _ in range(4))
        for row in rows:
            statuses[row["status"]] += row["count"]
            weeks[row["week"].isoformat()] += row["count"]
            if row["status"] == FactStatus.ACTIVE:
                types[row["type"]] += row["count"]
                priorities[row["priority"]] += row["count"]
        return FactStats(
            total=statuses.total(),
            by_type=types,
            by_priority=priorities,
            by_status=statuses,
            by_week=weeks,
        )

    async def delete(self, scope: Scope, fact_ids: Collection[UUID] | None = None) -> int:
        given = None if fact_ids is None else list(fact_ids)
        async with self._database.transaction(scope.owner_id) as transaction:
            count = int(await transaction.value("delete_facts", fact_ids=given))
            if count:
                action = AuditAction.FACTS_CLEARED if given is None else AuditAction.FACT_DELETED
                (target,) = given if given and len(given) == 1 else (scope.owner_id,)
                now = self._clock.now()
                await record(transaction, scope, action, target, count=count, now=now)
        return count

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Fact], ...]:
        """Some facts of owners chosen by chance, so that workers seldom embed the same."""
        owners = await self._database.run_for_all(
            "owners_of_outdated_facts",
            at=self._clock.now(),
            model=model,
            limit=max(limit, _OWNERS_AT_LEAST),
        )
        outdated: list[tuple[Scope, Fact]] = []
        for owner in _CHANCE.sample(owners, len(owners)):
            scope = worker_scope(owner["tenant_id"], owner["user_id"])
            with suppress(ContentUnreadable):  # those of other owners are embedded all the same
                rows = await self._database.run(
                    "outdated_facts",
                    owner_id=scope.owner_id,
                    model=model,
                    limit=limit - len(outdated),
                )
                outdated += [(scope, fact) for fact in await read_facts(rows)]
            if len(outdated) >= limit:
                break
        return tuple(outdated)

    async def embed(
        self, scope: Scope, vectors: Mapping[UUID, tuple[int, Vector]], *, model: str
    ) -> None:
        await self._database.write(
            "embed_facts",
            owner_id=scope.owner_id,
            model=model,
            vectors=await vectors_as_json(vectors),
        )

    async def owners(self, *, after: UUID | None = None, limit: int) -> tuple[Scope, ...]:
        rows = await self._database.run_for_all(
            "owners_of_facts", at=self._clock.now(), after=after, limit=limit
        )
        return tuple(worker_scope(row["tenant_id"], row["user_id"]) for row in rows)
