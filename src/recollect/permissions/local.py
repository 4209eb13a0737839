"""Permissions from a file or a function.

Lists of tables are read strictly: a typing error grants nothing.
"""

import asyncio
import inspect
import json
import logging
import re
import tomllib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.permissions import EVERY_TABLE, UNKNOWN, Access, normalised
from recollect.domain.identity.scope import Scope
from recollect.errors import PermissionsUnavailable

_PARTS_OF_TENANT: Final = ("everyone", "groups", "users")
logger = logging.getLogger(__name__)
Entries = Mapping[str, Visibility]
FileVersion = tuple[int, int, int]
"""The inode, size and time of change of a file."""
_UNREAD: Final[FileVersion] = (-1, -1, -1)
Grants: TypeAlias = Mapping[str, Sequence[str]]
"""`{"tables": […], "restricted": […], "denied": […]}`, of which any may be missing."""
PermissionFunction: TypeAlias = Callable[[str, str], Grants | Awaitable[Grants]]
"""Takes a tenant and a user, and says what the user may see."""
LISTS: Final[Mapping[str, Visibility]] = {
    "tables": Visibility.ALL,
    "restricted": Visibility.SHAPE,
    "denied": Visibility.NOTHING,
}
"""What stands in each list, and how much of it may be seen."""

_OF_DATABASE: Final = re.compile(r"(.+)\.\*")


def access_from(grants: object) -> Access:
    """The access that `{"tables": […], "restricted": […], "denied": […]}` gives.

    Whatever is not exactly of this form is a `ValueError` that says what is wrong with it.
    """
    return Access(tables=merged([entries_from(grants)]))


def entries_from(grants: object, *, besides: Iterable[str] = ()) -> dict[str, Visibility]:
    """The tables of such lists; `besides` names what else may stand beside them."""
    if not isinstance(grants, Mapping):
        raise ValueError("must be an object with lists of tables")  # noqa: TRY004  # one kind
    unknown = sorted(str(name) for name in grants.keys() - {*LISTS, *besides})
    if unknown:
        known = ", ".join([*LISTS, *besides])
        raise ValueError(f"has {unknown[0]!r}, which is none of: {known}")
    return merged(
        {_name(table): visibility for table in names_in(grants, kind)}
        for kind, visibility in LISTS.items()
    )


def names_in(grants: Mapping[str, object], kind: str) -> list[str]:
    """A list of names, which may be missing."""
    names = grants.get(kind, [])
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{kind!r} must be a list of names")
    return list(names)


def merged(parts: Iterable[Mapping[str, Visibility]]) -> dict[str, Visibility]:
    """All entries together; of a table that several name, the least counts."""
    entries: dict[str, Visibility] = {}
    for part in parts:
        for name, visibility in part.items():
            entries[name] = min(visibility, entries.get(name, visibility))
    return entries


def _name(table: str) -> str:
    if table.strip() == EVERY_TABLE:
        return EVERY_TABLE
    whole = _OF_DATABASE.fullmatch(table.strip())
    name = normalised(whole[1] if whole else table)
    if name == UNKNOWN:
        raise ValueError(f"{table!r} is no table; write database.view, database.* or *")
    return f"{name}.*" if whole else name


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
        self._version: FileVersion | None = _UNREAD
        self._tenants: Mapping[str, _Tenant] | None = None

    async def access_of(self, scope: Scope) -> Access:
        """What the file says about the owner; see `PermissionSource.access_of`."""
        tenants = await asyncio.to_thread(self._current)
        if tenants is None:
            raise PermissionsUnavailable("the permissions file cannot be read")
        return tenants.get(scope.tenant, _Tenant()).access_of(scope.user)

    def _current(self) -> Mapping[str, _Tenant] | None:
        version = self._file_version()
        if version != self._version:
            self._tenants = self._read()
            self._version = version
        return self._tenants

    def _file_version(self) -> FileVersion | None:
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

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
            result = await asyncio.to_thread(self._function, scope.tenant, scope.user)
            grants = await result if inspect.isawaitable(result) else result
            return access_from(grants)
        except Exception as error:
            # Whatever goes wrong in foreign code, nothing must be shown because of it.
            raise PermissionsUnavailable(
                f"the permission function failed ({type(error).__name__})"
            ) from error
