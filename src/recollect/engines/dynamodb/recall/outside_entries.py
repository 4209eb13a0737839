"""Entries whose vectors are in a store outside."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from recollect.domain.recall.entry import Entry
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.recall.entries_head import count_written_entries
from recollect.engines.dynamodb.recall.entry_items import (
    ENTRIES_PREFIX,
    StoredEntry,
    entry_from,
    entry_key_of,
)
from recollect.engines.dynamodb.recall.index import DynamoRecallIndex
from recollect.engines.dynamodb.recall.removals import RemovalNotes, put_removal
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Attribute, Item
from recollect.engines.dynamodb.table.keys import owner_of
from recollect.engines.dynamodb.table.table import Table
from recollect.ports.recall import EntryKey, Removal
from recollect.ports.runtime import Clock


class DynamoOutsideEntries(DynamoStore):
    """Implements `recollect.ports.recall.OutsideEntries`.

    An entry's item says which store may have its vector. What deletes such an item leaves a note
    before, or in the same transaction, which leads a worker to the vector.
    """

    def __init__(self, table: Table, clock: Clock, *, kept_in: str) -> None:
        super().__init__(table, clock)
        self._kept_in = kept_in
        self._notes = RemovalNotes(table, kept_in)
        self._index = DynamoRecallIndex(table, clock, kept_in=kept_in)

    @property
    def kept_in(self) -> str:
        return self._kept_in

    async def claim(self, owner_id: UUID, entries: Sequence[Entry]) -> tuple[EntryKey | None, ...]:
        stored = await self._living(owner_id, {entry.session_id for entry in entries})
        known = {one.entry: (one, item) for one, item in stored}
        found = [known.get(entry) for entry in entries]
        elsewhere = [pair for pair in found if pair and pair[0].kept_in != self._kept_in]
        for one, item in elsewhere:
            await self._change(item, keptIn=self._kept_in, **_model_of(one))
        if elsewhere:
            await self._notes.delete_of(owner_id, {one.number for one, _ in elsewhere})
        return tuple(None if pair is None else pair[0].key for pair in found)

    async def place(
        self,
        owner_id: UUID,
        keys: Collection[EntryKey],
        *,
        model: str,
        dimensions: int,  # noqa: ARG002  # the name of the model tells it
    ) -> None:
        stored = await self._living(owner_id, {key.session_id for key in keys})
        there = {one.key: item for one, item in stored if one.kept_in == self._kept_in}
        # What is deleted between reading and writing is noted by whoever deletes it, too.
        gone = [
            key
            for key in keys
            if key not in there or not await self._change(there[key], model=model, vector=None)
        ]
        await self._notes.put(owner_id, gone)

    async def displace(self, owner_id: UUID, keys: Collection[EntryKey]) -> None:
        stored = await self._living(owner_id, {key.session_id for key in keys})
        for one, item in stored:
            if one.key in keys and one.kept_in == self._kept_in and not one.has_vector:
                await self._change(item, model=None)

    async def keys(self, owner_id: UUID, *, model: str | None = None) -> frozenset[EntryKey]:
        return frozenset(
            [
                entry_key_of(item)
                async for item in self.table.sealed.items(owner_id, ENTRIES_PREFIX)
                if item.get("keptIn") == self._kept_in and model in {None, item.get("model")}
            ]
        )

    async def owners(self, *, model: str) -> frozenset[UUID]:
        return frozenset(
            [
                scope.owner_id
                for scope in await self._index.owners()
                if await self.keys(scope.owner_id, model=model)
            ]
        )

    async def removals(self, *, limit: int) -> tuple[Removal, ...]:
        return await self._notes.of_all(limit=limit)

    async def removed(self, removals: Collection[Removal]) -> None:
        of_owner: defaultdict[UUID, set[int]] = defaultdict(set)
        for removal in removals:
            of_owner[removal.owner_id].add(removal.removal_id)
        for owner_id, ids in of_owner.items():
            await self._notes.delete(owner_id, ids)

    async def count_removals(self) -> int:
        return await self._notes.count()

    async def _living(
        self, owner_id: UUID, session_ids: Iterable[UUID]
    ) -> list[tuple[StoredEntry, Item]]:
        """The entries of sessions that readers find, with their items."""
        visible = await self._index.visible(owner_id, session_ids)
        found: list[tuple[StoredEntry, Item]] = []
        for session_id, one in visible.items():
            prefix = f"{ENTRIES_PREFIX}{session_id}#{one.incarnation}#"
            found += [(entry_from(item), item) async for item in self.table.items(owner_id, prefix)]
        return [pair for pair in found if pair[0].is_valid(visible[pair[0].key.session_id])]

    async def _change(self, item: Item, **attributes: Attribute | None) -> bool:
        """Change an entry that is still the one that was read; whether it is."""
        changed = {**item, **attributes}
        transaction = self.table.transaction()
        transaction.put_if(changed, "entryNumber = :read", {":read": item["entryNumber"]})
        count_written_entries(transaction, owner_of(item))
        if "keptIn" in attributes:
            put_removal(transaction, item)
        try:
            await self.table.write(transaction)
        except ConditionFailed:
            return False
        return True


def _model_of(one: StoredEntry) -> dict[str, Attribute | None]:
    """Of a vector that a third store has, this one has none; one in the table stays."""
    return {} if one.has_vector else {"model": None}
