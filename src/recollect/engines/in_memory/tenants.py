"""Settings of tenants in memory."""

from datetime import datetime

from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import TenantScope
from recollect.domain.tenants.settings import StoredSettings, TenantSettings
from recollect.engines.in_memory.data import InMemoryStore


class InMemoryTenantSettings(InMemoryStore):
    """Implements `recollect.ports.tenants.TenantSettingsStore`."""

    async def get(self, scope: TenantScope) -> StoredSettings:
        return self.data.tenant_settings.get(scope.tenant) or StoredSettings(tenant=scope.tenant)

    async def put(
        self, scope: TenantScope, settings: TenantSettings, *, version: int | None, now: datetime
    ) -> StoredSettings:
        before = await self.get(scope)
        before.check_version(version)
        changed = settings.names_changed(before.settings)
        if not changed:
            return before
        after = StoredSettings(
            tenant=scope.tenant, settings=settings, version=before.version + 1, updated_at=now
        )
        self.data.tenant_settings[scope.tenant] = after
        action, count = AuditAction.TENANT_SETTINGS_CHANGED, len(changed)
        self.data.audit(scope, action, ",".join(changed), count=count, now=now)
        return after

    async def has_any(self) -> bool:
        return any(one.settings.given() for one in self.data.tenant_settings.values())

    async def list(self, *, after: str | None, limit: int) -> tuple[StoredSettings, ...]:
        names = sorted(self.data.tenant_settings)
        chosen = [
            self.data.tenant_settings[name] for name in names if after is None or name > after
        ]
        return tuple([one for one in chosen if one.settings.given()][:limit])
