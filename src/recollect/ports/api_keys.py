"""Where API keys are kept."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.domain.api_key import ApiKey
from recollect.domain.scope import TenantScope


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
