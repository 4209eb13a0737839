"""Sessions: started, changed, listed and deleted; when they were last accessed."""

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.conversation.paging import Page, PageRequest, SessionSort
from recollect.domain.conversation.session import NewSession, Session, SessionChanges
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import RetentionPolicies
from recollect.errors import SessionNotFound, Unavailable
from recollect.ports.conversations import SessionStore
from recollect.ports.runtime import Clock
from recollect.services.access import Permissions
from recollect.supervision import watch

_REMEMBERED: Final = 10_000  # sessions whose last note is known here
_MOST_WAITING: Final = 1_000
logger = logging.getLogger(__name__)
Key = tuple[UUID, UUID]
"""An owner, and a session."""


@dataclass(slots=True, kw_only=True)
class LastAccess:
    """Notes that sessions were read, which moves their end under sliding retention.

    Nobody waits for a note: they are written one after the other, by one connection, and for each
    session at most once in `RetentionPolicy.touch_interval`. What is lost in a crash, or while the
    database is away, the next access notes.
    """

    store: SessionStore
    clock: Clock
    retention: RetentionPolicies = field(default_factory=RetentionPolicies)
    _noted: OrderedDict[Key, datetime] = field(default_factory=OrderedDict)
    _waiting: dict[Key, tuple[Scope, datetime]] = field(default_factory=dict)
    _writing: "asyncio.Task[None] | None" = None

    def note(self, scope: Scope, session_id: UUID, *, last: datetime | None = None) -> None:
        """Note that a session is read now; `last` is when it was used last, where that is known."""
        now, key = self.clock.now(), (scope.owner_id, session_id)
        times = [time for time in (last, self._noted.get(key)) if time is not None]
        every = self.retention.of(scope.tenant).touch_interval
        if (times and now - max(times) < every) or len(self._waiting) >= _MOST_WAITING:
            return
        self._remember(key, now)
        self._waiting[key] = scope, now
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
            watch(self._writing, "sessions.note_use")

    def written(self, scope: Scope, session_id: UUID) -> None:
        """Take into account that a session is being written to, which notes the use itself."""
        self._remember((scope.owner_id, session_id), self.clock.now())

    async def settle(self) -> None:
        """Wait until everything noted is written; cancelled, give up what is not."""
        while self._writing is not None and not self._writing.done():
            try:
                await asyncio.wait([self._writing])
            except asyncio.CancelledError:
                self._waiting.clear()
                self._writing.cancel()
                raise

    def _remember(self, key: Key, time: datetime) -> None:
        self._noted[key] = time
        self._noted.move_to_end(key)
        while len(self._noted) > _REMEMBERED:
            self._noted.popitem(last=False)

    async def _write(self) -> None:
        while self._waiting:
            key = next(iter(self._waiting))
            scope, time = self._waiting.pop(key)
            end = self.retention.of(scope.tenant).end_of_used(time)
            try:
                await self.store.touch(scope, key[1], now=time, expires_at=end)
            except Unavailable:
                self._noted.pop(key, None)
                logger.warning("session.use_not_noted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """What an owner can do with sessions."""

    store: SessionStore
    permissions: Permissions
    clock: Clock
    last_access: LastAccess
    retention: RetentionPolicies = field(default_factory=RetentionPolicies)

    async def start(self, scope: Scope, session: NewSession) -> tuple[Session, bool]:
        """Create a session, or resume the one with that id; and whether it is new."""
        scope.check_may_start(session.session_id)
        now = self.clock.now()
        end = self.retention.of(scope.tenant).end_of_new(now)
        started, is_new = await self.store.start(scope, session, now=now, expires_at=end)
        if is_new:
            self.last_access.written(scope, started.session_id)
            return started, True
        return await self._read(scope, started), False

    async def get(self, scope: Scope, session_id: UUID) -> Session:
        """Find a session."""
        session = await self.store.get(scope, session_id)
        if session is None:
            raise SessionNotFound(session_id)
        return await self._read(scope, session)

    async def list(
        self, scope: Scope, page: PageRequest, *, sort: SessionSort = SessionSort.UPDATED
    ) -> Page[Session]:
        """List sessions by the time of their last change or use, the latest first by default.

        To list a session is not to use it.
        """
        stored = await self.store.list(scope, page, sort=sort)
        items = await self.permissions.sessions_for_owner(scope, stored.items)
        return replace(stored, items=items)

    async def change(self, scope: Scope, session_id: UUID, changes: SessionChanges) -> Session:
        """Rename a session or replace its metadata, databases or tags."""
        session = await self.store.change(scope, session_id, changes, now=self.clock.now())
        if session is None:
            raise SessionNotFound(session_id)
        self.last_access.note(scope, session_id)  # changing it has not moved its end
        return await self._shown(scope, session)

    async def delete(self, scope: Scope, session_id: UUID) -> None:
        """Delete a session with everything in it."""
        if not await self.store.delete(scope, session_id, now=self.clock.now()):
            raise SessionNotFound(session_id)

    async def _read(self, scope: Scope, session: Session) -> Session:
        self.last_access.note(scope, session.session_id, last=session.last_accessed_at)
        return await self._shown(scope, session)

    async def _shown(self, scope: Scope, session: Session) -> Session:
        (shown,) = await self.permissions.sessions_for_owner(scope, [session])
        return shown
