"""The recall index: entries in the table, compared in the process."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Final
from uuid import UUID

from recollect.concurrency import off_loop
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    Candidate,
    Entry,
    IndexedEntry,
    RecallQuery,
)
from recollect.domain.vectors import Vector
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.purging import CHANGES, count_entries_change
from recollect.engines.dynamodb.conversations.session_items import stored_scope
from recollect.engines.dynamodb.conversations.store import OWNERS, DynamoStore
from recollect.engines.dynamodb.facts.fact_items import vector_bytes
from recollect.engines.dynamodb.recall.entries_head import (
    OWNERS_WITH_ENTRIES,
    EntriesHead,
    count_written_entries,
    read_head,
)
from recollect.engines.dynamodb.recall.entry_cache import MAX_BYTES, EntryCache
from recollect.engines.dynamodb.recall.entry_items import (
    ENTRIES_PREFIX,
    StoredEntry,
    entry_from,
    entry_item,
)
from recollect.engines.dynamodb.recall.owner_entries import OwnerEntries
from recollect.engines.dynamodb.recall.removals import put_removal
from recollect.engines.dynamodb.table.items import (
    Attribute,
    Item,
)
from recollect.engines.dynamodb.table.keys import (
    ENTRIES,
    OWNER,
    entry_key,
    entry_prefix,
    key_of,
    message_id_key,
    name_of,
    owner_of,
    session_key,
)
from recollect.engines.dynamodb.table.table import Table, in_parts
from recollect.engines.dynamodb.work.embedded import note_model
from recollect.errors import ContentUnreadable
from recollect.ports.runtime import Clock

_AT_ONCE: Final = 48
"""Entries of one transaction, each with the note of a vector outside."""
_MOST_OWNERS: Final = 100_000
_OWNERS_AT_ONCE: Final = 8


class DynamoRecallIndex(DynamoStore):
    """Implements `recollect.ports.recall.RecallIndex`.

    DynamoDB compares no words and no vectors. The entries of an owner are read whole and cached;
    a counter of their changes, read with every search, tells whether they are still as stored.
    Many entries are parsed and searched in a thread.
    """

    def __init__(
        self,
        table: Table,
        clock: Clock,
        *,
        kept_in: str | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """With `kept_in`, new entries are noted as perhaps copied to the store of that name."""
        super().__init__(table, clock)
        self._kept_in = kept_in
        self._cache = EntryCache(max_bytes)

    def forget(self, owner_id: UUID) -> None:
        """Drop what is cached of the owner."""
        self._cache.drop(owner_id)

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
            head = await read_head(self.table, scope.owner_id)
            prefix = entry_prefix(session_id, one.incarnation)
            before = [
                item
                async for item in self.table.sealed.items(scope.owner_id, prefix)
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
            await self._store(scope, one, head, before, new)

        await self.table.repeated(attempt)

    async def _store(
        self,
        scope: Scope,
        one: Conversation,
        head: EntriesHead,
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
        model = head.with_entries(new) if new else head.model
        for part in in_parts(pairs, _AT_ONCE):
            transaction = self.table.transaction()
            transaction.check_version(session, one.version)
            if model is None:
                count_entries_change(transaction, scope.owner_id)
            else:
                count_written_entries(transaction, scope.owner_id, model=model, read=head)
                head = head._replace(model=model)
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
        entries = await self._entries(scope.owner_id)
        while True:
            found = await off_loop(partial(entries.search, query), characters=entries.characters)
            # What is found counts with what is around it: the whole sessions are looked at.
            sessions = {candidate.entry.session_id for candidate in found}
            hidden = await self._hidden(scope.owner_id, entries, sessions)
            if not hidden:
                return found
            entries = await off_loop(
                partial(entries.without, hidden), characters=entries.characters
            )

    async def _hidden(
        self, owner_id: UUID, entries: OwnerEntries, sessions: Iterable[UUID]
    ) -> set[int]:
        """Where the entries of sessions are whose messages readers do not find."""
        visible = {**dict.fromkeys(sessions), **await self.visible(owner_id, sessions)}
        return await off_loop(partial(entries.hidden, visible), characters=entries.characters)

    async def visible(self, owner_id: UUID, sessions: Iterable[UUID]) -> dict[UUID, Conversation]:
        """Return the sessions that readers find, by their ids."""
        now = self.clock.now()
        found = await self.sealed_data.many(owner_id, sessions)
        return {key: one for key, one in found.items() if one.is_visible(now)}

    async def _entries(self, owner_id: UUID) -> OwnerEntries:
        """All entries of an owner, from the cache if they are as stored."""
        known = self._cache.get(owner_id)
        if known is not None and known.changes == await self._changes(owner_id):
            return known
        # Searches that come at once read and parse them once.
        async with self.table.alone(owner_id, ENTRIES_PREFIX):
            return await self._read_entries(owner_id)

    async def _read_entries(self, owner_id: UUID) -> OwnerEntries:
        changes, known = await self._changes(owner_id), self._cache.get(owner_id)
        if known is not None and known.changes == changes:
            return known
        drops = self._cache.drops
        items = [item async for item in self.table.items(owner_id, ENTRIES_PREFIX)]
        entries = await off_loop(
            partial(OwnerEntries.of, items, changes=changes),
            characters=sum(len(str(item["entry"])) for item in items),
        )
        self._cache.put(owner_id, entries, drops=drops)
        return entries

    async def _changes(self, owner_id: UUID) -> int:
        return (await read_head(self.table, owner_id)).changes

    async def _valid(self, owner_id: UUID) -> list[StoredEntry]:
        """The entries of an owner whose messages readers find."""
        entries = await self._entries(owner_id)
        hidden = await self._hidden(owner_id, entries, entries.sessions)
        return [one for at, one in enumerate(entries.stored) if at not in hidden]

    async def valid_entries(self, scope: Scope) -> list[Entry]:
        """All that recall finds of an owner, by session and number."""
        return [one.entry for one in await self._valid(scope.owner_id)]

    async def speakers(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        entries = [one.entry for one in await self._valid(scope.owner_id)]
        names = {entry.speaker for entry in entries if entry.speaker is not None}
        return tuple(islice(names, limit))

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Entry], ...]:
        found: list[tuple[Scope, Entry]] = []
        async for scope, entries in self._outdated(model, at_once=1):
            found += [(scope, entry) for entry in entries]
            if len(found) >= limit:
                break
        return tuple(found[:limit])

    async def count_outdated(self, *, model: str) -> int:
        found = self._outdated(model, at_once=_OWNERS_AT_ONCE)
        return sum([len(entries) async for _, entries in found])

    async def _outdated(
        self, model: str, *, at_once: int
    ) -> AsyncIterator[tuple[Scope, list[Entry]]]:
        """Yield owners with their entries that the model has not embedded, some read at once."""
        keys = await self.table.waiting_elsewhere(OWNERS_WITH_ENTRIES, model, limit=_MOST_OWNERS)
        for part in in_parts(keys, at_once):
            scopes = await self._scopes([key_of(owner_of(key), OWNER) for key in part])
            read = [self._outdated_of(scope.owner_id, model) for scope in scopes]
            for scope, entries in zip(scopes, await asyncio.gather(*read), strict=True):
                yield scope, entries

    async def _outdated_of(self, owner_id: UUID, model: str) -> list[Entry]:
        """Return an owner's entries that the model has not embedded; note if there are none."""
        try:
            entries = await self._entries(owner_id)
        except ContentUnreadable:  # those of other owners are embedded all the same
            return []
        outdated = [at for at, one in enumerate(entries.stored) if one.is_outdated(model)]
        if not outdated:
            key = key_of(owner_id, ENTRIES)
            await note_model(self.table, key, model, counter=CHANGES, read=entries.changes)
            return []
        hidden = await self._hidden(owner_id, entries, entries.sessions)
        return [entries.stored[at].entry for at in outdated if at not in hidden]

    async def owners(self) -> list[Scope]:
        """Return all users, for background work."""
        return await self._scopes(await self.table.waiting(OWNERS, limit=_MOST_OWNERS))

    async def _scopes(self, keys: Iterable[Item]) -> list[Scope]:
        """The users among owners, by the keys of their items."""
        items = await self.table.get_many(keys)
        return [stored_scope(item) for item in items.values() if item.get("user")]

    async def embed(
        self, scope: Scope, vectors: Sequence[tuple[Entry, Vector]], *, model: str
    ) -> None:
        valid = {one.entry: one for one in await self._valid(scope.owner_id)}
        for part in in_parts([pair for pair in vectors if pair[0] in valid], _AT_ONCE):
            for entry, vector in part:
                await self._embed(scope, valid[entry], entry, vector, model)

    async def _embed(
        self, scope: Scope, stored: StoredEntry, entry: Entry, vector: Vector, model: str
    ) -> None:
        async def attempt() -> None:
            key = entry_key(entry.session_id, stored.incarnation, entry.sequence)
            item = await self.table.get(scope.owner_id, key)
            if item is None or entry_from(item).entry != entry:
                return
            transaction = self.table.transaction()
            changed = {**item, "model": model, "vector": vector_bytes(vector), "keptIn": None}
            transaction.put_if(changed, "entryNumber = :read", {":read": item["entryNumber"]})
            put_removal(transaction, item)
            count_written_entries(transaction, scope.owner_id)
            await self.table.write(transaction)

        await self.table.repeated(attempt)
