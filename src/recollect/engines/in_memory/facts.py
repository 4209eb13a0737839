"""Facts about users in memory."""

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from uuid import UUID

from recollect.domain.conversation.paging import FactPosition, Page, PageRequest
from recollect.domain.facts.fact import Fact, FactChange, FactEdit
from recollect.domain.facts.query import FactFilter, FactSort
from recollect.domain.facts.slots import has_one_value
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Vector
from recollect.engines.in_memory.data import InMemoryStore, cut_page
from recollect.ports.facts import EmbeddedFact, FactStats


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
        changed: dict[UUID, EmbeddedFact] = {}
        for edit in edits:
            fact_id = edit.fact.fact_id
            known = owner.facts.get(fact_id)
            version = 0 if known is None else known.fact.version
            if fact_id in changed or version != edit.fact.version - 1:
                return False
            changed[fact_id] = _next_version(known, edit.fact, vectors.get(fact_id))
        facts = owner.facts | changed
        changes = [*owner.fact_changes, *(edit.change for edit in edits)]
        if _has_twice(claims_of(facts.values())) or _has_twice(statements_in(changes)):
            return False
        owner.facts, owner.fact_changes, owner.known_as = facts, changes, scope
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
        compared = [(one.fact, _cosine(one, vector, model)) for one in self._active(scope)]
        compared.sort(key=_nearness, reverse=True)
        nearest, others = compared[:limit], compared[limit:]
        about = sorted((fact for fact, _ in compared if fact.slot in slots), key=_last_changed)
        nearest += (one for one in others if one[0] in about[:limit])
        return tuple((fact, cosine or 0.0) for fact, cosine in nearest)

    async def touch(self, scope: Scope, fact_ids: Collection[UUID], *, at: datetime) -> None:
        facts = self.data.of(scope.owner_id).facts
        for fact_id in facts.keys() & set(fact_ids):
            fact = facts[fact_id].fact
            accessed_at = max(fact.accessed_at, at)
            used = replace(fact, access_count=fact.access_count + 1, accessed_at=accessed_at)
            facts[fact_id] = replace(facts[fact_id], fact=used)

    async def stats(self, scope: Scope) -> FactStats:
        facts = [one.fact for one in self.data.of(scope.owner_id).facts.values()]
        active = [fact for fact in facts if fact.is_active]
        return FactStats(
            total=len(facts),
            by_type=Counter(str(fact.type) for fact in active),
            by_priority=Counter(str(fact.priority) for fact in active),
            by_status=Counter(str(fact.status) for fact in facts),
            by_week=Counter(sorted(_monday(fact.created_at) for fact in facts)),
        )

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


def _next_version(
    known: EmbeddedFact | None, fact: Fact, embedded: EmbeddedFact | None
) -> EmbeddedFact:
    """The fact as it is stored: with the accesses counted since it was read, and its vector."""
    if known is not None:
        fact = replace(
            fact,
            created_at=known.fact.created_at,
            accessed_at=max(known.fact.accessed_at, fact.accessed_at),
            access_count=max(known.fact.access_count, fact.access_count),
        )
    if embedded is not None and embedded.model is not None and embedded.vector is not None:
        return EmbeddedFact(fact=fact, model=embedded.model, vector=embedded.vector)
    if known is not None and known.fact.content == fact.content:
        return replace(known, fact=fact)
    return EmbeddedFact(fact=fact)


def claims_of(facts: Iterable[EmbeddedFact]) -> Iterator[tuple[str, str | None]]:
    """What only one active fact may have: its words, and a slot of one value."""
    for one in facts:
        if one.fact.is_active:
            yield "gist", one.fact.gist
            if has_one_value(one.fact.slot):
                yield "slot", one.fact.slot


def statements_in(changes: Iterable[FactChange]) -> Iterator[tuple[UUID, str]]:
    """What was learnt from messages: once, however often one is read."""
    for change in changes:
        if change.message_id is not None and change.statement is not None:
            yield change.message_id, change.statement


def _has_twice(items: Iterable[tuple[object, ...]]) -> bool:
    return any(count > 1 for count in Counter(items).values())


def _cosine(one: EmbeddedFact, vector: Vector, model: str) -> float | None:
    if one.vector is None or one.model != model or len(one.vector) != len(vector):
        return None
    return math.fsum(map(operator.mul, one.vector, vector))


def _nearness(compared: tuple[Fact, float | None]) -> tuple[bool, float, datetime, UUID]:
    fact, cosine = compared
    return cosine is not None, cosine or 0.0, fact.created_at, fact.fact_id


def _last_changed(fact: Fact) -> tuple[float, int]:
    return -fact.updated_at.timestamp(), -fact.fact_id.int


def _monday(moment: datetime) -> str:
    day = moment.astimezone(UTC).date()
    return (day - timedelta(days=day.weekday())).isoformat()
