"""The cookie of the dashboard: who has signed in, encrypted and signed.

Every process on one database reads it, for all derive the same key. The server keeps nothing of a
visit but that it was ended.
"""

import time
from base64 import urlsafe_b64encode
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from secrets import token_urlsafe
from typing import Final, Self
from uuid import uuid4

import orjson
from cryptography.fernet import Fernet, InvalidToken

from recollect.errors import InvalidInput

COOKIE: Final = "recollect_dashboard"
PATH: Final = "/dashboard"
MAX_AGE_SECONDS: Final = 12 * 3600
"""However busy, a visit ends after this long."""
_REFRESHED_AFTER: Final = 60
_MAX_BYTES: Final = 4_000
"""Browsers drop larger ones without a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What the cookie says."""

    authorization: str | None = None
    """The credentials that were given at sign-in; None for nobody, and for the local user."""
    user: str | None = None
    """The user whom the holder of a service key has chosen."""
    csrf: str = field(default_factory=lambda: token_urlsafe(24))
    """What every change has to repeat; only our own pages can read it."""
    visit_id: str = field(default_factory=lambda: str(uuid4()))
    """What is remembered of a visit that was ended by signing out."""
    began: int = field(default_factory=lambda: int(time.time()))
    issued: int = field(default=0, compare=False)
    """When the cookie was written; 0 for a new visit."""

    @property
    def is_stale(self) -> bool:
        """Whether the cookie is to be written again, so that it does not expire by being idle."""
        return time.time() - self.issued > _REFRESHED_AFTER

    @property
    def expires_at(self) -> datetime:
        """When the visit ends in any case."""
        return datetime.fromtimestamp(self.began + MAX_AGE_SECONDS, tz=UTC)

    def signed_in(self, authorization: str) -> Self:
        """A visit after sign-in, with a token that nobody saw before."""
        return type(self)(authorization=authorization)

    def choosing(self, user: str | None) -> Self:
        """The visit with the memory of another user."""
        return replace(self, user=user)


class CookieCodec:
    """Writes and reads the cookie."""

    def __init__(self, key: bytes, *, idle_seconds: int) -> None:
        self._fernet = Fernet(urlsafe_b64encode(key))
        self._idle_seconds = idle_seconds

    def write(self, visit: Visit) -> str:
        """The value of the cookie; `InvalidInput` if no browser would take it."""
        values = {name: value for name, value in asdict(visit).items() if name != "issued"}
        text = self._fernet.encrypt(orjson.dumps(values)).decode()
        if len(text) > _MAX_BYTES:
            raise InvalidInput("token", "is too long for a cookie; use an API key instead")
        return text

    def read(self, text: str | None) -> Visit | None:
        """The visit; None where there is no cookie, it is not ours, or it has expired."""
        if not text:
            return None
        try:
            values = orjson.loads(self._fernet.decrypt(text, ttl=self._idle_seconds))
            issued = self._fernet.extract_timestamp(text)
        except (InvalidToken, orjson.JSONDecodeError):
            return None
        visit = Visit(**values, issued=issued)
        return None if time.time() - visit.began > MAX_AGE_SECONDS else visit
