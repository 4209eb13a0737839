"""Recall entries as items of the table."""

import secrets
from collections.abc import Mapping, Sequence
from sys import intern
from typing import Final, NamedTuple
from uuid import UUID

from recollect.domain.recall.entry import Entry, IndexedEntry
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.facts.fact_items import vector_bytes
from recollect.engines.dynamodb.table.items import (
    Attribute,
    Item,
    json_from,
    json_text,
    time_from,
    time_text,
)
from recollect.engines.dynamodb.table.keys import SORT, entry_key, key_of
from recollect.ports.recall import EntryKey

ENTRIES_PREFIX: Final = "@entry#"
_LONGEST_TEXT: Final = 90_000
"""Characters of an entry; what is longer is cut, in the entry alone."""
_NUMBERS: Final = 2**53


class StoredEntry(NamedTuple):
    """An entry with the numbers of its messages and the incarnation of its session."""

    entry: Entry
    terms: Mapping[str, int]
    model: str | None
    has_vector: bool
    """Whether its item has a vector of the model."""
    sequences: tuple[int, ...]
    incarnation: str
    number: int
    """What names it among the owner's entries, for good."""
    kept_in: str | None
    """The store outside that may have its vector."""

    def is_valid(self, one: Conversation | None) -> bool:
        """Whether all its messages are on the active branch of its session."""
        return (
            one is not None
            and one.incarnation == self.incarnation
            and all(map(one.is_active, self.sequences))
        )

    def is_outdated(self, model: str) -> bool:
        """Whether no vector of that model is stored, here or outside."""
        is_somewhere = self.has_vector or self.kept_in is not None
        return self.model != model or not is_somewhere

    @property
    def key(self) -> EntryKey:
        """What a store outside calls it."""
        return EntryKey(session_id=self.entry.session_id, number=self.number)


def entry_item(
    owner_id: UUID,
    incarnation: str,
    indexed: IndexedEntry,
    sequences: Sequence[int],
    *,
    kept_in: str | None,
) -> dict[str, Attribute | None]:
    """The item of a new entry, under a number that no entry had before."""
    entry = indexed.entry
    written = {
        "sessionId": str(entry.session_id),
        "turn": entry.turn_number,
        "sequence": entry.sequence,
        "messages": [str(each) for each in entry.message_ids],
        "text": entry.text[:_LONGEST_TEXT],
        "saidAt": time_text(entry.said_at),
        "speaker": entry.speaker,
        "tables": entry.tables,
        "terms": dict(indexed.terms),
    }
    return {
        **key_of(owner_id, entry_key(entry.session_id, incarnation, entry.sequence)),
        "turnNumber": entry.turn_number,
        "incarnation": incarnation,
        "sequences": json_text([*sequences]),
        "entry": json_text(written),
        "entryNumber": secrets.randbelow(_NUMBERS),
        "keptIn": kept_in,
        "model": indexed.model,
        "vector": None if indexed.vector is None else vector_bytes(indexed.vector),
    }


def entry_key_of(item: Item) -> EntryKey:
    """What a store outside calls the entry of an item, which need not be read for that."""
    session_id = UUID(str(item[SORT]).split("#")[1])
    return EntryKey(session_id=session_id, number=int(item["entryNumber"]))


def entry_from(item: Item) -> StoredEntry:
    """Read the item of an entry, all but its vector."""
    written = json_from(item["entry"])
    model, kept_in = item.get("model"), item.get("keptIn")
    entry = Entry(
        session_id=UUID(written["sessionId"]),
        turn_number=written["turn"],
        sequence=written["sequence"],
        message_ids=tuple(map(UUID, written["messages"])),
        text=written["text"],
        said_at=time_from(written["saidAt"]),
        speaker=written["speaker"],
        tables=tuple(written["tables"]),
    )
    return StoredEntry(
        entry,
        # Entries of an owner share most of their words.
        {intern(term): count for term, count in written["terms"].items()},
        None if model is None else str(model),
        "vector" in item,
        tuple(json_from(item["sequences"])),
        str(item["incarnation"]),
        int(item["entryNumber"]),
        None if kept_in is None else str(kept_in),
    )
