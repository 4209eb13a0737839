"""A cache around the recall index: entries of small owners, first passes for large ones."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from asyncpg import Record

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    Candidate,
    EntriesState,
    RecallFilter,
    RecallQuery,
)
from recollect.domain.vectors import Vector
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.recall.binary_quantised import BinaryQuantisedVectors, bytes_for
from recollect.engines.postgres.recall.index import (
    EXACT_UP_TO,
    PostgresRecallIndex,
    query_model_key,
    rescored_count,
)
from recollect.engines.postgres.recall.owner_entries import OwnerEntries
from recollect.engines.postgres.rows import entries_state
from recollect.ports.metrics import CACHE_REQUESTS
from recollect.ports.runtime import Clock

_MAX_BYTES: Final = 256 * 2**20
"""Of all owners together: some 40,000 entries, or four million binary-quantised vectors."""
_ENTRY_BYTES: Final = 6_500  # of an exchange of thirty words, with its vector
_CHOSEN_AT_ONCE: Final = 100_000  # takes about three milliseconds
_MAX_OWNERS: Final = 10_000
_UNUSED: Final = timedelta(minutes=10)
_UNKNOWN: Final = -1


class CachedRecallIndex(PostgresRecallIndex):
    """A `RecallIndex` that searches the entries of small owners in the process.

    Entries are cached from an owner's second search within ten minutes on. At each search the
    database is asked what has changed, unless the query tells the state of the entries as it was
    when the question came, and only that is read: what others have added or deleted until then is
    found or gone. Of large owners the binary-quantised vectors are cached: the first pass is made
    here, the rest by the database.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        kept_in: str | None = None,
        exact_up_to: int = EXACT_UP_TO,
        max_bytes: int = _MAX_BYTES,
        from_first_search: bool = False,
    ) -> None:
        """Cache the entries of owners with up to `exact_up_to`, in at most `max_bytes`."""
        super().__init__(database, clock, kept_in=kept_in, exact_up_to=exact_up_to)
        self._from_first_search = from_first_search
        self._max_bytes = max_bytes
        self._owners = _OwnerLru(max_bytes)

    async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
        if query.state is not None and not query.state.last_number:
            return ()
        owner_id, now = scope.owner_id, self._clock.now()
        owner, is_back = self._owners.touch(owner_id, now)
        if query.nearest is None and (is_back or self._from_first_search):
            if owner.is_large:
                query = await self._choose(owner, owner_id, query, now=now)
            else:
                weights = await self._weights(owner_id, query)
                candidates = await self._search(owner, owner_id, query, weights, now=now)
                if candidates is not None:
                    self._database.telemetry.count(CACHE_REQUESTS, "entries", "hit")
                    return candidates
        self._database.telemetry.count(CACHE_REQUESTS, "entries", "miss")
        return await super().search(scope, query)

    def forget(self, owner_id: UUID) -> None:
        """See `OwnerCache.forget`."""
        self._owners.drop(owner_id)

    async def _search(
        self,
        owner: "_CachedOwner",
        owner_id: UUID,
        query: RecallQuery,
        weights: Mapping[int, float],
        *,
        now: datetime,
    ) -> tuple[Candidate, ...] | None:
        """The best of the cached entries; None where the index should search."""
        known = owner.entries
        if known is not None and query.state is not None:
            if known.state == query.state:
                return _search(known, query, weights)
        elif known is not None and not known.has_grown:
            search = partial(_search, known, query, weights)
            candidates = await self._search_unchanged(known, owner_id, search, now=now)
            if candidates is not None:
                return candidates
        entries = await self._read_changes(owner, owner_id, now=now)
        return None if entries is None else _search(entries, query, weights)

    async def _search_unchanged(
        self,
        entries: OwnerEntries,
        owner_id: UUID,
        search: Callable[[], tuple[Candidate, ...]],
        *,
        now: datetime,
    ) -> tuple[Candidate, ...] | None:
        """Search the entries while the database tells their state; None if that has changed."""
        reading = asyncio.create_task(
            self._database.read("entries_now", owner_id=owner_id, now=now)
        )
        try:
            await asyncio.sleep(0)  # the query is sent, and answered meanwhile
            state, candidates = entries.state, search()
        except BaseException:
            reading.cancel()
            raise
        is_current = [entries_state(row) for row in await reading] == [state]
        return candidates if is_current else None

    async def _read_changes(
        self, owner: "_CachedOwner", owner_id: UUID, *, now: datetime
    ) -> OwnerEntries | None:
        """The owner's entries, current; None if there are too many, or none at all."""
        known = owner.entries
        changes, last = (_UNKNOWN, 0) if known is None else (known.changes, known.last_number)
        rows = await self._database.read(
            "entries_since",
            owner_id=owner_id,
            known_changes=changes,
            last_number=last,
            now=now,
            max_entries=self._exact_up_to,
        )
        owner.is_large = bool(rows) and rows[0]["entries"] > self._exact_up_to
        if not rows or owner.is_large:
            self._owners.evict(owner)
            return None
        return self._update(owner, changes, entries_state(rows[0]), rows[1:])

    def _update(
        self,
        owner: "_CachedOwner",
        known_changes: int,
        state: EntriesState,
        added: Sequence[Record],
    ) -> OwnerEntries | None:
        """Add what was read to the cache; None if another search was faster and has newer entries.

        All entries were read if the changes are not those that the database was asked about.
        """
        entries = owner.entries
        if entries is None or entries.changes < state.changes:
            if state.changes == known_changes:
                return None
            entries = OwnerEntries(changes=state.changes)
        if entries.changes > state.changes or entries.last_number > state.last_number:
            return None
        entries.add(added, last_number=state.last_number)
        entries.expired = state.expired
        self._owners.put(owner, entries=entries)
        return entries

    async def _choose(
        self, owner: "_CachedOwner", owner_id: UUID, query: RecallQuery, *, now: datetime
    ) -> RecallQuery:
        """The query with the entries that a first pass has chosen, or as it is."""
        vector, without = query.vector, query.filters.without
        is_filtered = query.filters != RecallFilter(without=without)
        if vector is None or is_filtered or owner.is_being_read:
            return query
        vectors = await self._current_vectors(owner, owner_id, query, vector, now=now)
        if vectors is None:
            return query
        count = rescored_count(query) + len(without)  # some of them may be left out
        if len(vectors) <= _CHOSEN_AT_ONCE:
            return replace(query, chosen=vectors.nearest(vector, count))
        return replace(query, chosen=await asyncio.to_thread(vectors.nearest, vector, count))

    async def _current_vectors(
        self,
        owner: "_CachedOwner",
        owner_id: UUID,
        query: RecallQuery,
        vector: Vector,
        *,
        now: datetime,
    ) -> BinaryQuantisedVectors | None:
        """The owner's binary-quantised vectors; None where the database makes the first pass.

        They are read again at the search after a change. While they are read for one search, other
        searches do not wait.
        """
        key, known = query_model_key(query), owner.vectors
        if key is None or (known is not None and known.model_key != key):
            known = None
        owner.is_being_read = known is None
        try:
            rows = await self._database.read(
                "binary_vectors_since",
                owner_id=owner_id,
                model_key=key,
                known_changes=_UNKNOWN if known is None else known.changes,
                last_number=0 if known is None else known.last_number,
                max_entries=self._max_bytes // (2 * bytes_for(len(vector))),
                now=now,
            )
            return await self._update_vectors(owner, known, rows, key or 0, len(vector))
        finally:
            owner.is_being_read = False

    async def _update_vectors(
        self,
        owner: "_CachedOwner",
        vectors: BinaryQuantisedVectors | None,
        rows: Sequence[Record],
        key: int,
        dimensions: int,
    ) -> BinaryQuantisedVectors | None:
        owner.is_large = bool(rows) and rows[0]["entries"] > self._exact_up_to
        has_changed = bool(rows) and vectors is not None and rows[0]["changes"] != vectors.changes
        if not owner.is_large or has_changed:
            self._owners.evict(owner)
            return None
        row = rows[0]
        if vectors is None:
            if row["numbers"] is None:
                return None
            vectors = BinaryQuantisedVectors(key, dimensions=dimensions, changes=row["changes"])
            add = partial(vectors.add, last_number=row["last_number"])
            await asyncio.to_thread(add, row["numbers"], row["bits"])
        else:
            vectors.add(row["numbers"], row["bits"], last_number=row["last_number"])
        self._owners.put(owner, vectors=vectors)
        return None if row["has_expired"] else vectors


