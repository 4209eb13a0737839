"""Profiles: what programs store about a user, and what contexts show of it."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from recollect.concurrency import AT_ONCE, off_loop
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.profile.profile import (
    ALL_KEYS,
    ProfileChange,
    ProfileItem,
    check_key,
    parse_version,
)
from recollect.domain.text import JsonValue, json_characters
from recollect.errors import ProfileKeyNotFound
from recollect.ports.profiles import ProfileStore
from recollect.ports.runtime import Clock
from recollect.services.audit.operations import Audited, audited, measured

PROFILE_FAILED: Final = "the user's profile could not be read"
"""The warning of a context that lacks it."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiles(Audited):
    """What can be done with a user's profile."""

    store: ProfileStore
    clock: Clock

    async def set(
        self, scope: Scope, key: str, value: JsonValue, *, version: int | None = None
    ) -> ProfileItem:
        """Set the value of a key, in place of any before it.

        With `version` only if the key has that version, or with 0 only if it is not there yet.
        """
        return await self._change(scope, key, value, version=version, merges=False)

    async def merge(
        self, scope: Scope, key: str, value: JsonValue, *, version: int | None = None
    ) -> ProfileItem:
        """Merge a value into that of a key; where the key is not there, set it.

        Objects merge at every depth; everything else is replaced, null is a value like others.
        """
        return await self._change(scope, key, value, version=version, merges=True)

    async def find(self, scope: Scope, key: str) -> ProfileItem | None:
        """The value of a key with its version, or None."""
        items = await self._read(scope, keys=[check_key(key)])
        return items[0] if items else None

    async def get(self, scope: Scope, key: str) -> ProfileItem:
        """The value of a key with its version; `ProfileKeyNotFound` if it is not there."""
        item = await self.find(scope, key)
        if item is None:
            raise ProfileKeyNotFound
        return item

    async def list(self, scope: Scope) -> tuple[ProfileItem, ...]:
        """All values of the profile in order of their keys."""
        return await self._read(scope, keys=None)

    @measured(AuditAction.PROFILE_KEY_DELETED)
    async def delete(self, scope: Scope, key: str, *, version: int | None = None) -> None:
        """Delete a key; `ProfileKeyNotFound` if it is not there."""
        key, version = check_key(key), parse_version(version)
        if not await self.store.delete(scope, key, version=version, now=self.clock.now()):
            raise ProfileKeyNotFound

    @measured(AuditAction.PROFILE_CLEARED)
    async def clear(self, scope: Scope) -> int:
        """Delete all keys and say how many there were."""
        return await self.store.clear(scope, now=self.clock.now())

    @audited(AuditAction.PROFILE_READ)
    async def _read(self, scope: Scope, *, keys: Sequence[str] | None) -> tuple[ProfileItem, ...]:
        return await self.store.list(scope, keys=keys)

    @audited(AuditAction.PROFILE_CHANGED)
    async def _change(
        self, scope: Scope, key: str, value: JsonValue, *, version: int | None, merges: bool
    ) -> ProfileItem:
        make = partial(ProfileChange.of, key, value, version=version, merges=merges)
        change = await off_loop(make, characters=json_characters(value, most=AT_ONCE))
        return await self.store.change(scope, change, now=self.clock.now())


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownProfile:
    """What contexts may show of a user's profile."""

    items: tuple[ProfileItem, ...] = ()
    warnings: tuple[str, ...] = ()
    """Why there is nothing, where it could not be read."""

    @property
    def characters(self) -> int:
        """About how many characters there are to write."""
        return json_characters([item.value for item in self.items], most=AT_ONCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenProfile:
    """Reads those keys of profiles that contexts have, which cost a round trip if there are any."""

    store: ProfileStore
    keys: tuple[str, ...]

    async def for_context(self, scope: Scope) -> KnownProfile:
        """The chosen values, in the order of the choice; failures are warnings, never errors."""
        if not self.keys:
            return KnownProfile()
        wants_all = ALL_KEYS in self.keys
        try:
            items = await self.store.list(scope, keys=None if wants_all else self.keys)
        except Exception as error:  # noqa: BLE001  # an answer without it is better than none
            facts = {"problem": type(error).__name__}
            logger.warning("profile.failed", extra={"facts": facts})
            return KnownProfile(warnings=(PROFILE_FAILED,))
        places = {key: place for place, key in enumerate(self.keys)}
        return KnownProfile(
            items=tuple(sorted(items, key=lambda item: places.get(item.key, len(places))))
        )
