"""The facts of one owner as they were read, and what of new ones fits into a transaction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias
from uuid import UUID

from recollect.domain.facts.fact import FactChange, FactRecord
from recollect.domain.facts.stored import EmbeddedFact
from recollect.engines.dynamodb.facts.fact_items import (
    embedded_fact_from,
    fact_item,
    history_from,
    history_item,
)
from recollect.engines.dynamodb.table.items import Item, size_of
from recollect.engines.dynamodb.table.transaction import MAX_BYTES, version_of
from recollect.ports.facts import EDITS_AT_ONCE

Changes: TypeAlias = tuple[FactChange, ...]


class OwnerFacts:
    """The facts of an owner by id, with their histories."""

    def __init__(self, head: Item | None, facts: Iterable[Item], histories: Iterable[Item]) -> None:
        self.read = version_of(head)
        """The version of the item that all changes of the owner's facts write."""
        self.items = {UUID(str(item["factId"])): item for item in facts}
        self.facts = {key: embedded_fact_from(item) for key, item in self.items.items()}
        self.histories = {UUID(str(item["factId"])): history_from(item) for item in histories}

    @property
    def changes(self) -> Iterator[FactChange]:
        """The changes of all facts."""
        return (change for history in self.histories.values() for change in history)

    def add(self, facts: Mapping[UUID, EmbeddedFact], histories: Mapping[UUID, Changes]) -> None:
        """Know new facts that were stored on top of these."""
        self.read += 1
        self.facts |= facts
        self.histories |= histories


def records_at_once(
    owner_id: UUID, records: Sequence[FactRecord]
) -> Iterator[Sequence[FactRecord]]:
    """Yield records in parts that one transaction takes: by their number, and by their bytes."""
    part: list[FactRecord] = []
    size = 0
    for record in records:
        fact_id, own = record.fact.fact_id, EmbeddedFact(fact=record.fact)
        items = fact_item(owner_id, own), history_item(owner_id, fact_id, record.history)
        more = sum(map(size_of, items))
        if part and (len(part) == EDITS_AT_ONCE or size + more > MAX_BYTES):
            yield part
            part, size = [], 0
        part.append(record)
        size += more
    if part:
        yield part
