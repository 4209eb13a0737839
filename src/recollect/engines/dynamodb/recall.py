"""The recall index: entries in the table, compared in the process."""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Candidate, Entry, IndexedEntry, RecallQuery, Vector
from recollect.domain.recall.whole_search import search_entries
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.purging import count_entries_change
from recollect.engines.dynamodb.conversations.session_items import stored_scope
from recollect.engines.dynamodb.conversations.store import OWNERS, DynamoStore
from recollect.engines.dynamodb.facts.fact_items import vector_bytes, vector_from
from recollect.engines.dynamodb.table.items import (
    Attribute,
    Item,
    json_from,
    json_text,
    time_from,
    time_text,
)
from recollect.engines.dynamodb.table.keys import (
    ENTRIES,
    entry_key,
    entry_prefix,
    key_of,
    message_id_key,
    session_key,
)
from recollect.engines.dynamodb.table.table import Table, in_parts, name_of
from recollect.ports.runtime import Clock

_ALL: Final = "@entry#"
_CACHED_OWNERS: Final = 200
_AT_ONCE: Final = 90
_MOST_OWNERS: Final = 100_000
_LONGEST_TEXT: Final = 90_000
"""Characters of an entry; what is longer is cut, in the entry alone."""


class StoredEntry(NamedTuple):
    """An entry with the numbers of its messages and the incarnation of its session."""

    indexed: IndexedEntry
    sequences: tuple[int, ...]
    incarnation: str

    def is_valid(self, one: Conversation | None) -> bool:
        """Whether all its messages are on the active branch of its session."""
        return (
            one is not None
            and one.incarnation == self.incarnation
            and all(map(one.is_active, self.sequences))
        )


