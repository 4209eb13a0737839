"""A cache of the answers of a permission source."""

import asyncio
import hashlib
import hmac
import secrets
from collections import OrderedDict
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.ports.accounts import PermissionSource
from recollect.ports.runtime import Clock

MOST_OWNERS: Final = 10_000
Key = tuple[UUID, bytes]


class CachedPermissions:
    """A cache in front of a `PermissionSource`; entries are valid for some seconds.

    Calls for the same owner at the same time share one request. Failures are not cached. The
    credentials are part of the key: a source may answer by them.
    """

    def __init__(
        self,
        source: PermissionSource,
        *,
        clock: Clock,
        seconds: float,
        most_owners: int = MOST_OWNERS,
    ) -> None:
        self._source = source
        self._clock = clock
        self._lifetime = timedelta(seconds=seconds)
        self._most_owners = most_owners
        self._entries: OrderedDict[Key, tuple[Access, datetime]] = OrderedDict()
        self._pending: dict[Key, asyncio.Task[Access]] = {}
        self._salt = secrets.token_bytes(16)  # the credentials themselves are not kept

    async def access_of(self, scope: Scope) -> Access:
        """Return the cached access, or ask the source; see `PermissionSource.access_of`."""
        key = self._key(scope)
        if key in self._entries:
            access, requested_at = self._entries[key]
            if timedelta(0) <= self._clock.now() - requested_at < self._lifetime:
                return access
        task = self._pending.get(key)
        if task is None:
            task = asyncio.create_task(self._ask(key, scope))
            self._pending[key] = task
            task.add_done_callback(partial(self._finish, key))
        # A caller that is cancelled must not cancel the request that others wait for.
        return await asyncio.shield(task)

    async def _ask(self, key: Key, scope: Scope) -> Access:
        requested_at = self._clock.now()
        access = await self._source.access_of(scope)
        self._entries[key] = access, requested_at
        self._entries.move_to_end(key)
        while len(self._entries) > self._most_owners:
            self._entries.popitem(last=False)
        return access

    def _finish(self, key: Key, done: "asyncio.Task[Access]") -> None:
        self._pending.pop(key, None)
        if not done.cancelled():
            done.exception()  # retrieved, in case nobody waits for it any more

    def _key(self, scope: Scope) -> Key:
        given = (scope.authorization or "").encode(errors="surrogatepass")
        return scope.owner_id, hmac.digest(self._salt, given, hashlib.sha256)
