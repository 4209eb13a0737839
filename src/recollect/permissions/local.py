"""Permissions from a file or a function, and a cache of permissions."""

import asyncio
import hashlib
import hmac
import inspect
import json
import logging
import secrets
import tomllib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias
from uuid import UUID

from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.errors import PermissionsUnavailable
from recollect.permissions.grants import access_from, entries_from, merged, names_in
from recollect.ports.accounts import PermissionSource
from recollect.ports.runtime import Clock

_PARTS_OF_TENANT: Final = ("everyone", "groups", "users")
logger = logging.getLogger(__name__)
Entries = Mapping[str, Visibility]
State = tuple[int, int, int]
"""Which file it is, how long, and when it was written."""
_UNREAD: Final[State] = (-1, -1, -1)
Grants: TypeAlias = Mapping[str, Sequence[str]]
"""`{"tables": […], "restricted": […], "denied": […]}`, of which any may be missing."""
PermissionFunction: TypeAlias = Callable[[str, str], Grants | Awaitable[Grants]]
"""Takes a tenant and a user, and says what the user may see."""
MOST_OWNERS: Final = 10_000
Key = tuple[UUID, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    members: frozenset[str]
    entries: Entries


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tenant:
    everyone: Entries = field(default_factory=dict)
    groups: tuple[_Group, ...] = ()
    users: Mapping[str, Entries] = field(default_factory=dict)

    def access_of(self, user: str) -> Access:
        groups = (group.entries for group in self.groups if user in group.members)
        return Access(tables=merged([self.everyone, *groups, self.users.get(user, {})]))


class PermissionsFile:
    """A `PermissionSource` that reads its file again whenever that has changed.

    A file that is missing or broken allows nothing, until it is mended; the log says why.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.expanduser()
        self._state: State | None = _UNREAD
        self._tenants: Mapping[str, _Tenant] | None = None

    async def access_of(self, scope: Scope) -> Access:
        """What the file says about the owner; see `PermissionSource.access_of`."""
        tenants = await asyncio.to_thread(self._current)
        if tenants is None:
            raise PermissionsUnavailable("the permissions file cannot be read")
        return tenants.get(scope.tenant, _Tenant()).access_of(scope.user)

    def _current(self) -> Mapping[str, _Tenant] | None:
        state = self._state_of_file()
        if state != self._state:
            self._tenants = self._read()
            self._state = state
        return self._tenants

    def _state_of_file(self) -> State | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _read(self) -> Mapping[str, _Tenant] | None:
        try:
            return _tenants_from(_parsed(self._path))
        except (OSError, ValueError) as error:
            facts = self._facts(error)
            logger.error("permissions.file_broken", extra={"facts": facts})  # noqa: TRY400  # they say all
            return None

    def _facts(self, error: Exception) -> dict[str, str]:
        problem = error.strerror if isinstance(error, OSError) else str(error)
        return {"path": str(self._path), "problem": problem or type(error).__name__}


def _parsed(path: Path) -> object:
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)


def _tenants_from(document: object) -> Mapping[str, _Tenant]:
    if not isinstance(document, Mapping) or list(document) != ["tenants"]:
        raise ValueError("the file must have 'tenants', and nothing else")
    tenants = _objects(document["tenants"], "tenants")
    return {name: _tenant(given, f"tenant {name!r}") for name, given in tenants.items()}


def _tenant(given: object, where: str) -> _Tenant:
    if not isinstance(given, Mapping) or not given.keys() <= set(_PARTS_OF_TENANT):
        raise ValueError(f"{where} may have: {', '.join(_PARTS_OF_TENANT)}, and nothing else")
    groups = _objects(given.get("groups", {}), f"{where}: groups")
    users = _objects(given.get("users", {}), f"{where}: users")
    return _Tenant(
        everyone=_entries(given.get("everyone", {}), f"{where}: everyone"),
        groups=tuple(_group(group, f"{where}: group {name!r}") for name, group in groups.items()),
        users={name: _entries(user, f"{where}: user {name!r}") for name, user in users.items()},
    )


def _group(given: object, where: str) -> _Group:
    entries = _entries(given, where, "members")
    members = names_in(given, "members") if isinstance(given, Mapping) else []
    return _Group(members=frozenset(members), entries=entries)


def _entries(given: object, where: str, *besides: str) -> Entries:
    try:
        return entries_from(given, besides=besides)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _objects(given: object, where: str) -> Mapping[str, object]:
    if not isinstance(given, Mapping):
        raise ValueError(f"{where} must be an object")  # noqa: TRY004  # as every other problem
    return given


class PermissionsByFunction:
    """A `PermissionSource` that calls a function, or awaits one."""

    def __init__(self, function: PermissionFunction) -> None:
        self._function = function

    async def access_of(self, scope: Scope) -> Access:
        """What the function says about the owner; see `PermissionSource.access_of`."""
        try:
            # In a thread, for it may look something up; an async one only begins there.
            told = await asyncio.to_thread(self._function, scope.tenant, scope.user)
            grants = await told if inspect.isawaitable(told) else told
            return access_from(grants)
        except Exception as error:
            # Whatever goes wrong in foreign code, nothing must be shown because of it.
            raise PermissionsUnavailable(
                f"the permission function failed ({type(error).__name__})"
            ) from error


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
