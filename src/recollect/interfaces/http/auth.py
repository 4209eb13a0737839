"""Who is calling: told by verified credentials alone, never by the request's body."""

import hashlib
import hmac
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated, Final

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.datastructures import Headers

from recollect.domain.api_key import KEY_PREFIX, ApiKey, KeyScope
from recollect.domain.scope import Scope
from recollect.errors import Forbidden, InvalidInput, Unauthenticated
from recollect.interfaces.http.tokens import TokenReader, openwebui_reader, token_reader
from recollect.services.api_keys import ApiKeys
from recollect.settings import Settings, UserIdSource
from recollect.telemetry.logging import transaction_id

USER_HEADER: Final = "X-Memory-User"
OPENWEBUI_USER_HEADER: Final = "X-OpenWebUI-User-Id"
OPENWEBUI_TOKEN_HEADER: Final = "X-OpenWebUI-User-Jwt"  # noqa: S105  # a header's name
_BLANKS: Final = " \t"  # not str.strip()'s: its others are bytes of letters in UTF-8


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Whom the credentials stand for."""

    tenant: str
    user: str | None
    actor: str
    may_name_users: bool = False


class Authenticator:
    """Turns a request's credentials into the scope it may work on."""

    def __init__(self, settings: Settings, api_keys: ApiKeys) -> None:
        self._source = settings.user_id_source
        self._tenant = settings.tenant
        self._local_user = settings.local_user
        self._api_keys = api_keys
        self._tokens: TokenReader | None = token_reader(settings)
        self._openwebui: TokenReader | None = openwebui_reader(settings)
        secret = settings.bearer_hash_secret
        self._hash_secret = secret.get_secret_value().encode() if secret else b""

    async def scope_of(self, headers: Headers) -> Scope:
        """The owner a request works for, or an error that says what is missing."""
        principal = await self._identify(headers)
        named = await self._named_user(headers)
        if named is not None and not principal.may_name_users:
            raise Forbidden(
                f"only a service key may name the user ({USER_HEADER}); "
                "make one with 'recollect keys create --scope service'"
            )
        user = named or principal.user
        if user is None:
            raise InvalidInput(USER_HEADER, "must name the user this key acts for")
        return Scope(
            tenant=principal.tenant,
            user=user,
            actor=principal.actor,
            transaction_id=transaction_id.get(),
        )

    async def _identify(self, headers: Headers) -> Principal:
        token = _bearer_token(headers)
        if token.startswith(KEY_PREFIX):
            return _principal_of(await self._api_keys.recognise(token))
        match self._source:
            case None:
                _check_local_host(headers)
                return Principal(tenant=self._tenant, user=self._local_user, actor="local")
            case UserIdSource.JWT_CLAIM if token and self._tokens:
                identity = await self._tokens.read(token)
                tenant = identity.tenant or self._tenant
                return Principal(tenant=tenant, user=identity.user, actor="jwt")
            case UserIdSource.BEARER_TOKEN if token:
                digest = hmac.new(self._hash_secret, token.encode(), hashlib.sha256).hexdigest()
                return Principal(tenant=self._tenant, user=f"bearer:{digest}", actor="bearer")
            case _:
                raise Unauthenticated(
                    "send your credentials in the header 'Authorization: Bearer …'"
                )

    async def _named_user(self, headers: Headers) -> str | None:
        """The user that the headers name; an empty header is an absent one."""
        if named := _text_of(headers, USER_HEADER):
            return named
        if self._openwebui and (token := _text_of(headers, OPENWEBUI_TOKEN_HEADER)):
            return (await self._openwebui.read(token)).user
        named = _text_of(headers, OPENWEBUI_USER_HEADER)
        if named and self._openwebui:
            raise Unauthenticated(f"{OPENWEBUI_TOKEN_HEADER} is required beside the user's id")
        return named or None


_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="Bearer",
    description="An API key (`recollect keys create`) or a JWT; none on a local server.",
)


async def _scope_of_request(
    request: Request,
    _credentials: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
) -> Scope:
    authenticator: Authenticator = request.app.state.authenticator
    return await authenticator.scope_of(request.headers)


CallerScope = Annotated[Scope, Depends(_scope_of_request)]
"""The owner that the caller's credentials stand for; every route of memory takes it."""


def _principal_of(key: ApiKey) -> Principal:
    is_service = KeyScope.SERVICE in key.scopes
    if key.user is None and not is_service:
        raise Forbidden("this key is for administration; use one of scope user or service")
    return Principal(
        tenant=key.tenant, user=key.user, actor=f"key:{key.key_id}", may_name_users=is_service
    )


def _bearer_token(headers: Headers) -> str:
    scheme, _, credentials = headers.get("Authorization", "").partition(" ")
    return credentials.strip(_BLANKS) if scheme.lower() == "bearer" else ""


def _text_of(headers: Headers, name: str) -> str:
    """A header's value as its sender meant it: headers travel as bytes, names are UTF-8."""
    value = headers.get(name, "").strip(_BLANKS)
    try:
        return value.encode("latin-1").decode()
    except UnicodeDecodeError:
        raise InvalidInput(name, "must be UTF-8") from None


def _check_local_host(headers: Headers) -> None:
    """Refuse names that are not this machine's: a web page may have bound its own name to us."""
    host = headers.get("Host", "").lower()
    host = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    if host == "localhost" or host.endswith(".localhost"):
        return
    try:
        is_local = ip_address(host).is_loopback
    except ValueError:
        is_local = False
    if not is_local:
        raise Forbidden("without credentials this server answers to localhost alone")
