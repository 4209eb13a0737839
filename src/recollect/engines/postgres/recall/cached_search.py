"""Owners who search again and again, with their entries at hand in this process."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from asyncpg import Record

from recollect.domain.recall.entry import Candidate, RecallQuery
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.recall.entry_cache import (
    CachedOwner,
    EntryCache,
    OwnerLru,
    OwnerState,
)
from recollect.engines.postgres.recall.query_parameters import key_of_model, weights_of

_MOST_ENTRIES: Final = 20_000
"""Of all owners together: about 130 MB."""
_NOTHING: Final = -1
_NO_LIMIT: Final = 2**31 - 2


class CachedSearch:
    """Keeps the entries of those who search a second time within minutes.

    The database is asked at each search what has changed, and only that is read: whoever else
    writes or deletes, nothing is found that is not there. Owners with many entries are left to
    the database; what is not used for minutes goes.
    """

    def __init__(self, database: Database, *, limit: int, at_once: bool = False) -> None:
        self._database = database
        self._limit = limit
        self._at_once = at_once
        self._owners = OwnerLru[EntryCache](most=_MOST_ENTRIES)

    async def search(
        self, owner_id: UUID, asked: RecallQuery, *, now: datetime
    ) -> tuple[Candidate, ...] | None:
        """The best of all entries; None where the database should search."""
        owner, is_back = self._owners.touch(owner_id, now)
        if owner.has_too_many or not (is_back or self._at_once):
            return None
        if owner.kept is not None and not owner.kept.grows:
            found = await self._search_known(owner.kept, owner_id, asked, now=now)
            if found is not None:
                return found
        return await self._search_current(owner, owner_id, asked, now=now)

    async def _search_known(
        self, known: EntryCache, owner_id: UUID, asked: RecallQuery, *, now: datetime
    ) -> tuple[Candidate, ...] | None:
        """Search what is known while the database says how things stand; None if otherwise.

        For those who search without saying anything: nothing has changed, most likely.
        """
        asking = asyncio.create_task(self._database.read("entries_now", owner_id=owner_id, now=now))
        try:
            await asyncio.sleep(0)  # it is asked, and answers meanwhile
            state, found = known.state, _found(known, asked)
        except BaseException:
            asking.cancel()
            raise
        is_so = [_state_of(one) for one in await asking] == [state]
        return found if is_so else None

    async def _search_current(
        self,
        owner: CachedOwner[EntryCache],
        owner_id: UUID,
        asked: RecallQuery,
        *,
        now: datetime,
    ) -> tuple[Candidate, ...] | None:
        """Read what has changed, or everything, and search."""
        known = owner.kept
        changes, last = (_NOTHING, 0) if known is None else (known.changes, known.last_number)
        rows = await self._database.read(
            "entries_since",
            owner_id=owner_id,
            known_changes=changes,
            last_number=last,
            now=now,
            max_entries=self._limit,
            row_limit=_NO_LIMIT,
        )
        if not rows:  # an owner of whom nothing was ever indexed
            self._owners.forget(owner)
            return None
        state, *added = rows
        owner.has_too_many = state["entries"] >= self._limit
        if owner.has_too_many:
            self._owners.forget(owner)
            return None
        entries = self._brought_up_to_date(owner, changes, state, added)
        return None if entries is None else _found(entries, asked)

    def _brought_up_to_date(
        self, owner: CachedOwner[EntryCache], asked_of: int, state: Record, added: Sequence[Record]
    ) -> EntryCache | None:
        """The owner's entries with what was read; None where others were faster meanwhile.

        What was read are all entries, if the changes are not those that were asked with.
        """
        is_whole = state["changes"] != asked_of
        known = owner.kept
        if known is None or known.changes < state["changes"]:
            if not is_whole:
                return None
            known = EntryCache(changes=state["changes"])
        if known.changes > state["changes"] or known.last_number > state["last_number"]:
            return None
        known.add(added, last_number=state["last_number"])
        known.expired = _state_of(state).expired
        self._owners.keep(owner, known, size=len(known))
        return known


def _state_of(row: Record) -> OwnerState:
    return OwnerState(row["last_number"], row["changes"], frozenset(row["expired"] or ()))


def _found(entries: EntryCache, asked: RecallQuery) -> tuple[Candidate, ...]:
    return entries.search(
        weights_of(asked), asked.vector, key_of_model(asked), asked.filters, count=asked.count
    )
