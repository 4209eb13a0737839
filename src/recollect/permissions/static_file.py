"""Permissions written in a file, TOML or JSON."""

import asyncio
import json
import logging
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from recollect.domain.access import Access, Visibility
from recollect.domain.scope import Scope
from recollect.errors import PermissionsUnavailable
from recollect.permissions.grants import entries_from, merged, names_in

_PARTS_OF_TENANT: Final = ("everyone", "groups", "users")

logger = logging.getLogger(__name__)

Entries = Mapping[str, Visibility]
State = tuple[int, int, int]
"""Which file it is, how long, and when it was written."""
_UNREAD: Final[State] = (-1, -1, -1)


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
