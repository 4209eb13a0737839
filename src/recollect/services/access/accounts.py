"""API keys, and whether memory is on for a user."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from recollect.domain.identity.accounts import (
    OFFERED_SCOPES,
    SECRET_BYTES,
    ApiKey,
    KeyScope,
    KeyText,
    MemoryPolicy,
    UserState,
    check_mode,
    hash_secret,
)
from recollect.domain.identity.scope import Scope, TenantScope, check_identity, tenant_name
from recollect.errors import ApiKeyNotFound, InvalidInput, Unauthenticated, UserHalted
from recollect.ports.accounts import ApiKeyStore, StateStore
from recollect.ports.runtime import Clock, Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKeys:
    """What can be done with the keys of a tenant."""

    store: ApiKeyStore
    clock: Clock
    ids: Ids

    async def create(
        self,
        scope: TenantScope,
        *,
        name: str,
        scopes: Iterable[KeyScope],
        user: str | None = None,
        memory: MemoryPolicy = MemoryPolicy.FULL,
    ) -> tuple[ApiKey, str]:
        """Make a key and return it with its text, which nobody can find out afterwards."""
        tenant_name(scope.tenant)  # refuses keys of the system tenant
        chosen = frozenset(scopes)
        if not chosen <= {*OFFERED_SCOPES}:
            raise InvalidInput("scopes", f"must be of: {', '.join(OFFERED_SCOPES)}")
        secret = self.ids.new_secret(SECRET_BYTES)
        key = ApiKey(
            key_id=self.ids.new_id(),
            tenant=scope.tenant,
            user=None if user is None else check_identity(user, "user"),
            scopes=chosen,
            name=name,
            secret_hash=hash_secret(secret),
            created_at=self.clock.now(),
            memory=memory,
        )
        await self.store.add(scope, key)
        text = KeyText(owner_id=scope.owner_id, key_id=key.key_id, secret=secret)
        return key, str(text)

    async def recognise(self, text: str) -> ApiKey:
        """Find the key a caller presents, or refuse the caller."""
        parsed = KeyText.parse(text)
        key = await self.store.find(parsed.owner_id, parsed.key_id) if parsed else None
        if parsed is None or key is None or key.is_revoked or not key.accepts(parsed.secret):
            raise Unauthenticated("the API key is not valid")
        return key

    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        """List a tenant's keys, oldest first."""
        return await self.store.list(scope)

    async def revoke(self, scope: TenantScope, key_id: UUID) -> None:
        """Revoke a key at once and for good."""
        if not await self.store.revoke(scope, key_id, now=self.clock.now()):
            raise ApiKeyNotFound(key_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class States:
    """What can be done with a user's mode."""

    store: StateStore
    clock: Clock

    async def get(self, scope: Scope) -> UserState | None:
        """The user's state, or None where none was set, which means active."""
        return await self.store.get(scope)

    async def put(self, scope: Scope, mode: str) -> UserState:
        """Set the user's mode; `halted` keeps every question from being answered."""
        return await self.store.put(scope, check_mode(mode), now=self.clock.now())

    async def delete(self, scope: Scope) -> bool:
        """Forget the user's mode; whether there was one."""
        return await self.store.delete(scope, now=self.clock.now())

    async def check_not_halted(self, scope: Scope) -> None:
        """Refuse to go on for a user who is halted."""
        state = await self.store.get(scope)
        if state is not None and state.is_halted:
            raise UserHalted
