"""Starting, finding, changing and deleting sessions."""

import asyncio
import logging
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from recollect.domain.paging import Page, PageRequest
from recollect.domain.retention import RetentionPolicies
from recollect.domain.scope import Scope
from recollect.domain.session import NewSession, Session, SessionChanges
from recollect.errors import SessionNotFound, Unavailable
from recollect.ports.clock import Clock
from recollect.ports.sessions import SessionStore
from recollect.services.access import Permissions

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """What an owner can do with sessions."""

    store: SessionStore
    permissions: Permissions
    clock: Clock
    retention: RetentionPolicies = field(default_factory=RetentionPolicies)
    _noting: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self, scope: Scope, session: NewSession) -> tuple[Session, bool]:
        """Create a session, or resume the one with that id; and whether it is new."""
        now = self.clock.now()
        end = self.retention.of(scope.tenant).end_of_new(now)
        started, is_new = await self.store.start(scope, session, now=now, expires_at=end)
        return (started if is_new else await self._shown(scope, started)), is_new

    async def get(self, scope: Scope, session_id: UUID) -> Session:
        """Find a session."""
        session = await self.store.get(scope, session_id)
        if session is None:
            raise SessionNotFound(session_id)
        return await self._shown(scope, session)

    async def list(self, scope: Scope, page: PageRequest) -> Page[Session]:
        """List sessions by the time of their last change, the latest first by default."""
        found = await self.store.list(scope, page)
        return replace(found, items=await self.permissions.shown_sessions(scope, found.items))

    async def change(self, scope: Scope, session_id: UUID, changes: SessionChanges) -> Session:
        """Rename a session or replace its metadata, databases or tags."""
        session = await self.store.change(scope, session_id, changes, now=self.clock.now())
        if session is None:
            raise SessionNotFound(session_id)
        return await self._shown(scope, session)

    async def delete(self, scope: Scope, session_id: UUID) -> None:
        """Delete a session with everything in it."""
        if not await self.store.delete(scope, session_id, now=self.clock.now()):
            raise SessionNotFound(session_id)

    def note_use(self, scope: Scope, session: Session) -> None:
        """Remember later that a session was read now, at most once an hour; nobody waits for it."""
        now = self.clock.now()
        policy = self.retention.of(scope.tenant)
        if now - session.last_accessed_at < policy.noted_every:
            return
        end = policy.end_of_used(now)
        task = asyncio.create_task(self._touch(scope, session.session_id, now, end))
        self._noting.add(task)
        task.add_done_callback(self._noting.discard)

    async def _shown(self, scope: Scope, session: Session) -> Session:
        (shown,) = await self.permissions.shown_sessions(scope, [session])
        return shown

    async def _touch(
        self, scope: Scope, session_id: UUID, now: datetime, end: datetime | None
    ) -> None:
        try:
            await self.store.touch(scope, session_id, now=now, expires_at=end)
        except Unavailable:
            logger.warning("session.use_not_noted")
