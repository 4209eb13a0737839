"""Sessions in PostgreSQL."""

from datetime import datetime
from uuid import UUID

from recollect.domain.audit import AuditAction
from recollect.domain.paging import Order, Page, PageRequest, SessionPosition
from recollect.domain.scope import Scope
from recollect.domain.session import NewSession, Session, SessionChanges
from recollect.engines.postgres.audit import record
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.queries import query
from recollect.engines.postgres.rows import session_from, to_json

_START = (None, None)


class PostgresSessionStore:
    """Keeps sessions in the table of that name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def start(
        self, scope: Scope, session: NewSession, *, now: datetime
    ) -> tuple[Session, bool]:
        """Create the session, or return the one with that id as it is; and whether it is new."""
        found = await self.get(scope, session.session_id)
        while found is None:
            created = await self._create(scope, session, now)
            if created is not None:
                return created, True
            # Somebody created it since we looked, or it was deleted since that was seen.
            found = await self.get(scope, session.session_id)
        return found, False

    async def get(self, scope: Scope, session_id: UUID) -> Session | None:
        """The session, or None."""
        rows = await self._database.read("get_session", scope.owner_id, session_id)
        return session_from(rows[0]) if rows else None

    async def list(self, scope: Scope, page: PageRequest) -> Page[Session]:
        """The owner's sessions by the time of their last change."""
        name = _LISTS[page.order]
        position = page.position(SessionPosition) or _START
        async with self._database.owned_by(scope.owner_id) as connection:
            rows = await connection.fetch(
                query(name), scope.owner_id, *position, page.limit + 1, page.offset
            )
        sessions = map(session_from, rows)
        return page.page([(s, SessionPosition(s.updated_at, s.session_id)) for s in sessions])

    async def change(
        self, scope: Scope, session_id: UUID, changes: SessionChanges, *, now: datetime
    ) -> Session | None:
        """Replace the parts that are given and return the session, or None if there is none."""
        metadata = None if changes.metadata is None else to_json(changes.metadata)
        async with self._database.owned_by(scope.owner_id) as connection:
            row = await connection.fetchrow(
                query("change_session"),
                scope.owner_id,
                session_id,
                changes.name,
                metadata,
                changes.databases,
                changes.tags,
                now,
            )
        return None if row is None else session_from(row)

    async def delete(self, scope: Scope, session_id: UUID, *, now: datetime) -> bool:
        """Delete the session with its turns and messages; whether there was one."""
        async with self._database.owned_by(scope.owner_id) as connection:
            count = await connection.fetchval(query("delete_session"), scope.owner_id, session_id)
            if count is None:
                return False
            action = AuditAction.SESSION_DELETED
            await record(connection, scope, action, session_id, count=count, now=now)
        return True

    async def _create(self, scope: Scope, session: NewSession, now: datetime) -> Session | None:
        async with self._database.owned_by(scope.owner_id) as connection:
            row = await connection.fetchrow(
                query("start_session"),
                scope.owner_id,
                scope.tenant,
                scope.user,
                session.session_id,
                session.name,
                to_json(session.metadata),
                session.databases,
                session.tags,
                now,
            )
        return None if row is None else session_from(row)


_LISTS = {Order.DESC: "list_sessions_newest_first", Order.ASC: "list_sessions_oldest_first"}
