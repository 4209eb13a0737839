"""API keys, and how much memory a call may use."""

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Self
from uuid import UUID

from recollect.domain.identity.scope import MAX_NAME_LENGTH
from recollect.domain.text import check_name
from recollect.errors import InvalidInput

KEY_PREFIX: Final = "rec_"
SECRET_BYTES: Final = 32
_ID_BYTES: Final = 16


class MemoryPolicy(StrEnum):
    """How much memory a request may use, from nothing to everything."""

    OFF = "off"
    """Nothing is read and nothing is stored."""
    READ = "read"
    """Stored messages are used; nothing is stored."""
    FULL = "full"


_ORDER: Final = tuple(MemoryPolicy)


def parse_memory_policy(text: str, field: str) -> MemoryPolicy:
    """Read a policy; the error lists those there are."""
    try:
        return MemoryPolicy(text.strip().lower())
    except ValueError:
        raise InvalidInput(field, f"must be one of: {', '.join(MemoryPolicy)}") from None


def stricter(*policies: MemoryPolicy) -> MemoryPolicy:
    """Return the policy that allows least."""
    return min(policies, key=_ORDER.index)


class KeyScope(StrEnum):
    """How far a key reaches."""

    USER = "user"
    """The memory of the one user it was made for."""
    SERVICE = "service"
    """The memory of any user of its tenant, named in each request."""
    ADMIN = "admin"
    """Nothing: only keys of earlier versions have it."""


OFFERED_SCOPES: Final = (KeyScope.USER, KeyScope.SERVICE)
"""The scopes that a new key may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as it is stored: everything but the secret."""

    key_id: UUID
    tenant: str
    user: str | None
    scopes: frozenset[KeyScope]
    name: str
    secret_hash: bytes
    created_at: datetime
    revoked_at: datetime | None = None
    memory: MemoryPolicy = MemoryPolicy.FULL
    """The most memory that chats with this key may use."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.name, "name", max_length=MAX_NAME_LENGTH))
        if not self.scopes:
            raise InvalidInput("scopes", "must name at least one of: " + ", ".join(OFFERED_SCOPES))
        if (KeyScope.USER in self.scopes) != (self.user is not None):
            raise InvalidInput("user", "must be given for a key of scope user, and only for that")

    @property
    def is_revoked(self) -> bool:
        """Whether the key no longer opens anything."""
        return self.revoked_at is not None

    def accepts(self, secret: bytes) -> bool:
        """Whether the secret is this key's, compared in constant time."""
        return hmac.compare_digest(self.secret_hash, hash_secret(secret))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyText:
    """The text of a key that its holder sends: where the key is stored, and its secret.

    The text names the row's owner, so that even the lookup of a key is a query of one owner.
    """

    owner_id: UUID
    key_id: UUID
    secret: bytes

    def __str__(self) -> str:
        packed = self.owner_id.bytes + self.key_id.bytes + self.secret
        return KEY_PREFIX + urlsafe_b64encode(packed).rstrip(b"=").decode()

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read a key's text; None for anything that is not one of ours."""
        if not text.startswith(KEY_PREFIX) or not text.isascii():
            return None
        body = text.removeprefix(KEY_PREFIX)
        try:
            packed = urlsafe_b64decode(body + "=" * (-len(body) % 4))
        except ValueError:
            return None
        if len(packed) != 2 * _ID_BYTES + SECRET_BYTES:
            return None
        parsed = cls(
            owner_id=UUID(bytes=packed[:_ID_BYTES]),
            key_id=UUID(bytes=packed[_ID_BYTES : 2 * _ID_BYTES]),
            secret=packed[2 * _ID_BYTES :],
        )
        return parsed if str(parsed) == text else None


def hash_secret(secret: bytes) -> bytes:
    """Hash a secret for storage: 32 random bytes need no salt and no slow hash."""
    return hashlib.sha256(secret).digest()
