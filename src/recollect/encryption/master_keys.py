"""Data keys wrapped by master keys: AES-GCM, bound to the id of the owner."""

import os
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from recollect.encryption.cipher import DATA_KEY_BYTES, AesSivCipher
from recollect.errors import ConfigurationError
from recollect.ports.privacy.encryption import WrappedKey

_NONCE_BYTES: Final = 12


class MasterKeys:
    """Implements `recollect.ports.privacy.encryption.KeyWrapper`.

    A wrapped key is of use for its owner alone: copied into the row of another, it does not unwrap.
    """

    def __init__(self, keys: Mapping[str, bytes]) -> None:
        """The first key is the current one; the others only unwrap."""
        self._ciphers = {key_id: AESGCM(key) for key_id, key in keys.items()}
        self._current = next(iter(keys))

    @property
    def current_id(self) -> str:
        """The id of the master key that new data keys are wrapped by."""
        return self._current

    def create(self, owner_id: UUID) -> WrappedKey:
        """Make a data key for an owner."""
        return self._wrap(owner_id, os.urandom(DATA_KEY_BYTES))

    def rewrap(self, owner_id: UUID, key: WrappedKey) -> WrappedKey:
        """Wrap a data key by the current master key."""
        return self._wrap(owner_id, self._unwrap(owner_id, key))

    def cipher(self, owner_id: UUID, key: WrappedKey) -> AesSivCipher:
        """Unwrap an owner's data key."""
        return AesSivCipher(self._unwrap(owner_id, key))

    def _wrap(self, owner_id: UUID, data_key: bytes) -> WrappedKey:
        nonce = os.urandom(_NONCE_BYTES)
        wrapped = self._ciphers[self._current].encrypt(nonce, data_key, owner_id.bytes)
        return WrappedKey(self._current, nonce + wrapped)

    def _unwrap(self, owner_id: UUID, key: WrappedKey) -> bytes:
        cipher = self._ciphers.get(key.master_key_id)
        if cipher is None:
            raise ConfigurationError(
                f"data keys are wrapped by the master key '{key.master_key_id}', which is not in "
                "MEMORY_ENCRYPTION_KEY: add it behind the current one"
            )
        try:
            nonce, wrapped = key.wrapped[:_NONCE_BYTES], key.wrapped[_NONCE_BYTES:]
            return cipher.decrypt(nonce, wrapped, owner_id.bytes)
        except (InvalidTag, ValueError) as error:
            raise ConfigurationError(
                f"the master key '{key.master_key_id}' of MEMORY_ENCRYPTION_KEY is not the one "
                "that the data keys in the database are wrapped by"
            ) from error
