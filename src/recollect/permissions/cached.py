"""Permissions remembered for some seconds."""

import asyncio
import hashlib
import hmac
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from recollect.domain.access import Access
from recollect.domain.scope import Scope
from recollect.ports.clock import Clock
from recollect.ports.permissions import PermissionSource

MOST_OWNERS: Final = 10_000

Key = tuple[UUID, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    access: Access
    at: datetime


class CachedPermissions:
    """A `PermissionSource` in front of another one, which is asked again after some seconds.

    Whoever asks while the answer is on its way waits for that one. A failure is not remembered.
    Other credentials of the same owner are asked about anew: a source may go by them.
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
        self._told: OrderedDict[Key, _Told] = OrderedDict()
        self._asking: dict[Key, asyncio.Task[Access]] = {}
        self._salt = secrets.token_bytes(16)  # the credentials themselves are not kept

    async def access_of(self, scope: Scope) -> Access:
        """What the source said a moment ago, or says now; see `PermissionSource.access_of`."""
        key = self._key(scope)
        told = self._told.get(key)
        if told is not None and timedelta(0) <= self._clock.now() - told.at < self._lifetime:
            return told.access
        task = self._asking.get(key)
        if task is None:
            task = asyncio.create_task(self._ask(key, scope))
            self._asking[key] = task
            task.add_done_callback(lambda done: self._finish(key, done))
        # One who stops waiting does not stop the answer that others wait for.
        return await asyncio.shield(task)

    async def _ask(self, key: Key, scope: Scope) -> Access:
        asked_at = self._clock.now()
        access = await self._source.access_of(scope)
        self._told[key] = _Told(access=access, at=asked_at)
        self._told.move_to_end(key)
        while len(self._told) > self._most_owners:
            self._told.popitem(last=False)
        return access

    def _finish(self, key: Key, done: "asyncio.Task[Access]") -> None:
        self._asking.pop(key, None)
        if not done.cancelled():
            done.exception()  # seen here, should nobody be waiting any more

    def _key(self, scope: Scope) -> Key:
        given = (scope.authorization or "").encode(errors="surrogatepass")
        return scope.owner_id, hmac.digest(self._salt, given, hashlib.sha256)
