"""The audit log in PostgreSQL."""

from datetime import datetime

from asyncpg import Connection

from recollect.domain.audit import AuditAction, AuditEntry
from recollect.domain.scope import Scope, TenantScope
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.queries import query
from recollect.engines.postgres.rows import audit_entry_from


class PostgresAuditLog:
    """Reads an owner's audit log."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def entries(self, scope: Scope | TenantScope, *, limit: int) -> tuple[AuditEntry, ...]:
        """The owner's latest entries, newest first."""
        async with self._database.owned_by(scope.owner_id) as connection:
            rows = await connection.fetch(query("list_audit"), scope.owner_id, limit)
        return tuple(map(audit_entry_from, rows))


async def record(
    connection: Connection,
    scope: Scope | TenantScope,
    action: AuditAction,
    target: object,
    *,
    count: int,
    now: datetime,
) -> None:
    """Write an entry in the transaction that does what it tells of."""
    await connection.execute(
        query("record_audit"),
        scope.owner_id,
        action,
        str(target),
        count,
        scope.actor,
        scope.transaction_id,
        now,
    )
