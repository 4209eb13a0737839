"""Where API keys, user states and ended visits are stored, and who may see what."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.domain.identity.accounts import ApiKey, UserState
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope, TenantScope


class ApiKeyStore(Protocol):
    """Stores the keys of every tenant apart; secrets only as hashes."""

    async def add(self, scope: TenantScope, key: ApiKey) -> None:
        """Store a new key. Audited."""

    async def find(self, owner_id: UUID, key_id: UUID) -> ApiKey | None:
        """Return the key, revoked or not, or None.

        The only method without a scope: the caller has not been authenticated yet.
        """

    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        """Return the tenant's keys, revoked ones too, oldest first."""

    async def revoke(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        """Revoke a key for good; return whether there is such a key. Audited the first time."""

    async def delete(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        """Revoke a key and delete all that is stored of it; whether there was one. Audited."""


class StateStore(Protocol):
    """Stores one mode for each owner; what a method has returned survives a crash."""

    async def get(self, scope: Scope) -> UserState | None:
        """Return the owner's state, or None where none was set."""

    async def put(self, scope: Scope, mode: str, *, now: datetime) -> UserState:
        """Set the owner's mode in place of any before it. Audited, with the mode."""

    async def delete(self, scope: Scope, *, now: datetime) -> bool:
        """Delete the owner's state; return whether there was one. Audited, with its mode."""


class EndedVisits(Protocol):
    """Remembers which visits to the dashboard were ended, of all tenants."""

    async def end(self, visit_id: UUID, *, now: datetime, expires_at: datetime) -> None:
        """End a visit for every process; it may be forgotten once it would have expired."""

    async def has(self, visit_id: UUID) -> bool:
        """Return whether a visit was ended."""


class PermissionSource(Protocol):
    """Knows what an owner may see now; called again before every use."""

    async def access_of(self, scope: Scope) -> Access:
        """Return what the owner may see; `PermissionsUnavailable` if that is not known now.

        After that error nothing may be shown that draws on any table.
        """


class CredentialChecker(Protocol):
    """An upstream that knows users and their passwords."""

    async def user_of(self, authorization: str) -> str | None:
        """Check the value of an Authorization header; return the user's name, if it is known.

        `Unauthenticated` if it is not valid, `IdentityUnavailable` if it cannot be checked now.
        """
