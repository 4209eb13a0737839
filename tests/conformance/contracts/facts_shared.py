"""What the contracts of a fact store work with."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from recollect.domain.conversation.paging import PageRequest
from recollect.domain.facts.fact import (
    ChangeKind,
    Evidence,
    Fact,
    FactChange,
    FactEdit,
    FactSource,
    FactStatus,
    FactType,
    Priority,
)
from recollect.domain.facts.query import FactFilter, FactSort
from recollect.domain.facts.stored import EmbeddedFact
from recollect.domain.identity.scope import Scope
from recollect.domain.vectors import Vector
from recollect.ports import Stores
from recollect.testing import FIRST_MOMENT

ANY_STATUS: Final = FactFilter(status=None)


def a_fact(  # each is a column that some test is about
    content: str = "The user works at Philips.",
    *,
    slot: str | None = None,
    type: FactType = FactType.FACT,  # noqa: A002  # named as the field
    priority: Priority = Priority.HIGH,
    created_at: datetime = FIRST_MOMENT,
    evidence: Evidence | None = None,
) -> Fact:
    """A new fact, active."""
    return Fact(
        fact_id=uuid4(),
        type=type,
        priority=priority,
        content=content,
        source=FactSource.EXTRACTED,
        created_at=created_at,
        updated_at=created_at,
        accessed_at=created_at,
        valid_from=created_at,
        slot=slot,
        evidence=evidence,
    )


def evidence_of(quote: str) -> Evidence:
    """The words of a message that is stored nowhere."""
    return Evidence(session_id=uuid4(), message_id=uuid4(), turn_number=None, quote=quote)


def an_edit(
    fact: Fact,
    kind: ChangeKind | None = None,
    *,
    message_id: UUID | None = None,
    statement: str | None = None,
) -> FactEdit:
    """A version of a fact with the line of its history."""
    change = FactChange(
        fact_id=fact.fact_id,
        version=fact.version,
        kind=kind or (ChangeKind.CREATED if fact.version == 1 else ChangeKind.EDITED),
        at=fact.updated_at,
        actor="extractor",
        content=fact.content,
        status=fact.status,
        reason="said so",
        message_id=message_id,
        statement=statement,
    )
    return FactEdit(fact=fact, change=change)


async def commit(
    stores: Stores,
    scope: Scope,
    *facts: Fact,
    vector: Vector | None = None,
    model: str = "model-a:3",
) -> bool:
    """Store versions of facts, all with the same vector if there is one."""
    embedded = [EmbeddedFact(fact=fact, model=model, vector=vector) for fact in facts]
    vectors = {one.fact.fact_id: one for one in embedded} if vector is not None else {}
    return await stores.facts.commit(scope, [an_edit(fact) for fact in facts], vectors)


async def store(stores: Stores, scope: Scope, *facts: Fact) -> Sequence[Fact]:
    """Store versions of facts that nothing speaks against."""
    assert await commit(stores, scope, *facts)
    return facts


def superseded(fact: Fact, at: datetime = FIRST_MOMENT) -> Fact:
    """The fact as another one has taken its place."""
    return fact.ended(FactStatus.SUPERSEDED, at)


def accessed(fact: Fact, at: datetime) -> Fact:
    """The fact as it was when it was used at some moment."""
    return replace(fact, accessed_at=at, access_count=fact.access_count + 1)


async def contents(
    stores: Stores,
    scope: Scope,
    filters: FactFilter = ANY_STATUS,
    sort: FactSort = FactSort.CREATED,
) -> list[str]:
    """The contents of the owner's facts in their order."""
    page = await stores.facts.list(scope, PageRequest(), filters=filters, sort=sort)
    return [fact.content for fact in page.items]
