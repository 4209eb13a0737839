"""Sessions in PostgreSQL."""

from dataclasses import replace
from datetime import datetime
from typing import Final
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
from recollect.domain.identity.audit import RETENTION, AuditAction
from recollect.domain.identity.scope import Interface, Scope
from recollect.engines.postgres.audit import record
from recollect.engines.postgres.connection.database import PostgresStore, Transaction
from recollect.engines.postgres.rows import json_text, read_session, read_sessions
from recollect.engines.postgres.sql import statement

_LOCK: Final = 0x7265636F6C6C6578  # 'recollex': one clean-up at a time on a server


class PostgresExpiredSessions(PostgresStore):
    """Finds expired sessions through the workers' own view."""

    async def count(self, *, now: datetime) -> int:
        return await self._database.count("count_expired", at=now, now=now)

    async def delete(self, *, now: datetime, limit: int) -> int:
        async with self._database.working(now=now) as connection:
            if not await connection.fetchval("SELECT pg_try_advisory_xact_lock($1)", _LOCK):
                return 0
            count: int = await connection.fetchval(
                *statement("delete_expired", now=now, limit=limit)
            )
        return count


class PostgresSessionStore(PostgresStore):
    """Keeps sessions in the table `sessions`."""

    async def start(
        self,
        scope: Scope,
        session: NewSession,
        *,
        now: datetime,
        expires_at: datetime | None = None,
    ) -> tuple[Session, bool]:
        existing = await self.get(scope, session.session_id)
        if existing is None:
            new = await _new_session(scope, session, now=now, expires_at=expires_at)
            rows = await self._database.write("start_session", owner_id=scope.owner_id, **new)
            if rows:
                return await read_session(rows[0]), True
            existing = await self.get(scope, session.session_id)
        while existing is None:  # one of that id has expired, is being erased, or was deleted now
            read_at = self._clock.now()
            async with self._database.transaction(scope.owner_id) as transaction:
                created = await create_session(
                    transaction, scope, session, now=now, read_at=read_at, expires_at=expires_at
                )
            if created is not None:
                return created, True
            existing = await self.get(scope, session.session_id)
            if existing is None:
                await self._refuse_erased(scope, session.session_id)
        return existing, False

    async def get(self, scope: Scope, session_id: UUID) -> Session | None:
        rows = await self._database.read("get_session", **self._session(scope, session_id))
        return await read_session(rows[0]) if rows else None

    async def list(
        self, scope: Scope, page: PageRequest, *, sort: SessionSort = SessionSort.UPDATED
    ) -> Page[Session]:
        by_access = sort is SessionSort.LAST_ACCESSED
        after = page.position(AccessPosition) if by_access else page.position(SessionPosition)
        time, session_id = after or (None, None)
        rows = await self._database.run(
            "list_sessions",
            owner_id=scope.owner_id,
            newest_first=page.order is Order.DESC,
            by_access=by_access,
            after_time=time,
            after_session=session_id,
            limit=page.limit + 1,
            offset=page.offset,
            now=self._clock.now(),
        )
        sessions = await read_sessions(rows)
        if by_access:
            used = [(s, AccessPosition(s.last_accessed_at, s.session_id)) for s in sessions]
            return page.page(used)
        return page.page([(s, SessionPosition(s.updated_at, s.session_id)) for s in sessions])

    async def change(
        self, scope: Scope, session_id: UUID, changes: SessionChanges, *, now: datetime
    ) -> Session | None:
        metadata = None if changes.metadata is None else await json_text(changes.metadata)
        rows = await self._database.run(
            "change_session",
            owner_id=scope.owner_id,
            session_id=session_id,
            name=changes.name,
            metadata=metadata,
            databases=changes.databases,
            tags=changes.tags,
            now=now,
            read_at=self._clock.now(),
        )
        if not rows:
            await self._refuse_erased(scope, session_id)
        return await read_session(rows[0]) if rows else None

    async def delete(self, scope: Scope, session_id: UUID, *, now: datetime) -> bool:
        async with self._database.transaction(scope.owner_id) as transaction:
            expiry = self._clock.now()
            count = await transaction.value("delete_session", session_id=session_id, now=expiry)
            if count is None:
                return False
            action = AuditAction.SESSION_DELETED
            await record(transaction, scope, action, session_id, count=count, now=now)
        return True

    async def touch(
        self, scope: Scope, session_id: UUID, *, now: datetime, expires_at: datetime | None
    ) -> None:
        await self._database.write(
            "touch_session",
            owner_id=scope.owner_id,
            session_id=session_id,
            now=now,
            expires_at=expires_at,
            read_at=self._clock.now(),
        )


async def create_session(
    transaction: Transaction,
    scope: Scope,
    session: NewSession,
    *,
    now: datetime,
    read_at: datetime,
    expires_at: datetime | None,
) -> Session | None:
    """Create a session as a part of a transaction; None if there is one of that id.

    One that has expired by `read_at` gives way.
    """
    session_id = session.session_id
    count = await transaction.value("delete_if_expired", session_id=session_id, now=read_at)
    if count is not None:  # an expired session of that id gave way, as to the clean-up
        retention = replace(scope, actor=RETENTION, interface=Interface.WORKER, transaction_id="")
        action = AuditAction.SESSION_EXPIRED
        await record(transaction, retention, action, session_id, count=count, now=now)
    new = await _new_session(scope, session, now=now, expires_at=expires_at)
    rows = await transaction.rows("start_session", **new)
    return await read_session(rows[0]) if rows else None


async def _new_session(
    scope: Scope, session: NewSession, *, now: datetime, expires_at: datetime | None
) -> dict[str, object]:
    """The parameters of `start_session`, all but the owner."""
    return {
        "tenant_id": scope.tenant,
        "user_id": scope.user,
        "session_id": session.session_id,
        "name": session.name,
        "metadata": await json_text(session.metadata),
        "databases": session.databases,
        "tags": session.tags,
        "now": now,
        "expires_at": expires_at,
    }
