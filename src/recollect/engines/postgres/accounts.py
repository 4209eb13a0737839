"""API keys, user states and the audit log in PostgreSQL."""

from datetime import datetime
from uuid import UUID

from asyncpg import Connection

from recollect.domain.identity.accounts import ApiKey, AuditAction, AuditEntry, UserState
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.rows import api_key_from, audit_entry_from
from recollect.engines.postgres.sql import statement


class PostgresAuditLog:
    """Reads an owner's audit log."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def entries(self, scope: Scope | TenantScope, *, limit: int) -> tuple[AuditEntry, ...]:
        """The owner's latest entries, newest first."""
        async with self._database.owned_by(scope.owner_id) as connection:
            rows = await connection.fetch(
                *statement("list_audit", owner_id=scope.owner_id, limit=limit)
            )
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
        *statement(
            "record_audit",
            owner_id=scope.owner_id,
            action=action,
            target=str(target),
            count=count,
            actor=scope.actor,
            transaction_id=scope.transaction_id,
            now=now,
        )
    )


class PostgresApiKeyStore:
    """Keeps keys in the table of that name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, scope: TenantScope, key: ApiKey) -> None:
        """Keep a new key."""
        async with self._database.owned_by(scope.owner_id) as connection:
            await connection.execute(
                *statement(
                    "add_api_key",
                    owner_id=scope.owner_id,
                    key_id=key.key_id,
                    tenant_id=key.tenant,
                    user_id=key.user,
                    scopes=sorted(key.scopes),
                    name=key.name,
                    secret_hash=key.secret_hash,
                    created_at=key.created_at,
                    memory=key.memory,
                )
            )
            action = AuditAction.API_KEY_CREATED
            await record(connection, scope, action, key.key_id, count=1, now=key.created_at)

    async def find(self, owner_id: UUID, key_id: UUID) -> ApiKey | None:
        """The key as its text names it, revoked or not, or None."""
        rows = await self._database.read("find_api_key", owner_id=owner_id, key_id=key_id)
        return api_key_from(rows[0]) if rows else None

    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        """The tenant's keys, revoked ones too, oldest first."""
        async with self._database.owned_by(scope.owner_id) as connection:
            rows = await connection.fetch(*statement("list_api_keys", owner_id=scope.owner_id))
        return tuple(map(api_key_from, rows))

    async def revoke(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        """Revoke a key for good; whether there is such a key."""
        if await self.find(scope.owner_id, key_id) is None:
            return False
        async with self._database.owned_by(scope.owner_id) as connection:
            revoked = await connection.fetchval(
                *statement("revoke_api_key", owner_id=scope.owner_id, key_id=key_id, now=now)
            )
            if revoked:
                action = AuditAction.API_KEY_REVOKED
                await record(connection, scope, action, key_id, count=1, now=now)
        return True


class PostgresStateStore:
    """Keeps modes in the table `states`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, scope: Scope) -> UserState | None:
        """The owner's state, or None where none was set."""
        rows = await self._database.read("get_state", owner_id=scope.owner_id)
        if not rows:
            return None
        return UserState(mode=rows[0]["mode"], updated_at=rows[0]["updated_at"])

    async def put(self, scope: Scope, mode: str, *, now: datetime) -> UserState:
        """Set the owner's mode in the place of any before it. Audited, with the mode."""
        owner = scope.owner_id
        async with self._database.owned_by(owner) as connection:
            await connection.execute(
                *statement(
                    "put_state",
                    owner_id=owner,
                    tenant_id=scope.tenant,
                    user_id=scope.user,
                    mode=mode,
                    now=now,
                )
            )
            await record(connection, scope, AuditAction.STATE_CHANGED, mode, count=1, now=now)
        return UserState(mode=mode, updated_at=now)

    async def delete(self, scope: Scope, *, now: datetime) -> bool:
        """Forget the owner's state; whether there was one. Audited, with the mode it had."""
        async with self._database.owned_by(scope.owner_id) as connection:
            mode = await connection.fetchval(*statement("delete_state", owner_id=scope.owner_id))
            if mode is not None:
                await record(connection, scope, AuditAction.STATE_DELETED, mode, count=1, now=now)
        return mode is not None
