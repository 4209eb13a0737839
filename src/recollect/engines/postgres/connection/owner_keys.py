"""The data keys of owners: found, created with the first write, unwrapped, and cached."""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import UUID

from asyncpg import Record

from recollect.engines.postgres.sql import statement
from recollect.errors import ConfigurationError, ErasureUnderWay
from recollect.ports.privacy.encryption import KeyWrapper, OwnerCipher, WrappedKey

FRESH_SECONDS: Final = 3.0
"""How long a key is used for writing without a look at the database. The row of a destroyed key,
and with it the erasure, stays for longer: nothing is encrypted with a key that is gone."""
_READ_SECONDS: Final = 600.0
_MAX_OWNERS: Final = 10_000
Fetch: TypeAlias = Callable[..., Awaitable[list[Record]]]
"""Runs a statement: the driver's text, then its arguments."""


class DataKey(NamedTuple):
    """An owner's unwrapped key."""

    cipher: OwnerCipher
    is_complete: bool
    """Whether the words of all recall entries are keyed."""


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

    @property
    def is_on(self) -> bool:
        """Whether content is encrypted when it is stored."""
        return self.wrapper is not None

    def forget(self, owner_id: UUID) -> None:
        """See `OwnerCache.forget`."""
        self._cached.pop(owner_id, None)

    async def find(self, owner_id: UUID, fetch: Fetch) -> DataKey | None:
        """The owner's key, for reading; None if there is none."""
        return await self._find(owner_id, fetch, seconds=_READ_SECONDS)

    async def find_or_create(self, owner_id: UUID, fetch: Fetch) -> tuple[DataKey, bool]:
        """The owner's key, for writing, and whether it is new.

        A new key is not cached: the transaction that creates it may be undone.
        """
        key = await self._find(owner_id, fetch, seconds=self.fresh_seconds)
        if key is not None:
            return key, False
        assert self.wrapper is not None  # noqa: S101  # only asked where encryption is on
        new = self.wrapper.create(owner_id)
        rows = await fetch(
            *statement(
                "create_owner_key",
                owner_id=owner_id,
                wrapped=new.wrapped,
                master_key_id=new.master_key_id,
            )
        )
        return self._unwrapped(owner_id, rows[0]), True

    async def _find(self, owner_id: UUID, fetch: Fetch, *, seconds: float) -> DataKey | None:
        if self.wrapper is None:
            return None
        now = time.monotonic()  # before the statement: what it reads is at least as new
        cached = self._cached.get(owner_id)
        if cached is not None and now - cached.checked_at < seconds:
            self._cached.move_to_end(owner_id)
            return cached.key
        rows = await fetch(*statement("find_owner_key", owner_id=owner_id))
        self.forget(owner_id)
        if not rows:
            return None
        key = self._unwrapped(owner_id, rows[0])
        self._cached[owner_id] = _Cached(key, now)
        while len(self._cached) > self._max_owners:
            self._cached.popitem(last=False)
        return key

    def _unwrapped(self, owner_id: UUID, row: Any) -> DataKey:  # noqa: ANN401  # the driver's row
        if not row["wrapped"]:  # destroyed
            raise ErasureUnderWay
        wrapped = WrappedKey(row["master_key_id"], bytes(row["wrapped"]))
        assert self.wrapper is not None  # noqa: S101  # as above
        return DataKey(self.wrapper.cipher(owner_id, wrapped), row["is_complete"])


def check_keys(wrapper: KeyWrapper | None, samples: list[Record]) -> None:
    """Refuse to work on keys that the master keys do not unwrap; `samples` has one of each.

    Raises:
        ConfigurationError: says which master key is missing or wrong.
    """
    if wrapper is None:
        if samples:
            raise ConfigurationError(
                "the database has encrypted content, and MEMORY_ENCRYPTION_KEY is not set: set it "
                f"to the master key '{samples[0]['master_key_id']}'"
            )
        return
    for row in samples:
        wrapper.cipher(row["owner_id"], WrappedKey(row["master_key_id"], bytes(row["wrapped"])))
