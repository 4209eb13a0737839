"""Starting, finding, changing and deleting sessions."""

from dataclasses import dataclass, field, replace
from uuid import UUID

from recollect.domain.paging import Page, PageRequest, SessionSort
from recollect.domain.retention import RetentionPolicies
from recollect.domain.scope import Scope
from recollect.domain.session import NewSession, Session, SessionChanges
from recollect.errors import SessionNotFound
from recollect.ports.clock import Clock
from recollect.ports.sessions import SessionStore
from recollect.services.access import Permissions
from recollect.services.last_access import LastAccess


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
        found = await self.store.list(scope, page, sort=sort)
        return replace(found, items=await self.permissions.shown_sessions(scope, found.items))

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
        (shown,) = await self.permissions.shown_sessions(scope, [session])
        return shown