class DynamoRecallIndex(DynamoStore):
    """Implements `recollect.ports.recall.RecallIndex`.

    DynamoDB compares no words and no vectors. The entries of an owner are read whole and cached;
    a counter of their changes, read with every search, tells whether they are still as stored.
    """

    def __init__(self, table: Table, clock: Clock) -> None:
        super().__init__(table, clock)
        self._cache: OrderedDict[UUID, tuple[int, tuple[StoredEntry, ...]]] = OrderedDict()

    def forget(self, owner_id: UUID) -> None:
        """Drop what is cached of the owner."""
        self._cache.pop(owner_id, None)

    async def replace(
        self,
        scope: Scope,
        session_id: UUID,
        turns: Sequence[int],
        entries: Sequence[IndexedEntry],
    ) -> None:
        async def attempt() -> None:
            one = await self.data.visible(scope, session_id)
            if one is None:
                return
            prefix = entry_prefix(session_id, one.incarnation)
            before = [
                item
                async for item in self.table.items(scope.owner_id, prefix)
                if int(item["turnNumber"]) in turns
            ]
            sequences = await self._sequences(scope, one, entries)
            new = [
                entry_item(scope.owner_id, one.incarnation, indexed, sequences[indexed.entry])
                for indexed in entries
                if indexed.entry in sequences
            ]
            await self._store(scope, one, before, new)

        await self.table.repeated(attempt)

    async def _store(
        self,
        scope: Scope,
        one: Conversation,
        before: Sequence[Item],
        new: Sequence[dict[str, Attribute | None]],
    ) -> None:
        """Put new entries in the place of others, if the conversation is still as it was read."""
        names = {name_of(item) for item in new}
        gone = [item for item in before if name_of(item) not in names]
        changes: list[tuple[str, Mapping[str, Attribute | None]]] = [
            *(("delete", item) for item in gone),
            *(("put", item) for item in new),
        ]
        session = key_of(scope.owner_id, session_key(one.session_id))
        for part in in_parts(changes, _AT_ONCE):
            transaction = self.table.transaction()
            transaction.check_version(session, one.version)
            count_entries_change(transaction, scope.owner_id)
            for kind, item in part:
                if kind == "put":
                    transaction.put(item)
                else:
                    transaction.delete(dict(item))  # type: ignore[arg-type]  # an item as read
            await self.table.write(transaction)

    async def _sequences(
        self, scope: Scope, one: Conversation, entries: Sequence[IndexedEntry]
    ) -> dict[Entry, tuple[int, ...]]:
        """The numbers of the messages of each entry, for those whose messages are all active."""
        ids = {each for indexed in entries for each in indexed.entry.message_ids}
        keys = {each: key_of(scope.owner_id, message_id_key(each)) for each in ids}
        found = await self.table.get_many(keys.values()) if keys else {}
        numbers: dict[UUID, int] = {}
        for message_id, key in keys.items():
            pointer = found.get(name_of(key))
            place = str(pointer["place"]) if pointer else ""
            _, _, rest = place.partition(f"#{one.incarnation}#")
            if rest and one.is_active(int(rest)):
                numbers[message_id] = int(rest)
        return {
            entry: tuple(numbers[each] for each in entry.message_ids)
            for entry in (indexed.entry for indexed in entries)
            if all(each in numbers for each in entry.message_ids)
        }

    async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
        stored = await self._entries(scope.owner_id)
        while True:
            found = search_entries([one.indexed for one in stored], query)
            stale = await self._stale(scope, stored, found)
            if not stale:
                return tuple(found.values())
            stored = [one for at, one in enumerate(stored) if at not in stale]

    async def _stale(
        self, scope: Scope, stored: Sequence[StoredEntry], found: Collection[int]
    ) -> set[int]:
        """Which of the entries at these places are of messages that readers do not find."""
        sessions = {stored[at].indexed.entry.session_id for at in found}
        visible = await self._visible(scope.owner_id, sessions)
        # What is found counts with what is around it: the whole sessions are looked at.
        return {
            at
            for at, one in enumerate(stored)
            if one.indexed.entry.session_id in sessions
            and not one.is_valid(visible.get(one.indexed.entry.session_id))
        }

    async def _visible(self, owner_id: UUID, sessions: Iterable[UUID]) -> dict[UUID, Conversation]:
        now = self.clock.now()
        found = await self.data.many(owner_id, sessions)
        return {key: one for key, one in found.items() if one.is_visible(now)}

    async def _entries(self, owner_id: UUID) -> list[StoredEntry]:
        """All entries of an owner, by session and number."""
        head = await self.table.get(owner_id, ENTRIES)
        changes = int(head["changes"]) if head else 0
        known = self._cache.get(owner_id)
        if known is None or known[0] != changes:
            items = [item async for item in self.table.items(owner_id, _ALL)]
            known = changes, tuple(map(_entry_from, items))
            self._cache[owner_id] = known
            if len(self._cache) > _CACHED_OWNERS:
                self._cache.popitem(last=False)
        self._cache.move_to_end(owner_id)
        return [*known[1]]

    async def _valid(self, owner_id: UUID) -> list[StoredEntry]:
        """The entries of an owner whose messages readers find."""
        stored = await self._entries(owner_id)
        visible = await self._visible(owner_id, {one.indexed.entry.session_id for one in stored})
        return [one for one in stored if one.is_valid(visible.get(one.indexed.entry.session_id))]

    async def valid_entries(self, scope: Scope) -> list[Entry]:
        """All that recall finds of an owner, by session and number."""
        return [one.indexed.entry for one in await self._valid(scope.owner_id)]

    async def speakers(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        entries = [one.indexed.entry for one in await self._valid(scope.owner_id)]
        names = {entry.speaker for entry in entries if entry.speaker is not None}
        return tuple(islice(names, limit))

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Entry], ...]:
        found: list[tuple[Scope, Entry]] = []
        for scope in await self._owners():
            for one in await self._valid(scope.owner_id):
                if _is_outdated(one.indexed, model):
                    found.append((scope, one.indexed.entry))
                if len(found) == limit:
                    return tuple(found)
        return tuple(found)

    async def count_outdated(self, *, model: str) -> int:
        owners = await self._owners()
        stored = await asyncio.gather(*(self._valid(scope.owner_id) for scope in owners))
        return sum(_is_outdated(one.indexed, model) for part in stored for one in part)

    async def _owners(self) -> list[Scope]:
        keys = await self.table.waiting(OWNERS, limit=_MOST_OWNERS)
        items = await self.table.get_many(keys)
        return [stored_scope(item) for item in items.values() if item.get("user")]

    async def embed(
        self, scope: Scope, vectors: Sequence[tuple[Entry, Vector]], *, model: str
    ) -> None:
        valid = {one.indexed.entry: one for one in await self._valid(scope.owner_id)}
        for part in in_parts([pair for pair in vectors if pair[0] in valid], _AT_ONCE):
            for entry, vector in part:
                await self._embed(scope, valid[entry], entry, vector, model)

    async def _embed(
        self, scope: Scope, stored: StoredEntry, entry: Entry, vector: Vector, model: str
    ) -> None:
        async def attempt() -> None:
            key = entry_key(entry.session_id, stored.incarnation, entry.sequence)
            item = await self.table.get(scope.owner_id, key)
            if item is None or _entry_from(item).indexed.entry != entry:
                return
            transaction = self.table.transaction()
            transaction.put_if(
                {**item, "model": model, "vector": vector_bytes(vector)},
                "entry = :read",
                {":read": item["entry"]},
            )
            count_entries_change(transaction, scope.owner_id)
            await self.table.write(transaction)

        await self.table.repeated(attempt)


def _is_outdated(one: IndexedEntry, model: str) -> bool:
    return one.model != model or one.vector is None


def entry_item(
    owner_id: UUID, incarnation: str, indexed: IndexedEntry, sequences: Sequence[int]
) -> dict[str, Attribute | None]:
    """The item of an entry."""
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
        "model": indexed.model,
        "vector": None if indexed.vector is None else vector_bytes(indexed.vector),
    }


def _entry_from(item: Item) -> StoredEntry:
    written = json_from(item["entry"])
    model = item.get("model")
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
    indexed = IndexedEntry(
        entry=entry,
        terms=written["terms"],
        model=None if model is None else str(model),
        vector=vector_from(item.get("vector")),
    )
    return StoredEntry(indexed, tuple(json_from(item["sequences"])), str(item["incarnation"]))
