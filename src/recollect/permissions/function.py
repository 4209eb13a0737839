"""Permissions told by a function of the program that uses the library."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from recollect.domain.access import Access
from recollect.domain.scope import Scope
from recollect.errors import PermissionsUnavailable
from recollect.permissions.grants import access_from

Grants: TypeAlias = Mapping[str, Sequence[str]]
"""`{"tables": […], "restricted": […], "denied": […]}`, of which any may be missing."""
PermissionFunction: TypeAlias = Callable[[str, str], Grants | Awaitable[Grants]]
"""Takes a tenant and a user, and says what the user may see."""


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
