"""API keys and user states."""

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Self
from uuid import UUID

from recollect.domain.identity.scope import MAX_NAME_LENGTH, MemoryPolicy
from recollect.domain.text import check_name
from recollect.errors import InvalidInput

KEY_PREFIX: Final = "rec_"
SECRET_BYTES: Final = 32
_ID_BYTES: Final = 16


ACTIVE: Final = "active"
"""The mode of a user for whom none was set."""


HALTED: Final = "halted"
"""The mode in which no question is answered, in upper or lower case."""


MAX_MODE_LENGTH: Final = 64


class KeyScope(StrEnum):
    """How far a key reaches."""

    USER = "user"
    """The memory of the one user it was made for."""
    SERVICE = "service"
    """The memory of any user of its tenant, named in each request."""
    ADMIN = "admin"
    """The audit log and the settings of its tenant, and nobody's memory."""


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
            raise InvalidInput("scopes", "must name at least one of: " + ", ".join(KeyScope))
        if (KeyScope.USER in self.scopes) != (self.user is not None):
            raise InvalidInput("user", "must be given for a key of scope user, and only for that")

    @property
    def is_revoked(self) -> bool:
        """Whether the key no longer opens anything."""
        return self.revoked_at is not None

    @property
    def actor(self) -> str:
        """What the audit log calls whoever holds the key."""
        return f"key:{self.key_id}"

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
        is_only_spelling = urlsafe_b64encode(packed).rstrip(b"=") == body.encode()
        if len(packed) != 2 * _ID_BYTES + SECRET_BYTES or not is_only_spelling:
            return None
        return cls(
            owner_id=UUID(bytes=packed[:_ID_BYTES]),
            key_id=UUID(bytes=packed[_ID_BYTES : 2 * _ID_BYTES]),
            secret=packed[2 * _ID_BYTES :],
        )


def hash_secret(secret: bytes) -> bytes:
    """Hash a secret for storage: 32 random bytes need no salt and no slow hash."""
    return hashlib.sha256(secret).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class UserState:
    """A user's mode, and since when."""

    mode: str
    updated_at: datetime

    @property
    def is_halted(self) -> bool:
        """Whether the user gets no answers."""
        return is_halting(self.mode)


def is_halting(mode: str) -> bool:
    """Whether a user in this mode gets no answers."""
    return mode.casefold() == HALTED


def check_mode(mode: str) -> str:
    """Return a mode without the blanks around it; refuse one that is blank, long or unprintable."""
    trimmed = mode.strip() if isinstance(mode, str) else mode
    return check_name(trimmed, "mode", max_length=MAX_MODE_LENGTH)
