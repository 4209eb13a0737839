"""The modes of users in PostgreSQL."""

from datetime import datetime

from recollect.domain.audit import AuditAction
from recollect.domain.scope import Scope
from recollect.domain.state import UserState
from recollect.engines.postgres.audit import record
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.queries import query


class PostgresStateStore:
    """Keeps modes in the table `states`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, scope: Scope) -> UserState | None:
        """The owner's state, or None where none was set."""
        rows = await self._database.read("get_state", scope.owner_id)
        if not rows:
            return None
        return UserState(mode=rows[0]["mode"], updated_at=rows[0]["updated_at"])

    async def put(self, scope: Scope, mode: str, *, now: datetime) -> UserState:
        """Set the owner's mode in the place of any before it. Audited, with the mode."""
        owner = scope.owner_id
        async with self._database.owned_by(owner) as connection:
            await connection.execute(query("put_state"), owner, scope.tenant, scope.user, mode, now)
            await record(connection, scope, AuditAction.STATE_CHANGED, mode, count=1, now=now)
        return UserState(mode=mode, updated_at=now)

    async def delete(self, scope: Scope, *, now: datetime) -> bool:
        """Forget the owner's state; whether there was one. Audited, with the mode it had."""
        async with self._database.owned_by(scope.owner_id) as connection:
            mode = await connection.fetchval(query("delete_state"), scope.owner_id)
            if mode is not None:
                await record(connection, scope, AuditAction.STATE_DELETED, mode, count=1, now=now)
        return mode is not None
