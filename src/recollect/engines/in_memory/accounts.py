"""API keys, user states and ended visits in memory."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recollect.domain.identity.accounts import ApiKey, UserState
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.engines.in_memory.data import InMemoryStore


class InMemoryApiKeys(InMemoryStore):
    """Implements `recollect.ports.accounts.ApiKeyStore`."""

    async def add(self, scope: TenantScope, key: ApiKey) -> None:
        self.data.of(scope.owner_id).api_keys[key.key_id] = key
        self.data.audit(scope, AuditAction.API_KEY_CREATED, key.key_id, now=key.created_at)

    async def find(self, owner_id: UUID, key_id: UUID) -> ApiKey | None:
        return self.data.of(owner_id).api_keys.get(key_id)

    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        keys = self.data.of(scope.owner_id).api_keys.values()
        return tuple(sorted(keys, key=lambda key: (key.created_at, key.key_id)))

    async def revoke(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        keys = self.data.of(scope.owner_id).api_keys
        key = keys.get(key_id)
        if key is None:
            return False
        if not key.is_revoked:
            keys[key_id] = replace(key, revoked_at=now)
            self.data.audit(scope, AuditAction.API_KEY_REVOKED, key_id, now=now)
        return True

    async def delete(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        key = self.data.of(scope.owner_id).api_keys.pop(key_id, None)
        if key is not None:
            self.data.audit(scope, AuditAction.API_KEY_REVOKED, key_id, now=now)
        return key is not None


class InMemoryStates(InMemoryStore):
    """Implements `recollect.ports.accounts.StateStore`."""

    async def get(self, scope: Scope) -> UserState | None:
        return self.data.of(scope.owner_id).user_state

    async def put(self, scope: Scope, mode: str, *, now: datetime) -> UserState:
        state = UserState(mode=mode, updated_at=now)
        self.data.claimed_by(scope).user_state = state
        self.data.audit(scope, AuditAction.STATE_CHANGED, mode, now=now)
        return state

    async def delete(self, scope: Scope, *, now: datetime) -> bool:
        owner = self.data.of(scope.owner_id)
        forgotten, owner.user_state = owner.user_state, None
        if forgotten is None:
            return False
        self.data.audit(scope, AuditAction.STATE_DELETED, forgotten.mode, now=now)
        return True


class InMemoryEndedVisits(InMemoryStore):
    """Implements `recollect.ports.accounts.EndedVisits`."""

    async def end(self, visit_id: UUID, *, now: datetime, expires_at: datetime) -> None:
        ended = self.data.ended_visits
        ended[visit_id] = expires_at
        for expired in [one for one, at in ended.items() if at < now]:
            del ended[expired]

    async def has(self, visit_id: UUID) -> bool:
        return visit_id in self.data.ended_visits
