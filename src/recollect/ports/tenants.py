"""Where the settings of tenants are stored."""

from datetime import datetime
from typing import Protocol

from recollect.domain.identity.scope import TenantScope
from recollect.domain.tenants.settings import StoredSettings, TenantSettings


class TenantSettingsStore(Protocol):
    """Stores the settings of every tenant apart; what a method has returned survives a crash."""

    async def get(self, scope: TenantScope) -> StoredSettings:
        """Return the tenant's settings; of version 0, with nothing set, before the first change."""

    async def put(
        self, scope: TenantScope, settings: TenantSettings, *, version: int | None, now: datetime
    ) -> StoredSettings:
        """Store the tenant's settings in place of those before; each change has a new version.

        Settings in which nothing is set are stored, too: no version comes twice. Audited, with the
        names of the settings that changed and not their values. If none changed, nothing is done.
        `VersionConflict`, and nothing is done, unless the settings have that version; None: any.
        """

    async def has_any(self) -> bool:
        """Return whether any tenant has set anything."""

    async def list(self, *, after: str | None, limit: int) -> tuple[StoredSettings, ...]:
        """Return the settings of tenants that have set something, by name, after that one."""
