"""The data keys of owners: found, created with the first write, unwrapped, and cached.

Every engine that encrypts content works with them; where the keys are stored is its own.
"""

import logging
import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from recollect.errors import (
    ConfigurationError,
    ContentUnreadable,
    ErasureUnderWay,
    MasterKeyMissing,
)
from recollect.ports.privacy.encryption import KeyWrapper, OwnerCipher, WrappedKey

FRESH_SECONDS: Final = 3.0
"""How long a key is used for writing without a look at the database. What is left of a destroyed
key, and with it the erasure, stays for longer: nothing is encrypted with a key that is gone."""
_READ_SECONDS: Final = 600.0
_MAX_OWNERS: Final = 10_000
logger = logging.getLogger(__name__)


class StoredKey(NamedTuple):
    """An owner's key as it is stored."""

    wrapped: WrappedKey | None
    """None: it was destroyed, and the owner is still being erased."""
    is_complete: bool = True
    """Whether the words of all recall entries are keyed, in an engine that keys them."""


class KeyStore(Protocol):
    """Where an engine stores data keys."""

    async def find(self, owner_id: UUID) -> StoredKey | None:
        """Return the owner's key, or None."""

    async def create(self, owner_id: UUID, new: WrappedKey) -> StoredKey:
        """Store the owner's first key, and return the one that is stored then.

        Raises:
            ErasureUnderWay: the owner is being erased.
        """


class DataKey(NamedTuple):
    """An owner's unwrapped key."""

    cipher: OwnerCipher
    is_complete: bool
    """See `StoredKey`."""


class _Cached(NamedTuple):
    key: DataKey
    checked_at: float


class OwnerKeys:
    """The keys that this process has unwrapped, those used last; bounded in number and age."""

    def __init__(
        self,
        wrapper: KeyWrapper | None = None,
        *,
        fresh_seconds: float = FRESH_SECONDS,
        max_owners: int = _MAX_OWNERS,
    ) -> None:
        """Without a wrapper nothing is encrypted, and nothing can be decrypted."""
        self.wrapper = wrapper
        self.fresh_seconds = fresh_seconds
        self._max_owners = max_owners
        self._cached: OrderedDict[UUID, _Cached] = OrderedDict()
        self._looked_at = -math.inf
        self._has_keys = False

    @property
    def is_on(self) -> bool:
        """Whether content is encrypted when it is stored."""
        return self.wrapper is not None

    async def look_for_keys(self, look: Callable[[], Awaitable[bool]]) -> None:
        """Without a wrapper, look every three seconds whether others have begun to encrypt."""
        now = time.monotonic()
        if self.is_on or now - self._looked_at < self.fresh_seconds:
            return
        self._has_keys, self._looked_at = await look(), now

    def refuse_plain(self) -> None:
        """Raise `MasterKeyMissing` where plain text would be stored beside what is encrypted."""
        if not self.is_on and self._has_keys:
            raise MasterKeyMissing

    def forget(self, owner_id: UUID) -> None:
        """See `OwnerCache.forget`."""
        self._cached.pop(owner_id, None)

    async def find(self, owner_id: UUID, store: KeyStore) -> DataKey | None:
        """The owner's key, for reading; None if there is none."""
        return await self._find(owner_id, store, seconds=_READ_SECONDS)

    async def find_for_writing(self, owner_id: UUID, store: KeyStore) -> DataKey | None:
        """The owner's key, for writing; None if there is none."""
        return await self._find(owner_id, store, seconds=self.fresh_seconds)

    async def find_or_create(self, owner_id: UUID, store: KeyStore) -> tuple[DataKey, bool]:
        """The owner's key, for writing, and whether it is new.

        A new key is not cached: the transaction that creates it may be undone.
        """
        key = await self.find_for_writing(owner_id, store)
        if key is not None:
            return key, False
        assert self.wrapper is not None  # noqa: S101  # only asked where encryption is on
        stored = await store.create(owner_id, self.wrapper.create(owner_id))
        return self._unwrapped(owner_id, stored), True

    async def _find(self, owner_id: UUID, store: KeyStore, *, seconds: float) -> DataKey | None:
        if self.wrapper is None:
            return None
        now = time.monotonic()  # before the question: what it reads is at least as new
        cached = self._cached.get(owner_id)
        if cached is not None and now - cached.checked_at < seconds:
            self._cached.move_to_end(owner_id)
            return cached.key
        stored = await store.find(owner_id)
        self.forget(owner_id)
        if stored is None:
            return None
        key = self._unwrapped(owner_id, stored)
        self._cached[owner_id] = _Cached(key, now)
        while len(self._cached) > self._max_owners:
            self._cached.popitem(last=False)
        return key

    def _unwrapped(self, owner_id: UUID, stored: StoredKey) -> DataKey:
        if stored.wrapped is None:
            raise ErasureUnderWay
        assert self.wrapper is not None  # noqa: S101  # as above
        try:
            cipher = self.wrapper.cipher(owner_id, stored.wrapped)
        except ConfigurationError as error:  # keys were rotated since this process was started
            logger.warning("encryption.no_master_key", extra={"facts": {"problem": str(error)}})
            raise ContentUnreadable("this server has not got the master key") from error
        return DataKey(cipher, stored.is_complete)


def check_keys(wrapper: KeyWrapper | None, samples: Iterable[tuple[UUID, WrappedKey]]) -> None:
    """Refuse to work on keys that the master keys do not unwrap; `samples` has one of each.

    Raises:
        ConfigurationError: says which master key is missing or wrong.
    """
    for owner_id, wrapped in samples:
        if wrapper is None:
            raise ConfigurationError(
                "the database has encrypted content, and MEMORY_ENCRYPTION_KEY is not set: set it "
                f"to the master key '{wrapped.master_key_id}'"
            )
        wrapper.cipher(owner_id, wrapped)
