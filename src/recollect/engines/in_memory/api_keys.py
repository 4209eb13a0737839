"""API keys in plain dictionaries."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from recollect.domain.api_key import ApiKey
from recollect.domain.audit import AuditAction
from recollect.domain.scope import TenantScope
from recollect.engines.in_memory.state import State


@dataclass(frozen=True, slots=True)
class InMemoryApiKeys:
    """Implements `recollect.ports.api_keys.ApiKeyStore`."""

    state: State

    async def add(self, scope: TenantScope, key: ApiKey) -> None:
        """Keep a new key. Audited."""
        self.state.of(scope.owner_id).api_keys[key.key_id] = key
        self.state.audit(
            scope, AuditAction.API_KEY_CREATED, target=key.key_id, count=1, now=key.created_at
        )

    async def find(self, owner_id: UUID, key_id: UUID) -> ApiKey | None:
        """The key as its text names it, revoked or not, or None."""
        return self.state.of(owner_id).api_keys.get(key_id)

    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        """The tenant's keys, revoked ones too, oldest first."""
        keys = self.state.of(scope.owner_id).api_keys.values()
        return tuple(sorted(keys, key=lambda key: (key.created_at, key.key_id)))

    async def revoke(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        """Revoke a key for good; whether there is such a key. Audited the first time."""
        keys = self.state.of(scope.owner_id).api_keys
        key = keys.get(key_id)
        if key is None:
            return False
        if not key.is_revoked:
            keys[key_id] = replace(key, revoked_at=now)
            self.state.audit(scope, AuditAction.API_KEY_REVOKED, target=key_id, count=1, now=now)
        return True
