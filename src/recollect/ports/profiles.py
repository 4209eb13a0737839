"""Where the profiles of users are stored."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from recollect.domain.identity.scope import Scope
from recollect.domain.profile.profile import ProfileChange, ProfileItem


class ProfileStore(Protocol):
    """Stores JSON values by key for each owner; what a method has returned survives a crash.

    Values come back with the types of all their numbers, and with their members in order.
    """

    async def change(self, scope: Scope, change: ProfileChange, *, now: datetime) -> ProfileItem:
        """Set or merge the value of one key, and return it as it is then.

        Changes of one owner are done one after the other: of two merges at the same time none is
        lost, and the limits of a profile hold. `VersionConflict` or `InvalidInput`, as
        `ProfileChange.text_after` has them, leave everything as it was.
        """

    async def list(
        self, scope: Scope, *, keys: Collection[str] | None = None
    ) -> tuple[ProfileItem, ...]:
        """Return all values, or those of these keys as far as they are there, in order of keys."""

    async def delete(
        self, scope: Scope, key: str, *, version: int | None = None, now: datetime
    ) -> bool:
        """Delete a key; return whether it was there. Audited, with the key.

        `VersionConflict` if it is there in another version than the one given.
        """

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        """Delete all keys; return how many there were. Audited, if there were any."""
