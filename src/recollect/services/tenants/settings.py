"""Settings of tenants: shown beside what counts, and changed."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Final

from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import TenantScope
from recollect.domain.tenants.settings import StoredSettings, TenantReport, TenantSettings
from recollect.domain.text import JsonValue
from recollect.errors import VersionConflict
from recollect.ports.runtime import Clock
from recollect.ports.tenants import TenantSettingsStore
from recollect.services.audit.operations import Audited, audited
from recollect.services.tenants.policies import TenantPolicies

_TRIES: Final = 10
_PAGE: Final = 200
_NOT_SET: Final = TenantSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsOfTenants(Audited):
    """What an administrator can do with the settings of a tenant; changes count at once here."""

    store: TenantSettingsStore
    policies: TenantPolicies
    clock: Clock

    @audited(AuditAction.TENANT_SETTINGS_READ)
    async def get(self, scope: TenantScope) -> TenantReport:
        """The settings of a tenant; of version 0 if it never had any."""
        return self._report(await self.store.get(scope))

    async def list(self) -> AsyncIterator[TenantReport]:
        """All tenants that have set something, by name; for the operator of the server."""
        after: str | None = None
        while page := await self.store.list(after=after, limit=_PAGE):
            for stored in page:
                yield self._report(stored)
            after = page[-1].tenant

    async def replace(
        self, scope: TenantScope, values: Mapping[str, JsonValue], *, version: int | None = None
    ) -> TenantReport:
        """Set these, and unset all others.

        Raises:
            InvalidInput: a name or a value is wrong, or needs what this server does not have.
            VersionConflict: `version` is given, and is not that of the settings.
        """
        return await self._put(scope, TenantSettings.parse(values), version)

    async def change(
        self, scope: TenantScope, values: Mapping[str, JsonValue], *, version: int | None = None
    ) -> TenantReport:
        """Set these, unset those that are None, and leave all others; raises as `replace`."""
        _NOT_SET.changed(values)  # names and values are checked before anything is read
        for _ in range(_TRIES):
            before = await self.store.get(scope)
            before.check_version(version)
            try:
                return await self._put(scope, before.settings.changed(values), before.version)
            except VersionConflict:
                continue  # somebody else was faster
        raise VersionConflict(expected=before.version, current=None)

    async def delete(self, scope: TenantScope, *, version: int | None = None) -> TenantReport:
        """Unset everything: the server's policies count again."""
        return await self._put(scope, _NOT_SET, version)

    async def _put(
        self, scope: TenantScope, settings: TenantSettings, version: int | None
    ) -> TenantReport:
        self.policies.server.check(settings)
        now = self.clock.now()
        stored = await self.store.put(scope, settings, version=version, now=now)
        self.policies.note(stored)
        return self._report(stored)

    def _report(self, stored: StoredSettings) -> TenantReport:
        effective = self.policies.server.of(stored.tenant, stored.settings)
        return TenantReport(
            tenant=stored.tenant,
            settings=stored.settings,
            effective=TenantSettings.stored(effective.to_json()),
            version=stored.version,
            updated_at=stored.updated_at,
        )
