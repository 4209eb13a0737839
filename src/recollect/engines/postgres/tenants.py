"""Settings of tenants in PostgreSQL."""

import json
from datetime import datetime

from asyncpg import Record

from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import TenantScope
from recollect.domain.tenants.settings import StoredSettings, TenantSettings
from recollect.engines.postgres.audit import record
from recollect.engines.postgres.connection.database import PostgresStore


class PostgresTenantSettings(PostgresStore):
    """Keeps settings in the table `tenant_settings`."""

    async def get(self, scope: TenantScope) -> StoredSettings:
        rows = await self._database.read("get_tenant_settings", owner_id=scope.owner_id)
        return _settings_from(rows[0]) if rows else StoredSettings(tenant=scope.tenant)

    async def put(
        self, scope: TenantScope, settings: TenantSettings, *, version: int | None, now: datetime
    ) -> StoredSettings:
        async with self._database.transaction(scope.owner_id) as transaction:
            await transaction.rows("begin_tenant_settings", tenant_id=scope.tenant, now=now)
            # A statement of its own: it sees what the one before it waited for.
            (row,) = await transaction.rows("lock_tenant_settings")
            before = _settings_from(row)
            before.check_version(version)
            changed = settings.names_changed(before.settings)
            if not changed:
                return before
            given = json.dumps(settings.given())
            number = await transaction.value("put_tenant_settings", settings=given, now=now)
            await record(
                transaction,
                scope,
                AuditAction.TENANT_SETTINGS_CHANGED,
                ",".join(changed),
                count=len(changed),
                now=now,
            )
        return StoredSettings(
            tenant=scope.tenant, settings=settings, version=number, updated_at=now
        )

    async def has_any(self) -> bool:
        return bool(await self._database.work("has_tenant_settings"))

    async def list(self, *, after: str | None, limit: int) -> tuple[StoredSettings, ...]:
        rows = await self._database.run_for_all(
            "list_tenant_settings", at=self._clock.now(), after=after, limit=limit
        )
        return tuple(map(_settings_from, rows))


def _settings_from(row: Record) -> StoredSettings:
    version = row["version"]
    return StoredSettings(
        tenant=row["tenant_id"],
        settings=TenantSettings.stored(json.loads(row["settings"])),
        version=version,
        updated_at=row["updated_at"] if version else None,
    )