def _search(
    entries: OwnerEntries, query: RecallQuery, weights: Mapping[int, float]
) -> tuple[Candidate, ...]:
    return entries.search(
        weights, query.vector, query_model_key(query), query.filters, count=query.count
    )


@dataclass(slots=True)
class _CachedOwner:
    """An owner who has searched, with the cached entries or vectors."""

    searched_at: datetime
    entries: OwnerEntries | None = None
    vectors: BinaryQuantisedVectors | None = None
    size: int = 0
    """In bytes."""
    is_large: bool = False
    is_being_read: bool = False
    is_gone: bool = False
    """Whether the owner was dropped, perhaps while a search still reads for them."""


class _OwnerLru:
    """The owners who searched lately; what is cached is evicted by age, and to keep the size."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._owners: OrderedDict[UUID, _CachedOwner] = OrderedDict()
        self._size = 0

    def touch(self, owner_id: UUID, now: datetime) -> tuple[_CachedOwner, bool]:
        """The owner, who searches now, and whether they searched before; drop the unused."""
        while self._owners:
            oldest, unused = next(iter(self._owners.items()))
            if unused.searched_at > now - _UNUSED and len(self._owners) <= _MAX_OWNERS:
                break
            self.drop(oldest)
        owner = self._owners.get(owner_id)
        if owner is None:
            owner = self._owners[owner_id] = _CachedOwner(searched_at=now)
            return owner, False
        self._owners.move_to_end(owner_id)
        owner.searched_at = now
        return owner, True

    def put(
        self,
        owner: _CachedOwner,
        *,
        entries: OwnerEntries | None = None,
        vectors: BinaryQuantisedVectors | None = None,
    ) -> None:
        """Cache an owner's entries or vectors; the owners who searched longest ago make room."""
        if owner.is_gone:
            return
        self.evict(owner)
        owner.entries, owner.vectors = entries, vectors
        owner.size = len(entries) * _ENTRY_BYTES if entries is not None else 0
        owner.size += vectors.size if vectors is not None else 0
        self._size += owner.size
        for other in self._owners.values():
            if self._size <= self._max_bytes:
                return
            self.evict(other)

    def drop(self, owner_id: UUID) -> None:
        """Know nothing of an owner any more, also if a search still reads for them."""
        owner = self._owners.pop(owner_id, None)
        if owner is not None:
            self.evict(owner)
            owner.is_gone = True

    def evict(self, owner: _CachedOwner) -> None:
        """Cache nothing of an owner any more."""
        self._size -= owner.size
        owner.entries, owner.vectors, owner.size = None, None, 0
