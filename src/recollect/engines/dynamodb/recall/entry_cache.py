"""A cache of the entries of owners who searched lately."""

from collections import OrderedDict
from typing import Final
from uuid import UUID

from recollect.engines.dynamodb.recall.owner_entries import OwnerEntries

MAX_BYTES: Final = 256 * 2**20
"""Of all owners together: some 40,000 entries with vectors of 384 dimensions."""


class EntryCache:
    """Entries by owner; those of the owners who searched longest ago make room for others."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._owners: OrderedDict[UUID, OwnerEntries] = OrderedDict()
        self.size = 0
        """In bytes, about."""
        self.drops = 0
        """How often an owner was dropped: what was read before must not be cached after it."""

    def get(self, owner_id: UUID) -> OwnerEntries | None:
        """Return what is cached of an owner, who searches now."""
        if owner_id in self._owners:
            self._owners.move_to_end(owner_id)
        return self._owners.get(owner_id)

    def put(self, owner_id: UUID, entries: OwnerEntries, *, drops: int) -> None:
        """Cache entries that were read when `drops` was this number, in place of others.

        The newest stay, however many they are: to read them again for each search is worse.
        """
        if drops != self.drops:
            return
        self._evict(owner_id)
        self._owners[owner_id] = entries
        self.size += entries.size
        while self.size > self._max_bytes and len(self._owners) > 1:
            self._evict(next(iter(self._owners)))

    def drop(self, owner_id: UUID) -> None:
        """Know nothing of an owner any more, also if a search still reads for them."""
        self.drops += 1
        self._evict(owner_id)

    def _evict(self, owner_id: UUID) -> None:
        evicted = self._owners.pop(owner_id, None)
        self.size -= 0 if evicted is None else evicted.size
