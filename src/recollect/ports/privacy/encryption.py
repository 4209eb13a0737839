"""How stored content is encrypted: a data key for each owner, wrapped by a master key."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self
from uuid import UUID


class WrappedKey(NamedTuple):
    """A data key as it is stored: encrypted by a master key."""

    master_key_id: str
    wrapped: bytes


class OwnerCipher(Protocol):
    """Encrypts with the data key of one owner; deterministic, and never waits."""

    def encrypt(self, text: str) -> str:
        """Return the stored form of a text; the same text gives the same."""

    def decrypt(self, stored: str) -> str:
        """Return the text of a stored form.

        Raises:
            ContentUnreadable: another key encrypted it, or somebody has altered it.
        """

    def encrypt_bytes(self, data: bytes, *, context: bytes) -> bytes:
        """Encrypt bytes that can only be decrypted in the same context."""

    def decrypt_bytes(self, data: bytes, *, context: bytes) -> bytes:
        """Decrypt what `encrypt_bytes` returned; raises as `decrypt` does."""

    def keyed_number(self, number: int) -> int:
        """Return a number from 0 to 2³¹ - 1 that stands for one, and tells nothing of it."""

    def keyed_id(self, given: UUID) -> UUID:
        """Return an id that stands for another one, and tells nothing of it."""


class KeyWrapper(Protocol):
    """Makes data keys, and wraps and unwraps them with the master keys."""

    @property
    def current_id(self) -> str:
        """The id of the master key that new data keys are wrapped by."""

    def create(self, owner_id: UUID) -> WrappedKey:
        """Make a data key for an owner."""

    def rewrap(self, owner_id: UUID, key: WrappedKey) -> WrappedKey:
        """Wrap a data key by the current master key; raises as `cipher` does."""

    def cipher(self, owner_id: UUID, key: WrappedKey) -> OwnerCipher:
        """Unwrap an owner's data key.

        Raises:
            ConfigurationError: its master key is not among those that are set, or another one.
        """


class OwnerCiphers(Protocol):
    """The ciphers of owners, by their stored data keys."""

    @property
    def is_on(self) -> bool:
        """Whether content is encrypted when it is stored."""

    async def find(self, owner_id: UUID) -> OwnerCipher | None:
        """Return the owner's cipher; None if the owner has no data key, or no master key is set."""

    async def find_or_create(self, owner_id: UUID) -> OwnerCipher:
        """Return the cipher that the owner's content is to be encrypted with now.

        Raises:
            ErasureUnderWay: the owner is being erased.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """How many rows of a table have content that is encrypted, and how many are plain."""

    encrypted: int = 0
    plain: int = 0

    def __add__(self, other: Self) -> Self:
        """Both together."""
        return type(self)(
            encrypted=self.encrypted + other.encrypted, plain=self.plain + other.plain
        )


class EncryptionStore(Protocol):
    """The encrypted content of an engine: counted, encrypted later, and its keys rewrapped."""

    async def key_counts(self) -> Mapping[str, int]:
        """Return how many owners' data keys each master key wraps, by its id."""

    @property
    def master_key_id(self) -> str:
        """The id of the master key that data keys are wrapped by now."""

    async def rewrap_some(self, *, limit: int) -> Mapping[str, int]:
        """Wrap data keys of other master keys by the current one.

        Return how many of each tenant's owners; nothing at the end.
        """

    def count_rows(self, owner_id: UUID) -> AsyncIterator[tuple[str, RowCounts]]:
        """Count how much of an owner's content is encrypted, in short transactions.

        Yields some rows of a table at a time, and each table at least once.
        """

    def encrypt_rows(self, owner_id: UUID) -> AsyncIterator[int]:
        """Encrypt what is stored plain of an owner, in short transactions.

        Yields how many rows each has encrypted. What is written meanwhile is encrypted already;
        an owner who is being erased is left out.
        """

    def forget(self, owner_id: UUID) -> None:
        """See `OwnerCache.forget`."""
