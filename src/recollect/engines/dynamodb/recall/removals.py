"""Notes of vectors that have to go from a store outside, because their entries are gone."""

import time
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from typing import Final
from uuid import UUID

from recollect.engines.dynamodb.recall.entry_items import entry_key_of
from recollect.engines.dynamodb.table.items import Item
from recollect.engines.dynamodb.table.keys import (
    OWNER,
    WORK_DUE,
    WORK_QUEUE,
    key_of,
    name_of,
    owner_of,
    queue_of,
)
from recollect.engines.dynamodb.table.table import Table, in_parts
from recollect.engines.dynamodb.table.transaction import Transaction
from recollect.ports.recall import EntryKey, Removal

REMOVALS_PREFIX: Final = "@removal#"
_AT_ONCE: Final = 90
_MOST: Final = 100_000


def put_removal(transaction: Transaction, entry: Item) -> None:
    """Note in a transaction that the vector of an entry, as it was read, has to go."""
    if "keptIn" in entry:
        item = removal_item(owner_of(entry), str(entry["keptIn"]), entry_key_of(entry))
        transaction.put(item)


def removal_item(owner_id: UUID, kept_in: str, key: EntryKey) -> Item:
    """The note of a vector that a store has to lose; later notes have higher ids."""
    removal_id = time.time_ns()
    return {
        **key_of(owner_id, f"{_prefix(kept_in)}{removal_id:020d}#{key.number}"),
        "removalId": removal_id,
        "sessionId": str(key.session_id),
        "number": key.number,
        WORK_QUEUE: queue_of(_queue(kept_in), owner_id),
        WORK_DUE: f"{removal_id:020d}",
    }


async def put_removals(table: Table, entries: Iterable[Item]) -> None:
    """Note the same of entries that are about to be deleted; it may be repeated."""
    for part in in_parts((one for one in entries if "keptIn" in one), _AT_ONCE):
        transaction = table.transaction()
        for entry in part:
            put_removal(transaction, entry)
        await table.write(transaction)


class RemovalNotes:
    """The notes of one store outside."""

    def __init__(self, table: Table, kept_in: str) -> None:
        self._table = table
        self._kept_in = kept_in

    async def of_all(self, *, limit: int) -> tuple[Removal, ...]:
        """Return the oldest of all owners but those whose erasure removes its own."""
        keys = await self._table.waiting(_queue(self._kept_in), limit=limit)
        owners = {owner_of(key): key_of(owner_of(key), OWNER) for key in keys}
        found = await self._table.get_many([*keys, *owners.values()]) if keys else {}
        notes = [found[name_of(key)] for key in keys if name_of(key) in found]
        erased = {
            owner for owner, key in owners.items() if "isBeingErased" in found.get(name_of(key), {})
        }
        return tuple(map(_removal_from, (one for one in notes if owner_of(one) not in erased)))

    async def of_owner(
        self, owner_id: UUID, *, session_id: UUID | None = None, limit: int | None = None
    ) -> AsyncIterator[Item]:
        """Yield the notes of an owner, or of one session, oldest first."""
        prefix = _prefix(self._kept_in)
        async for item in self._table.items(owner_id, prefix, limit=limit):
            if session_id is None or item["sessionId"] == str(session_id):
                yield item

    async def delete(self, owner_id: UUID, removal_ids: Collection[int]) -> None:
        """Delete the notes of these ids."""
        notes = [one async for one in self.of_owner(owner_id) if one["removalId"] in removal_ids]
        await self._table.delete_all(notes)

    async def forget(self) -> int:
        """Delete all notes of all owners, of a store that is no more; how many there were."""
        keys = await self._table.waiting(_queue(self._kept_in), limit=_MOST)
        await self._table.delete_all(keys)
        return len(keys)

    async def count(self) -> int:
        """Return how many notes there are, of all owners."""
        return len(await self._table.waiting(_queue(self._kept_in), limit=_MOST))

    async def delete_of(self, owner_id: UUID, numbers: Collection[int]) -> None:
        """Delete the notes of entries of these numbers: the store may have them again."""
        notes = [one async for one in self.of_owner(owner_id) if one["number"] in numbers]
        await self._table.delete_all(notes)

    async def put(self, owner_id: UUID, keys: Sequence[EntryKey]) -> None:
        """Note that these have to go."""
        for part in in_parts(keys, _AT_ONCE):
            transaction = self._table.transaction()
            for key in part:
                transaction.put(removal_item(owner_id, self._kept_in, key))
            await self._table.write(transaction)


class DynamoOwnerRemovals:
    """Implements `recollect.ports.privacy.erasure.OwnerRemovals`."""

    def __init__(self, table: Table, kept_in: str) -> None:
        self._notes = RemovalNotes(table, kept_in)
        self._kept_in = kept_in

    @property
    def kept_in(self) -> str:
        return self._kept_in

    async def of_owner(
        self, owner_id: UUID, *, session_id: UUID | None = None, limit: int
    ) -> tuple[tuple[int, EntryKey], ...]:
        found: list[tuple[int, EntryKey]] = []
        async for item in self._notes.of_owner(owner_id, session_id=session_id):
            key = EntryKey(session_id=UUID(str(item["sessionId"])), number=int(item["number"]))
            found.append((int(item["removalId"]), key))
            if len(found) == limit:
                break
        return tuple(found)

    async def last(self, owner_id: UUID) -> int:
        notes = [int(item["removalId"]) async for item in self._notes.of_owner(owner_id)]
        return max(notes, default=0)

    async def forget(self, owner_id: UUID, *, through: int) -> None:
        notes = [int(item["removalId"]) async for item in self._notes.of_owner(owner_id)]
        await self.done(owner_id, [one for one in notes if one <= through])

    async def done(self, owner_id: UUID, numbers: Sequence[int]) -> None:
        await self._notes.delete(owner_id, {*numbers})


def _queue(kept_in: str) -> str:
    return f"removal@{kept_in}"


def _prefix(kept_in: str) -> str:
    return f"{REMOVALS_PREFIX}{kept_in}#"


def _removal_from(item: Item) -> Removal:
    session_id = UUID(str(item["sessionId"]))
    return Removal(
        removal_id=int(item["removalId"]),
        owner_id=owner_of(item),
        key=EntryKey(session_id=session_id, number=int(item["number"])),
    )
