"""What counts for a tenant now, by the server's policies and the settings of the tenant."""

import logging
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.policy import Policies
from recollect.domain.tenants.policy import ServerPolicy, TenantPolicy
from recollect.domain.tenants.settings import StoredSettings
from recollect.errors import Unavailable
from recollect.ports.runtime import Clock
from recollect.ports.tenants import TenantSettingsStore
from recollect.services.tenants.cache import RefreshedCache

logger = logging.getLogger(__name__)
_ANY: Final = "any"


class TenantPolicies:
    """Tells what counts for each tenant.

    While no tenant has settings of its own, that one fact is cached and nothing else is read. What
    this process has changed counts at once, what another one has changed within five seconds.
    """

    def __init__(
        self,
        server: ServerPolicy | None = None,
        *,
        store: TenantSettingsStore | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.server = server or ServerPolicy()
        self._usual = self.server.of("")
        self._store = store
        self._clock = clock = clock or _MachineClock()
        self._has_any = RefreshedCache[str, bool](read=self._read_any, clock=clock)
        self._known = RefreshedCache[str, TenantPolicy](read=self._read, clock=clock)

    @classmethod
    def of_server(cls, policies: Policies) -> "TenantPolicies":
        """The same policies for all tenants, which can set nothing."""
        return cls(ServerPolicy(policies=policies))

    def under(self, policies: Policies) -> "TenantPolicies":
        """What would count if the server had other policies; tenants' settings stay the same."""
        server = replace(self.server, policies=policies)
        return TenantPolicies(server, store=self._store, clock=self._clock)

    async def of(self, scope: Scope | TenantScope) -> TenantPolicy:
        """What counts for the scope's tenant now.

        While the settings cannot be read, those that were last known count, with no more stored of
        what users say than the server's policies allow, too.

        Raises:
            Unavailable: they cannot be read, and nothing is known of them. To go by the server's
                policies alone might store what the tenant has forbidden.
        """
        if self._store is None:
            return self._default(scope.tenant)
        try:
            if not await self._has_any.get(_ANY):
                return self._default(scope.tenant)
            return await self._known.get(scope.tenant)
        except Unavailable:
            known = self.last_known(scope.tenant)
            if known is None:
                raise
            logger.warning("tenants.settings_not_read")
            return known.no_wider_than(self._default(scope.tenant))

    def last_known(self, tenant: str) -> TenantPolicy | None:
        """What counted for a tenant when that was last read; None if it never was."""
        if self._store is None or self._has_any.last_known(_ANY) is False:
            return self._default(tenant)
        return self._known.last_known(tenant)

    def usual(self, tenant: str) -> TenantPolicy:
        """What counts for a tenant as far as that is known without waiting.

        For what may be a little off, and stores nothing.
        """
        return self.last_known(tenant) or self._default(tenant)

    def note(self, stored: StoredSettings) -> None:
        """Let settings count at once that were just stored or read."""
        self._known.put(stored.tenant, self.server.of(stored.tenant, stored.settings))
        if stored.settings.given():
            self._has_any.put(_ANY, value=True)
        else:
            self._has_any.forget(_ANY)

    async def settle(self) -> None:
        """Wait until nothing is being read any more."""
        await self._has_any.settle()
        await self._known.settle()

    def _default(self, tenant: str) -> TenantPolicy:
        own = self.server.policies.retention.by_tenant
        return self.server.of(tenant) if tenant in own else self._usual

    async def _read_any(self, _: str) -> bool:
        assert self._store is not None  # noqa: S101  # of() has looked
        return await self._store.has_any()

    async def _read(self, tenant: str) -> TenantPolicy:
        assert self._store is not None  # noqa: S101  # of() has looked
        stored = await self._store.get(TenantScope(tenant=tenant, is_stored=True))
        return self.server.of(tenant, stored.settings)


class _MachineClock:
    def now(self) -> datetime:
        return datetime.now(UTC)
