"""Where sessions are kept."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.domain.paging import Page, PageRequest, SessionSort
from recollect.domain.scope import Scope
from recollect.domain.session import NewSession, Session, SessionChanges


class SessionStore(Protocol):
    """Keeps the sessions of every owner apart.

    A session of another owner is as good as absent, and so is one that has expired by the
    store's clock: every method behaves as if it did not exist. Whatever a method has returned
    survives a crash.
    """

    async def start(
        self,
        scope: Scope,
        session: NewSession,
        *,
        now: datetime,
        expires_at: datetime | None = None,
    ) -> tuple[Session, bool]:
        """Create the session, or return the one with that id as it is; and whether it is new.

        Two callers that start the same id at once get the same session, one of them as new. An
        expired session of that id is deleted first, with everything in it.
        """
        ...

    async def get(self, scope: Scope, session_id: UUID) -> Session | None:
        """The session, or None."""
        ...

    async def list(
        self, scope: Scope, page: PageRequest, *, sort: SessionSort = SessionSort.UPDATED
    ) -> Page[Session]:
        """The owner's sessions by the time of their last change or use, ties by their id.

        A cursor is of one sort alone.
        """
        ...

    async def change(
        self, scope: Scope, session_id: UUID, changes: SessionChanges, *, now: datetime
    ) -> Session | None:
        """Replace the parts that are given and return the session, or None if there is none."""
        ...

    async def delete(self, scope: Scope, session_id: UUID, *, now: datetime) -> bool:
        """Delete the session with its turns and messages; whether there was one. Audited."""
        ...

    async def touch(
        self, scope: Scope, session_id: UUID, *, now: datetime, expires_at: datetime | None
    ) -> None:
        """Note that the session was used, and move its end to `expires_at` if that is later.

        A crash may forget it.
        """
        ...
