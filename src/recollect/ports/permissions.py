"""Who says which tables an owner may see."""

from typing import Protocol

from recollect.domain.access import Access
from recollect.domain.scope import Scope


class PermissionSource(Protocol):
    """Knows what an owner may see now; whoever asks does so again before every use."""

    async def access_of(self, scope: Scope) -> Access:
        """What the owner may see; `PermissionsUnavailable` if that cannot be told now.

        Whoever gets that error shows nothing that draws on any table.
        """
        ...
