"""Facts as far as their owner may see them: one learnt from tables that are hidden now is not."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from recollect.domain.conversation.message import Visibility
from recollect.domain.facts.fact import Fact, FactRecord
from recollect.domain.identity.permissions import WITHHELD, Access

_HIDDEN: Final = {"content": WITHHELD, "statement": None, "reason": None}


def is_visible(fact: Fact, access: Access) -> bool:
    """Whether the owner may see all tables that the fact draws on."""
    return access.visibility_of(fact.tables) is Visibility.ALL


def visible(facts: Iterable[Fact], access: Access) -> tuple[Fact, ...]:
    """The facts that may be seen."""
    return tuple(fact for fact in facts if is_visible(fact, access))


def shown_fact(fact: Fact, access: Access) -> Fact:
    """The fact as its owner may list it: with a placeholder for words that are kept back."""
    if is_visible(fact, access):
        return fact
    evidence = None if fact.evidence is None else replace(fact.evidence, quote=WITHHELD)
    return replace(fact, content=WITHHELD, evidence=evidence, tables=())


def shown_record(record: FactRecord, access: Access) -> FactRecord:
    """The same with the history."""
    if is_visible(record.fact, access):
        return record
    history = tuple(replace(change, **_HIDDEN) for change in record.history)  # type: ignore[arg-type]  # names and types are those of its fields
    return FactRecord(fact=shown_fact(record.fact, access), history=history)
