"""Permissions, and a permission source that a test controls."""

from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.errors import PermissionsUnavailable
from recollect.ports import Stores
from recollect.ports.accounts import PermissionSource
from recollect.services.access import Permissions
from recollect.sql_reading import SqlglotReader


def permissions_on(stores: Stores, source: PermissionSource | None = None) -> Permissions:
    """Permissions by this source; without one everything may be seen."""
    return Permissions(sql=SqlglotReader(), history=stores.history, source=source)


class ByHand:
    """A permission source that returns what the test sets, and is unavailable until then."""

    def __init__(self, access: Access | None = None) -> None:
        self.access = access
        self.scopes: list[Scope] = []

    async def access_of(self, scope: Scope) -> Access:
        """What was told."""
        self.scopes.append(scope)
        if self.access is None:
            raise PermissionsUnavailable("the source is down")
        return self.access
