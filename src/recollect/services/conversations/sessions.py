"""Sessions: started, read, listed, changed and deleted."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from recollect.domain.conversation.paging import Page, PageRequest, SessionSort
from recollect.domain.conversation.session import NewSession, Session, SessionChanges
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.errors import SessionNotFound
from recollect.ports.conversations import SessionStore
from recollect.ports.runtime import Clock
from recollect.services.access import Permissions
from recollect.services.audit.operations import Audited, audited, measured
from recollect.services.conversations.last_access import LastAccess
from recollect.services.redaction import Redaction
from recollect.services.tenants.policies import TenantPolicies


def _started(result: tuple[Session, bool]) -> AuditAction:
    return AuditAction.SESSION_CREATED if result[1] else AuditAction.SESSION_READ


MakeRoom = Callable[[Scope, Sequence[UUID]], Awaitable[None]]
"""Called before sessions of these ids may be started, in case expired ones have them."""


async def leave_room(scope: Scope, session_ids: Sequence[UUID]) -> None:
    """Leave expired sessions to new ones of the same ids, which replace them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions(Audited):
    """What an owner can do with sessions."""

    store: SessionStore
    permissions: Permissions
    clock: Clock
    last_access: LastAccess
    tenants: TenantPolicies = field(default_factory=TenantPolicies)
    redaction: Redaction = field(default_factory=Redaction)
    make_room: MakeRoom = leave_room

    @audited(_started)
    async def start(self, scope: Scope, session: NewSession) -> tuple[Session, bool]:
        """Create a session, or resume the one with that id; and whether it is new."""
        scope.check_may_start(session.session_id)
        await self.make_room(scope, [session.session_id])
        now = self.clock.now()
        end = (await self.tenants.of(scope)).retention.end_of_new(now)
        stored = await self.redaction.session(scope, session)
        started, is_new = await self.store.start(scope, stored, now=now, expires_at=end)
        if is_new:
            self.last_access.written(scope, started.session_id)
            return started, True
        return await self._read(scope, started), False

    @audited(AuditAction.SESSION_READ)
    async def get(self, scope: Scope, session_id: UUID) -> Session:
        """Find a session."""
        session = await self.store.get(scope, session_id)
        if session is None:
            raise SessionNotFound(session_id)
        return await self._read(scope, session)

    @audited(AuditAction.SESSION_READ)
    async def list(
        self, scope: Scope, page: PageRequest, *, sort: SessionSort = SessionSort.UPDATED
    ) -> Page[Session]:
        """List sessions by the time of their last change or use, the latest first by default.

        To list a session is not to use it.
        """
        stored = await self.store.list(scope, page, sort=sort)
        items = await self.permissions.sessions_for_owner(scope, stored.items)
        return replace(stored, items=items)

    @audited(AuditAction.SESSION_CHANGED)
    async def change(self, scope: Scope, session_id: UUID, changes: SessionChanges) -> Session:
        """Rename a session or replace its metadata, databases or tags."""
        stored = await self.redaction.session(scope, changes)
        session = await self.store.change(scope, session_id, stored, now=self.clock.now())
        if session is None:
            raise SessionNotFound(session_id)
        self.last_access.note(scope, session_id)  # changing it has not moved its end
        return await self.shown(scope, session)

    @measured(AuditAction.SESSION_DELETED)
    async def delete(self, scope: Scope, session_id: UUID) -> None:
        """Delete a session with everything in it."""
        if not await self.store.delete(scope, session_id, now=self.clock.now()):
            raise SessionNotFound(session_id)

    async def _read(self, scope: Scope, session: Session) -> Session:
        self.last_access.note(scope, session.session_id, last=session.last_accessed_at)
        return await self.shown(scope, session)

    async def shown(self, scope: Scope, session: Session) -> Session:
        """A stored session as its owner may see it."""
        (shown,) = await self.permissions.sessions_for_owner(scope, [session])
        return shown
