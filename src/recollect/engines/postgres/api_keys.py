"""API keys in PostgreSQL."""

from datetime import datetime
from uuid import UUID

from recollect.domain.api_key import ApiKey
from recollect.domain.audit import AuditAction
from recollect.domain.scope import TenantScope
from recollect.engines.postgres.audit import record
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.queries import query
from recollect.engines.postgres.rows import api_key_from


class PostgresApiKeyStore:
    """Keeps keys in the table of that name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, scope: TenantScope, key: ApiKey) -> None:
        """Keep a new key."""
        async with self._database.owned_by(scope.owner_id) as connection:
            await connection.execute(
                query("add_api_key"),
                scope.owner_id,
                key.key_id,
                key.tenant,
                key.user,
                sorted(key.scopes),
                key.name,
                key.secret_hash,
                key.created_at,
                key.memory,
            )
            action = AuditAction.API_KEY_CREATED
            await record(connection, scope, action, key.key_id, count=1, now=key.created_at)

    async def find(self, owner_id: UUID, key_id: UUID) -> ApiKey | None:
        """The key as its text names it, revoked or not, or None."""
        rows = await self._database.read("find_api_key", owner_id, key_id)
        return api_key_from(rows[0]) if rows else None

    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        """The tenant's keys, revoked ones too, oldest first."""
        async with self._database.owned_by(scope.owner_id) as connection:
            rows = await connection.fetch(query("list_api_keys"), scope.owner_id)
        return tuple(map(api_key_from, rows))

    async def revoke(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        """Revoke a key for good; whether there is such a key."""
        if await self.find(scope.owner_id, key_id) is None:
            return False
        async with self._database.owned_by(scope.owner_id) as connection:
            revoked = await connection.fetchval(
                query("revoke_api_key"), scope.owner_id, key_id, now
            )
            if revoked:
                action = AuditAction.API_KEY_REVOKED
                await record(connection, scope, action, key_id, count=1, now=now)
        return True
