"""A cache of the entries of small owners, around the recall index."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from asyncpg import Record

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Candidate, Entry, IndexedEntry, RecallQuery, Vector
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.recall.cached_entries import CachedEntries, OwnerState
from recollect.engines.postgres.recall.index import EXACT_UP_TO
from recollect.engines.postgres.recall.rows import query_model_key, term_weights
from recollect.ports.recall import IndexSize, RecallIndex
from recollect.ports.runtime import Clock

_MAX_CACHED: Final = 20_000
"""Entries of all owners together: about 130 MB."""
_MAX_OWNERS: Final = 10_000
_UNUSED: Final = timedelta(minutes=10)
_UNKNOWN: Final = -1


class CachedRecallIndex:
    """A `RecallIndex` that searches the entries of small owners in the process.

    Entries are cached from an owner's second search within ten minutes on. At each search the
    database is asked what has changed, and only that is read: what others add or delete is found
    or gone at once. All other calls, and the searches of large owners, go to the index.
    """

    def __init__(
        self,
        index: RecallIndex,
        database: Database,
        clock: Clock,
        *,
        max_entries: int = EXACT_UP_TO,
        max_cached: int = _MAX_CACHED,
        from_first_search: bool = False,
    ) -> None:
        """Cache owners with up to `max_entries`, up to `max_cached` entries of all together."""
        self._index = index
        self._database = database
        self._clock = clock
        self._max_entries = max_entries
        self._from_first_search = from_first_search
        self._owners = _OwnerLru(max_cached)

    async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
        """The entries with the best scores, from the cache where the owner's are in it."""
        if query.nearest is None:
            candidates = await self._search(scope.owner_id, query, now=self._clock.now())
            if candidates is not None:
                return candidates
        return await self._index.search(scope, query)

    async def replace(
        self,
        scope: Scope,
        session_id: UUID,
        turns: Sequence[int],
        entries: Sequence[IndexedEntry],
    ) -> None:
        """As the index does."""
        await self._index.replace(scope, session_id, turns, entries)

    async def speakers(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        """As the index does."""
        return await self._index.speakers(scope, limit=limit)

    async def size(self, scope: Scope, *, model: str) -> IndexSize:
        """As the index does."""
        return await self._index.size(scope, model=model)

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Entry], ...]:
        """As the index does."""
        return await self._index.outdated(model=model, limit=limit)

    async def count_outdated(self, *, model: str) -> int:
        """As the index does."""
        return await self._index.count_outdated(model=model)

    async def embed(
        self, scope: Scope, vectors: Sequence[tuple[Entry, Vector]], *, model: str
    ) -> None:
        """As the index does."""
        await self._index.embed(scope, vectors, model=model)

    async def _search(
        self, owner_id: UUID, query: RecallQuery, *, now: datetime
    ) -> tuple[Candidate, ...] | None:
        """The best of the cached entries; None where the index should search."""
        owner, is_back = self._owners.touch(owner_id, now)
        if owner.is_large or not (is_back or self._from_first_search):
            return None
        if owner.entries is not None and not owner.entries.has_grown:
            candidates = await self._search_unchanged(owner.entries, owner_id, query, now=now)
            if candidates is not None:
                return candidates
        entries = await self._read_changes(owner, owner_id, now=now)
        return None if entries is None else _search(entries, query)

    async def _search_unchanged(
        self, entries: CachedEntries, owner_id: UUID, query: RecallQuery, *, now: datetime
    ) -> tuple[Candidate, ...] | None:
        """Search the entries while the database tells their state; None if that has changed."""
        reading = asyncio.create_task(
            self._database.read("entries_now", owner_id=owner_id, now=now)
        )
        try:
            await asyncio.sleep(0)  # the query is sent, and answered meanwhile
            state, candidates = entries.state, _search(entries, query)
        except BaseException:
            reading.cancel()
            raise
        is_current = [_state_of(row) for row in await reading] == [state]
        return candidates if is_current else None

    async def _read_changes(
        self, owner: "_CachedOwner", owner_id: UUID, *, now: datetime
    ) -> CachedEntries | None:
        """The owner's entries, current; None if there are too many, or none at all."""
        known = owner.entries
        changes, last = (_UNKNOWN, 0) if known is None else (known.changes, known.last_number)
        rows = await self._database.read(
            "entries_since",
            owner_id=owner_id,
            known_changes=changes,
            last_number=last,
            now=now,
            max_entries=self._max_entries,
        )
        owner.is_large = bool(rows) and rows[0]["entries"] > self._max_entries
        if not rows or owner.is_large:
            self._owners.evict(owner)
            return None
        return self._update(owner, changes, _state_of(rows[0]), rows[1:])

    def _update(
        self, owner: "_CachedOwner", known_changes: int, state: OwnerState, added: Sequence[Record]
    ) -> CachedEntries | None:
        """Add what was read to the cache; None if another search was faster and has newer entries.

        All entries were read if the changes are not those that the database was asked about.
        """
        entries = owner.entries
        if entries is None or entries.changes < state.changes:
            if state.changes == known_changes:
                return None
            entries = CachedEntries(changes=state.changes)
        if entries.changes > state.changes or entries.last_number > state.last_number:
            return None
        entries.add(added, last_number=state.last_number)
        entries.expired = state.expired
        self._owners.put(owner, entries)
        return entries


def _state_of(row: Record) -> OwnerState:
    return OwnerState(row["last_number"], row["changes"], frozenset(row["expired"] or ()))


def _search(entries: CachedEntries, query: RecallQuery) -> tuple[Candidate, ...]:
    return entries.search(
        term_weights(query), query.vector, query_model_key(query), query.filters, count=query.count
    )


@dataclass(slots=True)
class _CachedOwner:
    """An owner who has searched, with the cached entries."""

    searched_at: datetime
    entries: CachedEntries | None = None
    size: int = 0
    is_large: bool = False
    is_gone: bool = False
    """Whether the owner was dropped, perhaps while a search still reads for them."""


class _OwnerLru:
    """The owners who searched lately; entries are evicted by age, and where there are too many."""

    def __init__(self, max_cached: int) -> None:
        self._max_cached = max_cached
        self._owners: OrderedDict[UUID, _CachedOwner] = OrderedDict()
        self._size = 0

    def touch(self, owner_id: UUID, now: datetime) -> tuple[_CachedOwner, bool]:
        """The owner, who searches now, and whether they searched before; drop the unused."""
        while self._owners:
            oldest, unused = next(iter(self._owners.items()))
            if unused.searched_at > now - _UNUSED and len(self._owners) <= _MAX_OWNERS:
                break
            self.evict(unused)
            unused.is_gone = True
            del self._owners[oldest]
        owner = self._owners.get(owner_id)
        if owner is None:
            owner = self._owners[owner_id] = _CachedOwner(searched_at=now)
            return owner, False
        self._owners.move_to_end(owner_id)
        owner.searched_at = now
        return owner, True

    def put(self, owner: _CachedOwner, entries: CachedEntries) -> None:
        """Cache an owner's entries; the owners who searched longest ago make room."""
        if owner.is_gone:
            return
        self._size += len(entries) - owner.size
        owner.entries, owner.size = entries, len(entries)
        for other in self._owners.values():
            if self._size <= self._max_cached:
                return
            self.evict(other)

    def evict(self, owner: _CachedOwner) -> None:
        """Cache nothing of an owner any more."""
        self._size -= owner.size
        owner.entries, owner.size = None, 0
