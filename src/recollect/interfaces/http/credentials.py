"""Credentials: signed tokens, and user names with passwords."""

import asyncio
import base64
import binascii
import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

import jwt

from recollect.domain.identity.scope import tenant_name
from recollect.errors import (
    ConfigurationError,
    Forbidden,
    IdentityUnavailable,
    InvalidInput,
    Unauthenticated,
)
from recollect.ports.accounts import CredentialChecker
from recollect.settings import Settings, UserIdSource

_SECRET_ALGORITHMS: Final = frozenset({"HS256", "HS384", "HS512"})
_KEY_SET_ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
_OPENWEBUI_ISSUER: Final = "open-webui"
_FETCH_SECONDS: Final = 5
_KEPT_SECONDS: Final = 60.0
_MOST_KEPT: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Whom a token names."""

    user: str
    tenant: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenReader:
    """Reads tokens of one issuer."""

    key: str | jwt.PyJWKClient
    algorithms: tuple[str, ...]
    issuer: str | None = None
    audience: str | None = None
    user_claim: str = "sub"
    tenant_claim: str | None = None

    async def read(self, token: str) -> Identity:
        """Whom the token names, if everything about it is valid."""
        key: str | jwt.PyJWK
        if isinstance(self.key, str):
            key = self.key
        else:
            key = await asyncio.to_thread(_signing_key, self.key, token)
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=list(self.algorithms),
                issuer=self.issuer,
                audience=self.audience,
                options={"require": ["exp"], "verify_aud": self.audience is not None},
            )
        except jwt.PyJWTError as error:
            raise Unauthenticated(f"the token is not valid: {error}") from None
        tenant = None
        if self.tenant_claim is not None:
            try:
                tenant = tenant_name(_claim(claims, self.tenant_claim))
            except InvalidInput as error:
                problem = f"the token's claim '{self.tenant_claim}' {error.problem}"
                raise Forbidden(problem) from None
        return Identity(user=_claim(claims, self.user_claim), tenant=tenant)


def _signing_key(keys: jwt.PyJWKClient, token: str) -> jwt.PyJWK:
    """The key that a token says it was signed with: without keys at all, nobody can be judged."""
    try:
        keys.get_signing_keys()
    except (jwt.PyJWTError, ValueError) as error:
        raise IdentityUnavailable(
            "the keys that tokens are checked with cannot be fetched now"
        ) from error
    try:
        return keys.get_signing_key_from_jwt(token)
    except (jwt.PyJWTError, ValueError) as error:
        raise Unauthenticated(f"the token is not valid: {error}") from None


def token_reader(settings: Settings) -> TokenReader | None:
    """The reader for callers' own tokens, if that is where identities come from."""
    if settings.user_id_source is not UserIdSource.JWT_CLAIM:
        return None
    if settings.jwt_secret:
        key: str | jwt.PyJWKClient = settings.jwt_secret.get_secret_value()
        known = _SECRET_ALGORITHMS
        algorithms = settings.jwt_algorithms or ("HS256",)
    else:
        key = jwt.PyJWKClient(settings.jwt_jwks_url or "", timeout=_FETCH_SECONDS)
        known = _KEY_SET_ALGORITHMS
        algorithms = settings.jwt_algorithms or ("RS256", "ES256")
    if unknown := set(algorithms) - known:
        raise ConfigurationError(
            f"MEMORY_JWT_ALGORITHMS: {', '.join(sorted(unknown))} cannot be used here; "
            f"known: {', '.join(sorted(known))}"
        )
    return TokenReader(
        key=key,
        algorithms=algorithms,
        issuer=settings.jwt_issuer,
        audience=settings.jwt_audience,
        user_claim=settings.user_id_jwt_claim,
        tenant_claim=settings.tenant_jwt_claim,
    )


def fetch_keys(settings: Settings) -> int:
    """How many keys there are to check tokens with; `IdentityUnavailable` if none can be had."""
    try:
        keys = jwt.PyJWKClient(settings.jwt_jwks_url or "", timeout=_FETCH_SECONDS)
        return len(keys.get_signing_keys())
    except (jwt.PyJWTError, ValueError) as error:
        raise IdentityUnavailable("the keys cannot be fetched") from error


def openwebui_reader(settings: Settings) -> TokenReader | None:
    """The reader for OpenWebUI's signed user header, if its secret is known."""
    if settings.openwebui_jwt_secret is None:
        return None
    secret = settings.openwebui_jwt_secret.get_secret_value()
    return TokenReader(key=secret, algorithms=("HS256",), issuer=_OPENWEBUI_ISSUER)


def _claim(claims: dict[str, Any], name: str) -> str:
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise Unauthenticated(f"the token has no claim '{name}'")
    return str(value)


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
