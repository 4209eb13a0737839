"""Opening the permission source that is set, with a cache of its answers."""

import asyncio
import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import UUID

from recollect.domain.identity.permissions import Access, PermissionAddress, PermissionKind
from recollect.domain.identity.scope import Scope
from recollect.permissions.local import (
    PermissionFunction,
    PermissionsByFunction,
    PermissionsFile,
)
from recollect.ports.accounts import PermissionSource
from recollect.ports.runtime import Clock

if TYPE_CHECKING:
    from recollect.permissions.http import DenodoCatalog, PermissionsHook

MOST_OWNERS: Final = 10_000
Key = tuple[UUID, bytes]


@asynccontextmanager
async def open_permissions(
    source: PermissionAddress | PermissionFunction | None,
    *,
    clock: Clock,
    secret: str | None = None,
    time_limit: float = 5.0,
    cache_seconds: float = 30.0,
) -> AsyncIterator[PermissionSource | None]:
    """Open a source, whose answers are used for some seconds; None where none is set."""
    async with AsyncExitStack() as stack:
        match source:
            case None:
                yield None
                return
            case PermissionAddress(kind=PermissionKind.FILE):
                opened: PermissionSource = PermissionsFile(Path(source.target))
            case PermissionAddress():
                service = _service(source, secret=secret, time_limit=time_limit)
                opened = await stack.enter_async_context(service)
            case _:
                opened = PermissionsByFunction(source)
        yield CachedPermissions(opened, clock=clock, seconds=cache_seconds)


def _service(
    address: PermissionAddress, *, secret: str | None, time_limit: float
) -> "PermissionsHook | DenodoCatalog":
    # Loaded here: the HTTP client is an extra.
    from recollect.permissions.http import DenodoCatalog, PermissionsHook  # noqa: PLC0415

    if address.kind is PermissionKind.HOOK:
        return PermissionsHook(address.target, secret=secret, time_limit=time_limit)
    return DenodoCatalog(
        address.target,
        databases=address.databases,
        server_id=address.server_id,
        time_limit=time_limit,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    access: Access
    at: datetime


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
        self._entries: OrderedDict[Key, _Entry] = OrderedDict()
        self._pending: dict[Key, asyncio.Task[Access]] = {}
        self._salt = secrets.token_bytes(16)  # the credentials themselves are not kept

    async def access_of(self, scope: Scope) -> Access:
        """Return the cached access, or ask the source; see `PermissionSource.access_of`."""
        key = self._key(scope)
        entry = self._entries.get(key)
        if entry is not None and timedelta(0) <= self._clock.now() - entry.at < self._lifetime:
            return entry.access
        task = self._pending.get(key)
        if task is None:
            task = asyncio.create_task(self._ask(key, scope))
            self._pending[key] = task
            task.add_done_callback(lambda done: self._finish(key, done))
        # A caller that is cancelled must not cancel the request that others wait for.
        return await asyncio.shield(task)

    async def _ask(self, key: Key, scope: Scope) -> Access:
        requested_at = self._clock.now()
        access = await self._source.access_of(scope)
        self._entries[key] = _Entry(access=access, at=requested_at)
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
