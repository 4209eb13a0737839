"""The places beside an owner's rows that erasures reach: vectors outside, keys, and caches."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from recollect.domain.erasure.erasure import CACHES, KEYS, VECTORS, Counts, Erasure, ErasureKind
from recollect.domain.identity.accounts import ApiKey
from recollect.domain.identity.scope import Interface, Scope, TenantScope
from recollect.ports.accounts import ApiKeyStore
from recollect.ports.privacy.erasure import ErasureStore, OwnerCache, OwnerRemovals
from recollect.ports.recall import VectorStore
from recollect.ports.runtime import Clock

_LOOKS_BACK: Final = timedelta(minutes=2)
"""More than the clocks of two machines differ, and than an eviction may be late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideVectors:
    """An `Erasable`: the vectors in a store outside the database.

    Of a whole owner it drops everything; else what the database has deleted, and has noted to be
    removed from there.
    """

    erasures: ErasureStore
    removals: OwnerRemovals
    vectors: VectorStore

    @property
    def name(self) -> str:
        """What receipts call the place."""
        return VECTORS

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:
        """Delete vectors, and check in the store that they are gone."""
        match erasure.request.kind:
            case ErasureKind.TENANT:
                return False
            case ErasureKind.EVERYTHING:
                await self._erase_owner(erasure)
                return False
            case _:
                return await self._remove_some(erasure, limit=limit)

    async def remaining(self, erasure: Erasure) -> Counts:
        """What the store has of the owner, or has not been told yet to remove."""
        request, owner_id = erasure.request, erasure.owner_id
        match request.kind:
            case ErasureKind.TENANT:
                return {}
            case ErasureKind.EVERYTHING:
                return {self.removals.kept_in: await self.vectors.count(owner_id)}
            case _:
                left = await self.removals.of_owner(
                    owner_id, session_id=request.session_id, limit=1
                )
                return {self.removals.kept_in: len(left)}

    async def _erase_owner(self, erasure: Erasure) -> None:
        owner_id = erasure.owner_id
        # What is noted from now on may be a vector that arrives there after the store was emptied.
        last = await self.removals.last(owner_id)
        number = await self.vectors.count(owner_id)
        await self.vectors.erase(owner_id)
        if number:
            await self.erasures.count(erasure, VECTORS, {self.removals.kept_in: number})
        await self.removals.forget(owner_id, through=last)

    async def _remove_some(self, erasure: Erasure, *, limit: int) -> bool:
        owner_id, session_id = erasure.owner_id, erasure.request.session_id
        waiting = await self.removals.of_owner(owner_id, session_id=session_id, limit=limit)
        if waiting:
            await self.vectors.remove(owner_id, {key for _, key in waiting})
            await self.removals.done(owner_id, [number for number, _ in waiting])
            await self.erasures.count(erasure, VECTORS, {self.removals.kept_in: len(waiting)})
        return len(waiting) >= limit


@dataclass(frozen=True, slots=True, kw_only=True)
class UserKeys:
    """An `Erasable`: the API keys that open the memory of the user alone, and hold the user's name.

    The key by which the erasure was requested stays: it fetches the receipt.
    """

    erasures: ErasureStore
    keys: ApiKeyStore
    clock: Clock

    @property
    def name(self) -> str:
        """What receipts call the place."""
        return KEYS

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:  # noqa: ARG002  # a few
        """Delete the keys of a user of whom everything is erased."""
        scope = _tenant_of(erasure)
        for key in await self._keys_of(erasure):
            if await self.keys.delete(scope, key.key_id, now=self.clock.now()):
                await self.erasures.count(erasure, KEYS, {"api_keys": 1})
        return False

    async def remaining(self, erasure: Erasure) -> Counts:
        """How many keys there are that should be gone."""
        return {"api_keys": len(await self._keys_of(erasure))}

    async def _keys_of(self, erasure: Erasure) -> list[ApiKey]:
        if erasure.request.kind is not ErasureKind.EVERYTHING:
            return []
        return [
            key
            for key in await self.keys.list(_tenant_of(erasure))
            if key.user is not None
            and Scope(tenant=key.tenant, user=key.user).owner_id == erasure.owner_id
            and key.actor != erasure.requested_by
        ]


def _tenant_of(erasure: Erasure) -> TenantScope:
    return TenantScope(
        tenant=erasure.tenant,
        actor=erasure.requested_by,
        transaction_id=erasure.transaction_id,
        interface=Interface.WORKER,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessCaches:
    """An `Erasable`: what this process holds; others drop theirs by `CacheEviction`."""

    caches: Sequence[OwnerCache]

    @property
    def name(self) -> str:
        """What receipts call the place."""
        return CACHES

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:  # noqa: ARG002  # all
        """Drop what is held of the owner."""
        for cache in self.caches:
            cache.forget(erasure.owner_id)
        return False

    async def remaining(self, erasure: Erasure) -> Counts:  # noqa: ARG002  # the port's
        """Nothing: caches were emptied."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEviction:
    """Lets every process drop what it holds of owners who are erased, whoever erases them."""

    erasures: ErasureStore
    caches: Sequence[OwnerCache]
    clock: Clock
    _seen: dict[UUID, datetime] = field(default_factory=dict)

    async def do_some(self) -> int:
        """Drop what is held of owners whose erasure began or ended lately; how many there were."""
        recent = await self.erasures.lately(since=self.clock.now() - _LOOKS_BACK)
        new = [one for one in recent if self._seen.get(one.erasure_id) != one.changed_at]
        for one in new:
            for cache in self.caches:
                cache.forget(one.owner_id)
        known = {one.erasure_id: one.changed_at for one in recent}
        self._seen.clear()
        self._seen.update(known)
        return len(new)
