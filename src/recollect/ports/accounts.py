"""Where API keys, user states and the audit log are stored, and who may see what."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.domain.identity.accounts import ApiKey, AuditEntry, UserState
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope, TenantScope


class ApiKeyStore(Protocol):
    """Keeps the keys of every tenant apart; secrets only as hashes."""

    async def add(self, scope: TenantScope, key: ApiKey) -> None:
        """Keep a new key. Audited."""
        ...

    async def find(self, owner_id: UUID, key_id: UUID) -> ApiKey | None:
        """The key as its text names it, revoked or not, or None.

        The only method without a scope: whoever asks has not been recognised yet.
        """
        ...

    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        """The tenant's keys, revoked ones too, oldest first."""
        ...

    async def revoke(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        """Revoke a key for good; whether there is such a key. Audited the first time."""
        ...


class AuditLog(Protocol):
    """Remembers what was done to an owner's memory.

    Entries are written by the stores, together with what they tell of: neither is ever there
    without the other.
    """

    async def entries(self, scope: Scope | TenantScope, *, limit: int) -> tuple[AuditEntry, ...]:
        """The owner's latest entries, newest first."""
        ...


class StateStore(Protocol):
    """Keeps one mode for each owner; whatever a method has returned survives a crash."""

    async def get(self, scope: Scope) -> UserState | None:
        """The owner's state, or None where none was set."""
        ...

    async def put(self, scope: Scope, mode: str, *, now: datetime) -> UserState:
        """Set the owner's mode in the place of any before it. Audited, with the mode."""
        ...

    async def delete(self, scope: Scope, *, now: datetime) -> bool:
        """Forget the owner's state; whether there was one. Audited, with the mode it had."""
        ...


class PermissionSource(Protocol):
    """Knows what an owner may see now; whoever asks does so again before every use."""

    async def access_of(self, scope: Scope) -> Access:
        """What the owner may see; `PermissionsUnavailable` if that cannot be told now.

        Whoever gets that error shows nothing that draws on any table.
        """
        ...


class CredentialChecker(Protocol):
    """An upstream that knows users and their passwords."""

    async def user_of(self, authorization: str) -> str | None:
        """Check the value of an Authorization header; the user's name, if that is told.

        `Unauthenticated` if it is not valid, `IdentityUnavailable` if nobody can tell now.
        """
        ...
