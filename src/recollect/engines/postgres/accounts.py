"""API keys, user states and ended visits in PostgreSQL."""

from datetime import datetime
from typing import Final
from uuid import UUID

from asyncpg import Record

from recollect.domain.identity.accounts import ApiKey, KeyScope, UserState
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import (
    SYSTEM_TENANT,
    MemoryPolicy,
    Scope,
    TenantScope,
)
from recollect.engines.postgres.audit import record
from recollect.engines.postgres.connection.database import PostgresStore

_SYSTEM: Final = TenantScope(tenant=SYSTEM_TENANT).owner_id


class PostgresApiKeyStore(PostgresStore):
    """Keeps keys in the table `api_keys`."""

    async def add(self, scope: TenantScope, key: ApiKey) -> None:
        async with self._database.transaction(scope.owner_id) as transaction:
            await transaction.rows(
                "add_api_key",
                key_id=key.key_id,
                tenant_id=key.tenant,
                user_id=key.user,
                scopes=sorted(key.scopes),
                name=key.name,
                secret_hash=key.secret_hash,
                created_at=key.created_at,
                memory=key.memory,
            )
            action = AuditAction.API_KEY_CREATED
            await record(transaction, scope, action, key.key_id, now=key.created_at)

    async def find(self, owner_id: UUID, key_id: UUID) -> ApiKey | None:
        rows = await self._database.read("find_api_key", owner_id=owner_id, key_id=key_id)
        return _api_key_from(rows[0]) if rows else None

    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        rows = await self._database.run("list_api_keys", owner_id=scope.owner_id)
        return tuple(map(_api_key_from, rows))

    async def revoke(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        if await self.find(scope.owner_id, key_id) is None:
            return False
        async with self._database.transaction(scope.owner_id) as transaction:
            if await transaction.value("revoke_api_key", key_id=key_id, now=now):
                await record(transaction, scope, AuditAction.API_KEY_REVOKED, key_id, now=now)
        return True

    async def delete(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        async with self._database.transaction(scope.owner_id) as transaction:
            is_deleted = bool(await transaction.value("delete_api_key", key_id=key_id))
            if is_deleted:
                await record(transaction, scope, AuditAction.API_KEY_REVOKED, key_id, now=now)
        return is_deleted


def _api_key_from(row: Record) -> ApiKey:
    columns = ("key_id", "secret_hash", "created_at", "revoked_at")
    return ApiKey(
        **{name: row[name] for name in columns},
        name=row["label"],
        tenant=row["tenant_id"],
        user=row["user_id"],
        scopes=frozenset(map(KeyScope, row["scopes"])),
        memory=MemoryPolicy(row["memory"]),
    )


class PostgresStateStore(PostgresStore):
    """Keeps modes in the table `states`."""

    async def get(self, scope: Scope) -> UserState | None:
        rows = await self._database.read("get_state", owner_id=scope.owner_id)
        return UserState(mode=rows[0]["mode"], updated_at=rows[0]["updated_at"]) if rows else None

    async def put(self, scope: Scope, mode: str, *, now: datetime) -> UserState:
        user = {"tenant_id": scope.tenant, "user_id": scope.user}
        async with self._database.transaction(scope.owner_id) as transaction:
            await transaction.rows("put_state", **user, mode=mode, now=now)
            await record(transaction, scope, AuditAction.STATE_CHANGED, mode, now=now)
        return UserState(mode=mode, updated_at=now)

    async def delete(self, scope: Scope, *, now: datetime) -> bool:
        async with self._database.transaction(scope.owner_id) as transaction:
            mode = await transaction.value("delete_state")
            if mode is not None:
                await record(transaction, scope, AuditAction.STATE_DELETED, mode, now=now)
        return mode is not None


class PostgresEndedVisits(PostgresStore):
    """Keeps them in the table `ended_visits`, where they belong to the system tenant."""

    async def end(self, visit_id: UUID, *, now: datetime, expires_at: datetime) -> None:
        await self._database.run(
            "end_visit", owner_id=_SYSTEM, visit_id=visit_id, now=now, expires_at=expires_at
        )

    async def has(self, visit_id: UUID) -> bool:
        rows = await self._database.read("find_ended_visit", owner_id=_SYSTEM, visit_id=visit_id)
        return bool(rows)
