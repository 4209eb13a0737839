"""The cipher of one owner: AES-SIV, which is deterministic and needs no nonce."""

from base64 import b64decode, b64encode
from binascii import Error
from hashlib import blake2b
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from recollect.domain.privacy.encrypted import ENCRYPTED_PREFIX
from recollect.errors import ContentUnreadable

DATA_KEY_BYTES: Final = 64
"""Two keys of AES-256: one makes the synthetic nonce, the other encrypts."""
_TEXT: Final = [b"text"]
_NUMBER_BITS: Final = 31
_OTHER_KEY: Final = "it is encrypted by another key than its owner has now, or was altered"


class AesSivCipher:
    """Implements `recollect.ports.privacy.encryption.OwnerCipher`.

    Equal texts of one owner have equal stored forms: that is all they tell, beside their lengths.
    """

    def __init__(self, data_key: bytes) -> None:
        self._cipher = AESSIV(data_key)
        self._hash_key = blake2b(b"keyed hashes", key=data_key, digest_size=32).digest()

    def encrypt(self, text: str) -> str:
        """Return the stored form of a text; the same text gives the same."""
        encrypted = self._cipher.encrypt(text.encode(), _TEXT)
        return ENCRYPTED_PREFIX + b64encode(encrypted).decode()

    def decrypt(self, stored: str) -> str:
        """Return the text of a stored form."""
        try:
            encrypted = b64decode(stored[len(ENCRYPTED_PREFIX) :], validate=True)
            return self._cipher.decrypt(encrypted, _TEXT).decode()
        except (Error, InvalidTag, ValueError) as error:
            raise ContentUnreadable(_OTHER_KEY) from error

    def encrypt_bytes(self, data: bytes, *, context: bytes) -> bytes:
        """Encrypt bytes that can only be decrypted in the same context."""
        return self._cipher.encrypt(data, [b"bytes", context])

    def decrypt_bytes(self, data: bytes, *, context: bytes) -> bytes:
        """Decrypt what `encrypt_bytes` returned."""
        try:
            return self._cipher.decrypt(data, [b"bytes", context])
        except (InvalidTag, ValueError) as error:
            raise ContentUnreadable(_OTHER_KEY) from error

    def keyed_number(self, number: int) -> int:
        """Return a number from 0 to 2³¹ - 1 that stands for one, and tells nothing of it."""
        digest = self._digest(b"number", number.to_bytes(8, "big"), size=4)
        return int.from_bytes(digest, "big") >> (32 - _NUMBER_BITS)

    def keyed_id(self, given: UUID) -> UUID:
        """Return an id that stands for another one, and tells nothing of it."""
        return UUID(bytes=self._digest(b"id", given.bytes, size=16))

    def _digest(self, kind: bytes, data: bytes, *, size: int) -> bytes:
        return blake2b(data, key=self._hash_key, digest_size=size, person=kind).digest()
