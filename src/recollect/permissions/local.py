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
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.permissions import EVERY_TABLE, UNKNOWN, Access, normalised
from recollect.domain.identity.scope import Scope
from recollect.errors import PermissionsUnavailable

logger = logging.getLogger(__name__)
FileVersion = tuple[int, int, int]
"""The inode, size and time of change of a file."""
_UNREAD: Final[FileVersion] = (-1, -1, -1)
Grants: TypeAlias = Mapping[str, Sequence[str]]
"""`{"tables": […], "restricted": […], "denied": […]}`, of which any may be missing."""
PermissionFunction: TypeAlias = Callable[[str, str], Grants | Awaitable[Grants]]
"""Takes a tenant and a user, and says what the user may see."""
_OF_DATABASE: Final = re.compile(r"(.+)\.\*")
_STRICT: Final = ConfigDict(extra="forbid")


def _read_name(table: str) -> str:
    if table.strip() == EVERY_TABLE:
        return EVERY_TABLE
    whole = _OF_DATABASE.fullmatch(table.strip())
    name = normalised(whole[1] if whole else table)
    if name == UNKNOWN:
        raise ValueError(f"{table!r} is no table; write database.view, database.* or *")
    return f"{name}.*" if whole else name


_Names: TypeAlias = list[Annotated[str, AfterValidator(_read_name)]]


class _Lists(BaseModel):
    """Lists of tables, by how much of them may be seen."""

    model_config = _STRICT

    tables: _Names = []
    restricted: _Names = []
    denied: _Names = []

    def entries(self) -> dict[str, Visibility]:
        """What may be seen of each table; of one that several lists name, the least."""
        return {
            **dict.fromkeys(self.tables, Visibility.ALL),
            **dict.fromkeys(self.restricted, Visibility.SHAPE),
            **dict.fromkeys(self.denied, Visibility.NOTHING),
        }


class _Group(_Lists):
    members: list[str] = []


class _Tenant(BaseModel):
    model_config = _STRICT

    everyone: _Lists = _Lists()
    groups: dict[str, _Group] = {}
    users: dict[str, _Lists] = {}

    def access_of(self, user: str) -> Access:
        groups = (group for group in self.groups.values() if user in group.members)
        lists = (self.everyone, *groups, self.users.get(user, _Lists()))
        return Access(tables=merged(part.entries() for part in lists))


class _File(BaseModel):
    model_config = _STRICT

    tenants: dict[str, _Tenant]


def access_from(grants: object) -> Access:
    """The access that `{"tables": […], "restricted": […], "denied": […]}` gives.

    Whatever is not exactly of this form is a `ValueError` that says what is wrong with it.
    """
    try:
        lists = _Lists.model_validate(dict(grants) if isinstance(grants, Mapping) else grants)
    except ValidationError as error:
        raise ValueError(_first_problem(error)) from None
    return Access(tables=lists.entries())


def merged(parts: Iterable[Mapping[str, Visibility]]) -> dict[str, Visibility]:
    """All entries together; of a table that several name, the least counts."""
    entries: dict[str, Visibility] = {}
    for part in parts:
        for name, visibility in part.items():
            entries[name] = min(visibility, entries.get(name, visibility))
    return entries


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, problem["loc"]))
    return f"{place}: {problem['msg']}" if place else problem["msg"]


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
        version: FileVersion | None = None
        with suppress(OSError):
            stat = self._path.stat()
            version = stat.st_ino, stat.st_size, stat.st_mtime_ns
        if version != self._version:
            self._tenants = self._read()
            self._version = version
        return self._tenants

    def _read(self) -> Mapping[str, _Tenant] | None:
        try:
            text = self._path.read_text(encoding="utf-8")
            is_toml = self._path.suffix.lower() == ".toml"
            return _File.model_validate(
                tomllib.loads(text) if is_toml else json.loads(text)
            ).tenants
        except OSError as error:
            problem = error.strerror or type(error).__name__
        except ValidationError as error:
            problem = _first_problem(error)
        except ValueError as error:
            problem = str(error)
        facts = {"path": str(self._path), "problem": problem}
        logger.error("permissions.file_broken", extra={"facts": facts})
        return None


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
