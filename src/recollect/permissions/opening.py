"""The permission source that is set, ready to be asked."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.domain.identity.permissions import PermissionAddress, PermissionKind
from recollect.permissions.local import (
    CachedPermissions,
    PermissionFunction,
    PermissionsByFunction,
    PermissionsFile,
)
from recollect.ports.accounts import PermissionSource
from recollect.ports.runtime import Clock

if TYPE_CHECKING:
    from recollect.permissions.http import DenodoCatalog, PermissionsHook


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
