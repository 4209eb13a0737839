"""Sessions: started, found, listed, changed, used and deleted."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Final, Generic, TypeVar
from uuid import UUID

from recollect.domain.conversation.paging import (
    AccessPosition,
    Order,
    Page,
    PageRequest,
    SessionPosition,
    SessionSort,
)
from recollect.domain.conversation.session import NewSession, Session, SessionChanges
from recollect.domain.identity.audit import AuditAction, OwnedEntry
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.session_items import SESSIONS_BY_TIME
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.table.items import Item, time_text
from recollect.engines.dynamodb.table.keys import (
    BY_TIME,
    BY_TIME_INDEX,
    LAST,
    LAST_ACCESSED_INDEX,
    PARTITION,
    SORT,
)
from recollect.engines.dynamodb.table.transaction import Transaction

Place = TypeVar("Place", SessionPosition, AccessPosition)
_CHANGED: Final = tuple(part.name for part in fields(SessionChanges))


class DynamoSessions(DynamoStore):
    """Implements `recollect.ports.conversations.SessionStore`."""

    async def start(
        self,
        scope: Scope,
        session: NewSession,
        *,
        now: datetime,
        expires_at: datetime | None = None,
    ) -> tuple[Session, bool]:
        async def attempt() -> tuple[Session, bool]:
            one = await self.data.stored_of_writer(scope, session.session_id)
            if one is not None and one.is_visible(self.clock.now()):
                return one.session, False
            if one is not None:
                await self.data.delete_expired(one, now=now)
            started = Conversation.started(scope, session, now=now, expires_at=expires_at)
            transaction = self.table.transaction()
            await self.data.start(started, transaction)
            await self.table.write(transaction)
            return started.session, True

        async with self.table.alone(scope.owner_id, session.session_id):
            return await self.table.repeated(attempt)

    async def get(self, scope: Scope, session_id: UUID) -> Session | None:
        one = await self.data.visible(scope, session_id)
        return None if one is None else one.session

    async def list(
        self, scope: Scope, page: PageRequest, *, sort: SessionSort = SessionSort.UPDATED
    ) -> Page[Session]:
        if sort is SessionSort.LAST_ACCESSED:
            used = _Listing(self, scope, page, _BY_ACCESS)
            return page.page(await used.rows(page.position(AccessPosition)))
        changed = _Listing(self, scope, page, _BY_CHANGE)
        return page.page(await changed.rows(page.position(SessionPosition)))

    async def change(
        self, scope: Scope, session_id: UUID, changes: SessionChanges, *, now: datetime
    ) -> Session | None:
        given = {name: value for name in _CHANGED if (value := getattr(changes, name)) is not None}
        if changes.name is not None:
            given["name_turn"] = None

        async def change(one: Conversation, _: Transaction) -> Session:
            updated_at = max(now, one.session.updated_at)
            one.session = replace(one.session, **given, updated_at=updated_at)
            one.use(now=now, expires_at=None)
            return one.session

        changed = await self.data.change(scope, session_id, change)
        if changed is None:
            await self.data.refuse_erased(scope.owner_id, session_id)
        return changed

    async def delete(self, scope: Scope, session_id: UUID, *, now: datetime) -> bool:
        async def attempt() -> bool:
            one = await self.data.visible(scope, session_id)
            if one is None:
                return False
            action, count = AuditAction.SESSION_DELETED, one.stored_count
            entry = OwnedEntry.of(scope, action, session_id, count=count, at=now)
            await self.data.delete(one, entry)
            return True

        async with self.table.alone(scope.owner_id, session_id):
            return await self.table.repeated(attempt)

    async def touch(
        self, scope: Scope, session_id: UUID, *, now: datetime, expires_at: datetime | None
    ) -> None:
        async def change(one: Conversation, _: Transaction) -> None:
            one.use(now=now, expires_at=expires_at)

        await self.data.change(scope, session_id, change)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sort(Generic[Place]):
    """An index that has sessions by a time."""

    index: str
    attribute: str
    prefix: str
    position_of: Callable[[Session], Place]


_BY_ACCESS: Final = _Sort(
    index=LAST_ACCESSED_INDEX,
    attribute="lastAccessed",
    prefix="",
    position_of=lambda one: AccessPosition(one.last_accessed_at, one.session_id),
)
_BY_CHANGE: Final = _Sort(
    index=BY_TIME_INDEX,
    attribute=BY_TIME,
    prefix=SESSIONS_BY_TIME,
    position_of=lambda one: SessionPosition(one.updated_at, one.session_id),
)


class _Listing(Generic[Place]):
    """Reads sessions in the order of an index, those of the same time by their ids."""

    def __init__(
        self, store: DynamoStore, scope: Scope, page: PageRequest, sort: _Sort[Place]
    ) -> None:
        self._store = store
        self._scope = scope
        self._page = page
        self._sort: _Sort[Place] = sort
        self._is_descending = page.order is Order.DESC

    async def rows(self, after: Place | None) -> list[tuple[Session, Place]]:
        """Return the sessions of a page, and one more if there are more."""
        wanted = self._page.offset + self._page.limit + 1
        rows: list[tuple[Session, Place]] = []
        async for session in self._sessions(None if after is None else time_text(after[0])):
            position = self._sort.position_of(session)
            if after is None or self._is_beyond(position, after):
                rows.append((session, position))
            if len(rows) == wanted:
                break
        return rows[self._page.offset :]

    def _is_beyond(self, position: Place, after: Place) -> bool:
        return position < after if self._is_descending else position > after

    async def _sessions(self, start: str | None) -> AsyncIterator[Session]:
        """Yield visible sessions from a time on, read in groups that no time is split between."""
        group: list[Item] = []
        attribute, size = self._sort.attribute, self._page.limit + self._page.offset + 1
        size += start is not None  # the last one of the page before is read again
        async for key in self._keys(start or "", limit=size + 1):
            if len(group) >= size and key[attribute] != group[-1][attribute]:
                for session in await self._read(group):
                    yield session
                group = []
            group.append(key)
        for session in await self._read(group):
            yield session

    async def _read(self, keys: list[Item]) -> list[Session]:
        """The index may be behind: what counts is what the sessions themselves say now."""
        ids = {UUID(str(key[SORT]).partition("#")[0]) for key in keys}
        found = await self._store.data.many(self._scope.owner_id, ids)
        now = self._store.clock.now()
        sessions = [one.session for one in found.values() if one.is_visible(now)]
        return sorted(sessions, key=self._sort.position_of, reverse=self._is_descending)

    async def _keys(self, start: str, *, limit: int) -> AsyncIterator[Item]:
        prefix = self._sort.prefix
        first = prefix + ("" if self._is_descending else start) or " "
        last = prefix + (start if self._is_descending and start else LAST)
        async for key in self._store.table.indexed(
            self._sort.index,
            (PARTITION, str(self._scope.owner_id)),
            f" AND {self._sort.attribute} BETWEEN :first AND :last",
            {":first": first, ":last": last},
            is_descending=self._is_descending,
            limit=limit,
        ):
            yield key
