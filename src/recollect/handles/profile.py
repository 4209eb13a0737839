"""Handle of the library: the profile of one user."""

from recollect.domain.identity.scope import Scope
from recollect.domain.profile.profile import ProfileItem
from recollect.domain.text import JsonValue
from recollect.services.services import Services


class Profile:
    """What programs store about one user: JSON values by key. Get it from `Memory.profile`."""

    def __init__(self, services: Services, scope: Scope) -> None:
        self._profiles = services.profiles
        self._scope = scope

    async def set(self, key: str, value: JsonValue, *, version: int | None = None) -> ProfileItem:
        """Set the value of a key, in place of any before it.

        With `version` only if the key has that version, else `VersionConflict`; 0 is the version
        of a key that is not there yet.
        """
        return await self._profiles.set(self._scope, key, value, version=version)

    async def merge(self, key: str, value: JsonValue, *, version: int | None = None) -> ProfileItem:
        """Merge a value into that of a key and return the result; a new key is set.

        Objects merge at every depth. Everything else is replaced, also by None, which is a value
        like others and deletes nothing.
        """
        return await self._profiles.merge(self._scope, key, value, version=version)

    async def get(self, key: str) -> ProfileItem | None:
        """The value of a key with its version and times; None where there is none."""
        return await self._profiles.find(self._scope, key)

    async def list(self) -> tuple[ProfileItem, ...]:
        """All values in order of their keys."""
        return await self._profiles.list(self._scope)

    async def delete(self, key: str, *, version: int | None = None) -> None:
        """Delete a key; `NotFound` if it is not there."""
        await self._profiles.delete(self._scope, key, version=version)

    async def clear(self) -> int:
        """Delete all keys and say how many there were."""
        return await self._profiles.clear(self._scope)
