"""Starting, finding, changing and deleting sessions."""

from dataclasses import dataclass
from uuid import UUID

from recollect.domain.paging import Page, PageRequest
from recollect.domain.scope import Scope
from recollect.domain.session import NewSession, Session, SessionChanges
from recollect.errors import SessionNotFound
from recollect.ports.clock import Clock
from recollect.ports.sessions import SessionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """What an owner can do with sessions."""

    store: SessionStore
    clock: Clock

    async def start(self, scope: Scope, session: NewSession) -> tuple[Session, bool]:
        """Create a session, or resume the one with that id; and whether it is new."""
        return await self.store.start(scope, session, now=self.clock.now())

    async def get(self, scope: Scope, session_id: UUID) -> Session:
        """Find a session."""
        session = await self.store.get(scope, session_id)
        if session is None:
            raise SessionNotFound(session_id)
        return session

    async def list(self, scope: Scope, page: PageRequest) -> Page[Session]:
        """List sessions by the time of their last change, the latest first by default."""
        return await self.store.list(scope, page)

    async def change(self, scope: Scope, session_id: UUID, changes: SessionChanges) -> Session:
        """Rename a session or replace its metadata, databases or tags."""
        session = await self.store.change(scope, session_id, changes, now=self.clock.now())
        if session is None:
            raise SessionNotFound(session_id)
        return session

    async def delete(self, scope: Scope, session_id: UUID) -> None:
        """Delete a session with everything in it."""
        if not await self.store.delete(scope, session_id, now=self.clock.now()):
            raise SessionNotFound(session_id)
