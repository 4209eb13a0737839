"""A cache of service keys whose entries are leases: a revocation waits until they have ended."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Final
from uuid import UUID

from recollect.domain.identity.accounts import ApiKey
from recollect.domain.identity.scope import TenantScope
from recollect.ports.accounts import ApiKeyStore

LEASE_SECONDS: Final = 0.5
_MARGIN_SECONDS: Final = 0.05
"""For timers that are a little early."""
_MOST_KEYS: Final = 1_000
_KeyId = tuple[UUID, UUID]


@dataclass(frozen=True, slots=True)
class _Lease:
    key: ApiKey
    ends_at: float


class LeasedKeys:
    """An `ApiKeyStore` that caches each service key for the time of a lease.

    `revoke` and `delete` return when every lease of the key has ended, in all processes: the key is
    accepted nowhere from then on. Keys of single users are not cached: they are presented seldom,
    and hold names that an erasure must not leave behind.
    See docs/decisions/0057-keys-of-services-are-leased.md.
    """

    def __init__(
        self,
        store: ApiKeyStore,
        *,
        seconds: float = LEASE_SECONDS,
        timer: Callable[[], float] = monotonic,
    ) -> None:
        """Cache valid keys for these seconds."""
        self._store = store
        self._seconds = seconds
        self._timer = timer
        self._leases: dict[_KeyId, _Lease] = {}  # the oldest first

    async def add(self, scope: TenantScope, key: ApiKey) -> None:
        """Store a new key."""
        await self._store.add(scope, key)

    async def find(self, owner_id: UUID, key_id: UUID) -> ApiKey | None:
        """Return the cached key while its lease lasts, else what the store has.

        A lease begins before the store is read: the row may be old when it arrives.
        """
        identifier, began_at = (owner_id, key_id), self._timer()
        lease = self._leases.get(identifier)
        if lease is not None and began_at < lease.ends_at:
            return lease.key
        key = await self._store.find(owner_id, key_id)
        if key is not None and key.user is None and not key.is_revoked:
            self._keep(identifier, _Lease(key, began_at + self._seconds))
        return key

    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        """Return the tenant's keys as they are stored."""
        return await self._store.list(scope)

    async def revoke(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        """Revoke a key and wait until its leases have ended."""
        key = await self._store.find(scope.owner_id, key_id)
        is_there = await self._store.revoke(scope, key_id, now=now)
        await self._wait_for_leases(key)
        return is_there

    async def delete(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        """Delete a key and wait until its leases have ended."""
        key = await self._store.find(scope.owner_id, key_id)
        was_there = await self._store.delete(scope, key_id, now=now)
        await self._wait_for_leases(key)
        return was_there

    def _keep(self, identifier: _KeyId, lease: _Lease) -> None:
        self._leases.pop(identifier, None)
        self._leases[identifier] = lease
        if len(self._leases) > _MOST_KEYS:
            del self._leases[next(iter(self._leases))]

    async def _wait_for_leases(self, key: ApiKey | None) -> None:
        if key is not None and key.user is None:
            await asyncio.sleep(self._seconds + _MARGIN_SECONDS)
