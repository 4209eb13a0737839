"""Facts about users in memory."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
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
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.vectors import Vector
from recollect.engines.in_memory.data import InMemoryStore


class InMemoryFacts(InMemoryStore):
    """Implements `recollect.ports.facts.FactStore`."""

    async def commit(
        self,
        scope: Scope,
        edits: Sequence[FactEdit],
        vectors: Mapping[UUID, EmbeddedFact],
        *,
        learnt_from: UUID | None = None,
    ) -> bool:
        owner = self.data.written_by(scope.owner_id)
        if learnt_from is not None and not owner.has_message(learnt_from):
            return False
        changed = committed(edits, vectors, known=owner.facts, changes=owner.fact_changes)
        if changed is None:
            return False
        owner.facts = owner.facts | changed
        owner.fact_changes = [*owner.fact_changes, *(edit.change for edit in edits)]
        owner.known_as = scope
        return True

    async def active(self, scope: Scope) -> tuple[EmbeddedFact, ...]:
        active = self._active(scope)
        return tuple(sorted(active, key=lambda one: (one.fact.created_at, one.fact.fact_id)))

    async def get(self, scope: Scope, fact_id: UUID) -> Fact | None:
        known = self.data.of(scope.owner_id).facts.get(fact_id)
        return None if known is None else known.fact

    async def history(self, scope: Scope, fact_id: UUID) -> tuple[FactChange, ...]:
        changes = self.data.of(scope.owner_id).fact_changes
        return tuple(change for change in changes if change.fact_id == fact_id)

    async def histories(
        self, scope: Scope, fact_ids: Collection[UUID]
    ) -> Mapping[UUID, tuple[FactChange, ...]]:
        wanted = set(fact_ids)
        histories: defaultdict[UUID, list[FactChange]] = defaultdict(list)
        for change in self.data.of(scope.owner_id).fact_changes:
            if change.fact_id in wanted:
                histories[change.fact_id].append(change)
        return {fact_id: tuple(changes) for fact_id, changes in histories.items()}

    async def learnt(
        self, scope: Scope, message_ids: Collection[UUID]
    ) -> frozenset[tuple[UUID, str]]:
        learnt = statements_in(self.data.of(scope.owner_id).fact_changes)
        return frozenset(one for one in learnt if one[0] in message_ids)

    async def list(
        self,
        scope: Scope,
        page: PageRequest,
        *,
        filters: FactFilter,
        sort: FactSort = FactSort.CREATED,
    ) -> Page[Fact]:
        sort.start_of(page)  # refuses a cursor of another sort
        facts = (one.fact for one in self.data.of(scope.owner_id).facts.values())
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
        active = self._active(scope)
        return nearest_facts(active, vector, model=model, limit=limit, slots=slots)

    async def touch(self, scope: Scope, fact_ids: Collection[UUID], *, at: datetime) -> None:
        facts = self.data.of(scope.owner_id).facts
        for fact_id in facts.keys() & set(fact_ids):
            fact = facts[fact_id].fact
            accessed_at = max(fact.accessed_at, at)
            used = replace(fact, access_count=fact.access_count + 1, accessed_at=accessed_at)
            facts[fact_id] = replace(facts[fact_id], fact=used)

    async def stats(self, scope: Scope) -> FactStats:
        return stats_of([one.fact for one in self.data.of(scope.owner_id).facts.values()])

    async def delete(self, scope: Scope, fact_ids: Collection[UUID] | None = None) -> int:
        owner = self.data.of(scope.owner_id)
        deleted = owner.facts.keys() & set(owner.facts if fact_ids is None else fact_ids)
        owner.facts = {key: one for key, one in owner.facts.items() if key not in deleted}
        owner.fact_changes = [one for one in owner.fact_changes if one.fact_id not in deleted]
        self._audit(scope, fact_ids, count=len(deleted))
        return len(deleted)

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Fact], ...]:
        outdated = (
            (scope, one.fact)
            for scope in self.data.known_owners()
            for one in self._active(scope)
            if one.model != model
        )
        return tuple(islice(outdated, limit))

    async def embed(
        self, scope: Scope, vectors: Mapping[UUID, tuple[int, Vector]], *, model: str
    ) -> None:
        facts = self.data.of(scope.owner_id).facts
        for fact_id, (version, vector) in vectors.items():
            known = facts.get(fact_id)
            if known is not None and known.fact.version == version:
                facts[fact_id] = replace(known, model=model, vector=vector)

    async def owners(self, *, after: UUID | None = None, limit: int) -> tuple[Scope, ...]:
        owners = sorted(self.data.known_owners(), key=lambda scope: scope.owner_id)
        following = (scope for scope in owners if after is None or scope.owner_id > after)
        return tuple(islice((scope for scope in following if self._active(scope)), limit))

    def _audit(self, scope: Scope, fact_ids: Collection[UUID] | None, *, count: int) -> None:
        if count:
            action = AuditAction.FACTS_CLEARED if fact_ids is None else AuditAction.FACT_DELETED
            (target,) = fact_ids if fact_ids and len(fact_ids) == 1 else (scope.owner_id,)
            self.data.audit(scope, action, target, count=count)

    def _active(self, scope: Scope) -> tuple[EmbeddedFact, ...]:
        facts = self.data.of(scope.owner_id).facts.values()
        return tuple(one for one in facts if one.fact.is_active)
