"""Facts as stores have them: with their vectors, each statement once, and what follows from it.

The rules are for stores that hold an owner's facts in the process; PostgreSQL has them as SQL.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from recollect.domain.facts.fact import Fact, FactChange, FactEdit
from recollect.domain.facts.slots import has_one_value
from recollect.domain.vectors import Vector, cosine


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedFact:
    """A fact with its vector; None while no model has embedded it."""

    fact: Fact
    model: str | None = None
    vector: Vector | None = None

    def next_version(self, fact: Fact, embedded: "EmbeddedFact | None") -> "EmbeddedFact":
        """The fact as it is stored: with the accesses counted since it was read, and its vector."""
        known = self.fact
        fact = replace(
            fact,
            created_at=known.created_at,
            accessed_at=max(known.accessed_at, fact.accessed_at),
            access_count=max(known.access_count, fact.access_count),
        )
        new = first_version(fact, embedded)
        keeps_vector = new.vector is None and known.content == fact.content
        return replace(self, fact=fact) if keeps_vector else new


def first_version(fact: Fact, embedded: EmbeddedFact | None) -> EmbeddedFact:
    """A new fact as it is stored, with the vector that was made for it."""
    if embedded is None or embedded.model is None or embedded.vector is None:
        return EmbeddedFact(fact=fact)
    return replace(embedded, fact=fact)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactStats:
    """How many facts an owner has."""

    total: int
    """Of any status."""
    by_type: Mapping[str, int] = field(default_factory=dict)
    """Active ones."""
    by_priority: Mapping[str, int] = field(default_factory=dict)
    """Active ones."""
    by_status: Mapping[str, int] = field(default_factory=dict)
    by_week: Mapping[str, int] = field(default_factory=dict)
    """Created ones, by the Monday of the week, as `2026-11-16`; weeks without any are left out."""


def committed(
    edits: Sequence[FactEdit],
    vectors: Mapping[UUID, EmbeddedFact],
    *,
    known: Mapping[UUID, EmbeddedFact],
    changes: Iterable[FactChange],
) -> dict[UUID, EmbeddedFact] | None:
    """Return the next versions of facts; None if one has changed, or would be there twice.

    `known` and `changes` are all facts of the owner and their histories.
    """
    changed: dict[UUID, EmbeddedFact] = {}
    for edit in edits:
        fact_id = edit.fact.fact_id
        before = known.get(fact_id)
        version = 0 if before is None else before.fact.version
        if fact_id in changed or version != edit.fact.version - 1:
            return None
        vector = vectors.get(fact_id)
        changed[fact_id] = (
            first_version(edit.fact, vector)
            if before is None
            else before.next_version(edit.fact, vector)
        )
    facts = {**known, **changed}
    statements = statements_in([*changes, *(edit.change for edit in edits)])
    is_twice = _has_twice(claims_of(facts.values())) or _has_twice(statements)
    return None if is_twice else changed


def claims_of(facts: Iterable[EmbeddedFact]) -> Iterator[tuple[str, str | None]]:
    """Yield what only one active fact may have: its words, and a slot of one value."""
    for one in facts:
        if one.fact.is_active:
            yield "gist", one.fact.gist
            if has_one_value(one.fact.slot):
                yield "slot", one.fact.slot


def statements_in(changes: Iterable[FactChange]) -> Iterator[tuple[UUID, str]]:
    """Yield what was learnt from messages: once, however often one is read."""
    for change in changes:
        if change.message_id is not None and change.statement is not None:
            yield change.message_id, change.statement


def _has_twice(items: Iterable[tuple[object, ...]]) -> bool:
    return any(count > 1 for count in Counter(items).values())


def nearest_facts(
    active: Iterable[EmbeddedFact],
    vector: Vector,
    *,
    model: str,
    limit: int,
    slots: Collection[str] = (),
) -> tuple[tuple[Fact, float], ...]:
    """Return the nearest of the active facts with their cosines, and the last ones of slots."""
    compared = [(one.fact, _cosine(one, vector, model)) for one in active]
    compared.sort(key=_nearness, reverse=True)
    nearest, others = compared[:limit], compared[limit:]
    about = sorted((fact for fact, _ in compared if fact.slot in slots), key=_last_changed)
    nearest += (one for one in others if one[0] in about[:limit])
    return tuple((fact, near or 0.0) for fact, near in nearest)


def similarities_to(
    vector: Vector | None, active: Iterable[EmbeddedFact], *, model: str | None
) -> dict[UUID, float]:
    """How near each fact is to a vector of the model, by fact id; 0 where one has none."""
    if vector is None or model is None:
        return {one.fact.fact_id: 0.0 for one in active}
    return {one.fact.fact_id: _cosine(one, vector, model) or 0.0 for one in active}


def _cosine(one: EmbeddedFact, vector: Vector, model: str) -> float | None:
    if one.vector is None or one.model != model or len(one.vector) != len(vector):
        return None
    return cosine(one.vector, vector)


def _nearness(compared: tuple[Fact, float | None]) -> tuple[bool, float, datetime, UUID]:
    fact, near = compared
    return near is not None, near or 0.0, fact.created_at, fact.fact_id


def _last_changed(fact: Fact) -> tuple[float, int]:
    return -fact.updated_at.timestamp(), -fact.fact_id.int


def stats_of(facts: Collection[Fact]) -> FactStats:
    """Count the facts of an owner."""
    active = [fact for fact in facts if fact.is_active]
    return FactStats(
        total=len(facts),
        by_type=Counter(str(fact.type) for fact in active),
        by_priority=Counter(str(fact.priority) for fact in active),
        by_status=Counter(str(fact.status) for fact in facts),
        by_week=Counter(sorted(_monday(fact.created_at) for fact in facts)),
    )


def _monday(moment: datetime) -> str:
    day = moment.astimezone(UTC).date()
    return (day - timedelta(days=day.weekday())).isoformat()
