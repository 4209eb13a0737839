"""The recall index: entries in the table, compared in the process."""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Final
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    Candidate,
    Entry,
    IndexedEntry,
    RecallQuery,
)
from recollect.domain.recall.whole_search import search_entries
from recollect.domain.vectors import Vector
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.purging import count_entries_change
from recollect.engines.dynamodb.conversations.session_items import stored_scope
from recollect.engines.dynamodb.conversations.store import OWNERS, DynamoStore
from recollect.engines.dynamodb.facts.fact_items import vector_bytes
from recollect.engines.dynamodb.recall.entry_items import (
    ENTRIES_PREFIX,
    StoredEntry,
    entry_from,
    entry_item,
)
from recollect.engines.dynamodb.recall.removals import put_removal
from recollect.engines.dynamodb.table.items import (
    Attribute,
    Item,
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

_CACHED_OWNERS: Final = 200
_AT_ONCE: Final = 48
"""Entries of one transaction, each with the note of a vector outside."""
_MOST_OWNERS: Final = 100_000


class DynamoRecallIndex(DynamoStore):
    """Implements `recollect.ports.recall.RecallIndex`.

    DynamoDB compares no words and no vectors. The entries of an owner are read whole and cached;
    a counter of their changes, read with every search, tells whether they are still as stored.
    """

    def __init__(self, table: Table, clock: Clock, *, kept_in: str | None = None) -> None:
        """With `kept_in`, new entries are noted as perhaps copied to the store of that name."""
        super().__init__(table, clock)
        self._kept_in = kept_in
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
                entry_item(
                    scope.owner_id,
                    one.incarnation,
                    indexed,
                    sequences[indexed.entry],
                    kept_in=self._kept_in,
                )
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
        after = {name_of(item): item for item in new}
        pairs: list[tuple[Item | None, dict[str, Attribute | None] | None]] = [
            (item, after.pop(name_of(item), None)) for item in before
        ]
        pairs += [(None, item) for item in after.values()]
        session = key_of(scope.owner_id, session_key(one.session_id))
        for part in in_parts(pairs, _AT_ONCE):
            transaction = self.table.transaction()
            transaction.check_version(session, one.version)
            count_entries_change(transaction, scope.owner_id)
            for old, entry in part:
                if old is not None:
                    put_removal(transaction, old)
                if entry is not None:
                    transaction.put(entry)
                elif old is not None:
                    transaction.delete(old)
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
            found = search_entries(
                [one.indexed for one in stored], query, cosines=_cosines_of(stored, query)
            )
            stale = await self._stale(scope, stored, found)
            if not stale:
                return tuple(found.values())
            stored = [one for at, one in enumerate(stored) if at not in stale]

    async def _stale(
        self, scope: Scope, stored: Sequence[StoredEntry], found: Collection[int]
    ) -> set[int]:
        """Which of the entries at these places are of messages that readers do not find."""
        sessions = {stored[at].indexed.entry.session_id for at in found}
        visible = await self.visible(scope.owner_id, sessions)
        # What is found counts with what is around it: the whole sessions are looked at.
        return {
            at
            for at, one in enumerate(stored)
            if one.indexed.entry.session_id in sessions
            and not one.is_valid(visible.get(one.indexed.entry.session_id))
        }

    async def visible(self, owner_id: UUID, sessions: Iterable[UUID]) -> dict[UUID, Conversation]:
        """Return the sessions that readers find, by their ids."""
        now = self.clock.now()
        found = await self.data.many(owner_id, sessions)
        return {key: one for key, one in found.items() if one.is_visible(now)}

    async def _entries(self, owner_id: UUID) -> list[StoredEntry]:
        """All entries of an owner, by session and number."""
        head = await self.table.get(owner_id, ENTRIES)
        changes = int(head["changes"]) if head else 0
        known = self._cache.get(owner_id)
        if known is None or known[0] != changes:
            items = [item async for item in self.table.items(owner_id, ENTRIES_PREFIX)]
            known = changes, tuple(map(entry_from, items))
            self._cache[owner_id] = known
            if len(self._cache) > _CACHED_OWNERS:
                self._cache.popitem(last=False)
        self._cache.move_to_end(owner_id)
        return [*known[1]]

    async def _valid(self, owner_id: UUID) -> list[StoredEntry]:
        """The entries of an owner whose messages readers find."""
        stored = await self._entries(owner_id)
        visible = await self.visible(owner_id, {one.indexed.entry.session_id for one in stored})
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
        for scope in await self.owners():
            for one in await self._valid(scope.owner_id):
                if one.is_outdated(model):
                    found.append((scope, one.indexed.entry))
                if len(found) == limit:
                    return tuple(found)
        return tuple(found)

    async def count_outdated(self, *, model: str) -> int:
        owners = await self.owners()
        stored = await asyncio.gather(*(self._valid(scope.owner_id) for scope in owners))
        return sum(one.is_outdated(model) for part in stored for one in part)

    async def owners(self) -> list[Scope]:
        """Return all users, for background work."""
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
            if item is None or entry_from(item).indexed.entry != entry:
                return
            transaction = self.table.transaction()
            changed = {**item, "model": model, "vector": vector_bytes(vector), "keptIn": None}
            transaction.put_if(changed, "entryNumber = :read", {":read": item["entryNumber"]})
            put_removal(transaction, item)
            count_entries_change(transaction, scope.owner_id)
            await self.table.write(transaction)

        await self.table.repeated(attempt)


def _cosines_of(stored: Sequence[StoredEntry], query: RecallQuery) -> Sequence[float | None] | None:
    """What a store outside says of the entries; None where vectors are compared here."""
    nearest = query.nearest
    if nearest is None:
        return None
    # The store may still have vectors of a model before.
    has_vector = [one.indexed.model == query.model for one in stored]
    return [
        nearest.get(one.number) if has else None
        for one, has in zip(stored, has_vector, strict=True)
    ]
