"""User names and passwords, which count only once an upstream has checked them."""

import base64
import binascii
import hashlib
from collections import OrderedDict
from time import monotonic
from typing import Final

from recollect.errors import Unauthenticated
from recollect.ports.credentials import CredentialChecker

_KEPT_SECONDS: Final = 60.0
_MOST_KEPT: Final = 10_000


class BasicReader:
    """Tells whose Basic credentials are, by asking the upstream at most once a minute.

    What it remembers is a hash: a password is neither stored nor logged.
    """

    def __init__(self, checker: CredentialChecker) -> None:
        self._checker = checker
        self._checked: OrderedDict[bytes, tuple[str, float]] = OrderedDict()

    async def user_of(self, authorization: str) -> str:
        """The user, or `Unauthenticated`."""
        named = _user_named_in(authorization)
        digest = hashlib.sha256(authorization.encode()).digest()
        user, ends = self._checked.get(digest, ("", 0.0))
        if ends > monotonic():
            return user
        user = await self._checker.user_of(authorization) or named
        self._checked[digest] = user, monotonic() + _KEPT_SECONDS
        self._checked.move_to_end(digest)
        while len(self._checked) > _MOST_KEPT:
            self._checked.popitem(last=False)
        return user


def _user_named_in(authorization: str) -> str:
    scheme, _, encoded = authorization.partition(" ")
    try:
        text = base64.b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    user, colon, _ = text.partition(":")
    if scheme.lower() != "basic" or not colon or not user.strip():
        raise Unauthenticated("send your user name and password in the header 'Authorization'")
    return user
