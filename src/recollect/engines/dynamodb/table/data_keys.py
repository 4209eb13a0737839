"""The data keys of owners, in a table of their own beside the one that they encrypt.

A backup of the one has no key of the other: once a key is destroyed, copies of what it encrypted
are unreadable, unless somebody has copied the keys as well.
"""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Final
from uuid import UUID

from recollect.engines.dynamodb.table.client import ConditionFailed, DynamoClient, TableMissing
from recollect.engines.dynamodb.table.content import KeyedContent
from recollect.engines.dynamodb.table.items import Attribute, Item
from recollect.engines.dynamodb.table.keys import (
    DATA_KEY,
    LAST,
    OWNER,
    WORK_DUE,
    WORK_INDEX,
    WORK_QUEUE,
    key_of,
    keys_table,
    name_of,
    owner_of,
    queue_of,
    queues_of,
)
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.dynamodb.table.transaction import version_of
from recollect.engines.owner_keys import OwnerKeys, StoredKey, check_keys
from recollect.errors import ConfigurationError, ErasureUnderWay
from recollect.ports.privacy.encryption import WrappedKey

KEYS: Final = "datakey"
"""The queue of all keys, each due at the master key that wraps it."""
DESTROYED: Final = "destroyedAt"


def memory_table(client: DynamoClient, name: str, keys: OwnerKeys) -> Table:
    """The table of a memory whose content these keys encrypt, if a master key is set."""
    return Table(client, name, KeyedContent(keys, key_items(client, name)))


def key_items(client: DynamoClient, name: str) -> "KeyItems":
    """The data keys of the memory in a table."""
    return KeyItems(Table(client, keys_table(name)), Table(client, name))


async def check_data_keys(table: Table) -> None:
    """Raise a `ConfigurationError` if a data key of a memory cannot be unwrapped."""
    keys = table.content.keys
    try:
        samples = [one async for one in key_items(table.client, table.name).samples()]
    except TableMissing:
        if keys.is_on:
            raise ConfigurationError(
                f"there is no table {keys_table(table.name)} for the keys of users: create it with "
                "'recollect dynamodb create'"
            ) from None
        return
    check_keys(keys.wrapper, samples)


class KeyItems:
    """Implements `recollect.engines.dynamodb.table.content.KeyItemStore`."""

    def __init__(self, keys: Table, memory: Table) -> None:
        """`memory` is the table that the keys encrypt, which tells who is being erased."""
        self._keys = keys
        self._memory = memory

    async def find(self, owner_id: UUID) -> StoredKey | None:
        """Return the owner's key, or None."""
        item = await self.item(owner_id)
        return None if item is None else _stored(item)

    async def item(self, owner_id: UUID) -> Item | None:
        """Return the item of the owner's key, or None."""
        return await self._keys.get(owner_id, DATA_KEY)

    async def create(self, owner_id: UUID, new: WrappedKey) -> StoredKey:
        """Store the owner's first key, and return the one that is stored then."""
        owner = await self._memory.get(owner_id, OWNER)
        if owner is not None and owner.get("isBeingErased"):
            raise ErasureUnderWay
        try:
            await self._keys.put(_key_item(owner_id, new), read=0)
        except ConditionFailed:  # another process was faster
            stored = await self.find(owner_id)
            return StoredKey(None) if stored is None else stored
        return StoredKey(new)

    async def rewrap(self, item: Item, key: WrappedKey) -> bool:
        """Store the same key as another master key wraps it, unless it was changed meanwhile."""
        try:
            await self._keys.put(_key_item(owner_of(item), key), read=version_of(item))
        except ConditionFailed:
            return False
        return True

    async def destroy(self, item: Item, *, at: str) -> bool:
        """Destroy a key for good; what says so stays, and creates no other one meanwhile."""
        gone: Item = {**key_of(owner_of(item), DATA_KEY), DESTROYED: at}
        try:
            await self._keys.put(gone, read=version_of(item))
        except ConditionFailed:
            return False
        return True

    async def delete(self, item: Item) -> None:
        """Delete what is left of a destroyed key."""
        try:
            await self._keys.delete(item, read=version_of(item))
        except ConditionFailed:
            return  # another worker was faster

    async def by_master(self, *, since: str = "", until: str = LAST, limit: int) -> list[Item]:
        """Return the keys of items by their master keys; what was just written may be missing."""
        return await self._keys.waiting(KEYS, since=since or " ", until=until, limit=limit)

    async def count_by_master(self) -> Counter[str]:
        """Count the keys of each master key; no more than a page of them is in memory."""
        counts = Counter[str]()
        for queue in queues_of(KEYS):
            async for key in self._keys.indexed(WORK_INDEX, (WORK_QUEUE, queue)):
                counts[master_of(key)] += 1
        return counts

    async def has_any(self) -> bool:
        """Return whether any owner has a key."""
        try:
            return bool(await self.by_master(limit=1))
        except TableMissing:
            return False

    async def read(self, keys: list[Item]) -> list[tuple[Item, WrappedKey]]:
        """Return the items of keys that were not destroyed, with the keys."""
        items = await self._keys.get_many(keys)
        found = (items[name_of(key)] for key in keys if name_of(key) in items)
        return [(item, stored) for item in found if (stored := _stored(item).wrapped) is not None]

    async def samples(self) -> AsyncIterator[tuple[UUID, WrappedKey]]:
        """Yield one key of each master key."""
        since = ""
        while keys := await self.by_master(since=since, limit=1):
            master = master_of(keys[0])
            for item, wrapped in await self.read(keys):
                yield owner_of(item), wrapped
            since = f"{master}#{LAST}"


def master_of(key: Item) -> str:
    """The master key that the index says wraps a key."""
    return str(key[WORK_DUE]).partition("#")[0]


def destroyed_at(item: Item) -> str | None:
    """When a key was destroyed; None of one that was not."""
    at = item.get(DESTROYED)
    return None if at is None else str(at)


def _key_item(owner_id: UUID, key: WrappedKey) -> dict[str, Attribute | None]:
    return {
        **key_of(owner_id, DATA_KEY),
        "wrapped": key.wrapped,
        "masterKeyId": key.master_key_id,
        WORK_QUEUE: queue_of(KEYS, owner_id),
        WORK_DUE: f"{key.master_key_id}#{owner_id}",
    }


def _stored(item: Item) -> StoredKey:
    if DESTROYED in item:
        return StoredKey(None)
    wrapped = item["wrapped"]
    assert isinstance(wrapped, bytes)  # noqa: S101  # stored as bytes
    return StoredKey(WrappedKey(str(item["masterKeyId"]), wrapped))
