"""Owners who search again and again, with their entries at hand in this process."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from asyncpg import Record

from recollect.engines.postgres.database import Database
from recollect.engines.postgres.kept_entries import KeptEntries
from recollect.engines.postgres.recent_owners import RecentOwner, RecentOwners

_MOST_ENTRIES: Final = 20_000
"""Of all owners together: about 130 MB."""
_NOTHING: Final = -1
_NO_LIMIT: Final = 2**31 - 2


class AtHand(NamedTuple):
    """An owner's entries as they are now."""

    entries: KeptEntries
    expired: Collection[UUID]
    """Sessions whose entries are no longer to be found."""


class KeptOwners:
    """Keeps the entries of those who search a second time within minutes.

    The database is asked at each search what has changed, and only that is read: whoever else
    writes or deletes, nothing is found that is not there. Owners with many entries are left to
    the database; what is not used for minutes goes.
    """

    def __init__(self, database: Database, *, limit: int, at_once: bool = False) -> None:
        self._database = database
        self._limit = limit
        self._at_once = at_once
        self._owners = RecentOwners[KeptEntries](most=_MOST_ENTRIES)

    async def of(self, owner_id: UUID, *, now: datetime) -> AtHand | None:
        """The owner's entries; None where the database should search."""
        owner, is_back = self._owners.noted(owner_id, now)
        if owner.has_too_many or not (is_back or self._at_once):
            return None
        if owner.kept is not None:
            states = await self._database.read("entries_now", owner_id, now)
            known = owner.kept  # as it is now: others may have searched meanwhile
            if known is not None and [known.state] == [state[1:3] for state in states]:
                return AtHand(known, states[0]["expired"] or ())
        return await self._read(owner, owner_id, now=now)

    async def _read(
        self, owner: RecentOwner[KeptEntries], owner_id: UUID, *, now: datetime
    ) -> AtHand | None:
        """Read what has changed, or everything."""
        known = owner.kept
        changes, last = (_NOTHING, 0) if known is None else (known.changes, known.last_number)
        rows = await self._database.read(
            "entries_since", owner_id, changes, last, now, self._limit, _NO_LIMIT
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
        return None if entries is None else AtHand(entries, state["expired"] or ())

    def _brought_up_to_date(
        self, owner: RecentOwner[KeptEntries], asked_of: int, state: Record, added: Sequence[Record]
    ) -> KeptEntries | None:
        """The owner's entries with what was read; None where others were faster meanwhile.

        What was read are all entries, if the changes are not those that were asked with.
        """
        is_whole = state["changes"] != asked_of
        known = owner.kept
        if known is None or known.changes < state["changes"]:
            if not is_whole:
                return None
            known = KeptEntries(changes=state["changes"])
        if known.changes > state["changes"] or known.last_number > state["last_number"]:
            return None
        known.add(added, last_number=state["last_number"])
        self._owners.keep(owner, known, size=len(known))
        return known
