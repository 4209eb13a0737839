"""API keys, user states and the audit log, in memory."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from recollect.domain.identity.accounts import ApiKey, AuditAction, AuditEntry, UserState
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.engines.in_memory.state import InMemoryState


@dataclass(frozen=True, slots=True)
class InMemoryApiKeys:
    """Implements `recollect.ports.accounts.ApiKeyStore`."""

    state: InMemoryState

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


@dataclass(frozen=True, slots=True)
class InMemoryAuditLog:
    """Implements `recollect.ports.accounts.AuditLog`."""

    state: InMemoryState

    async def entries(self, scope: Scope | TenantScope, *, limit: int) -> tuple[AuditEntry, ...]:
        """The owner's latest entries, newest first."""
        written = self.state.of(scope.owner_id).audit_entries
        return tuple(reversed(written))[:limit]


@dataclass(frozen=True, slots=True)
class InMemoryStates:
    """Implements `recollect.ports.accounts.StateStore`."""

    state: InMemoryState

    async def get(self, scope: Scope) -> UserState | None:
        """The owner's state, or None where none was set."""
        return self.state.of(scope.owner_id).user_state

    async def put(self, scope: Scope, mode: str, *, now: datetime) -> UserState:
        """Set the owner's mode in the place of any before it. Audited, with the mode."""
        state = UserState(mode=mode, updated_at=now)
        self.state.of(scope.owner_id).user_state = state
        self.state.audit(scope, AuditAction.STATE_CHANGED, target=mode, count=1, now=now)
        return state

    async def delete(self, scope: Scope, *, now: datetime) -> bool:
        """Forget the owner's state; whether there was one. Audited, with the mode it had."""
        owner = self.state.of(scope.owner_id)
        forgotten, owner.user_state = owner.user_state, None
        if forgotten is None:
            return False
        self.state.audit(scope, AuditAction.STATE_DELETED, target=forgotten.mode, count=1, now=now)
        return True
