"""Who is calling: verified credentials, trusted headers, or an anonymous session."""

import hashlib
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated, Final, Generic, TypeVar
from uuid import UUID, uuid4

import orjson
from fastapi import Depends, Request
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase
from starlette.datastructures import Headers

from recollect.domain.conversation.session import parse_uuid
from recollect.domain.identity.accounts import KEY_PREFIX, ApiKey, KeyScope
from recollect.domain.identity.scope import (
    ANONYMOUS,
    Interface,
    MemoryPolicy,
    Scope,
    TenantScope,
    anonymous_user,
    check_identity,
)
from recollect.errors import Forbidden, InvalidId, InvalidInput, Unauthenticated
from recollect.interfaces.http.credentials import BasicReader, openwebui_reader, token_reader
from recollect.interfaces.http.parameters import (
    _BLANKS,
    OPENWEBUI_TOKEN_HEADER,
    OPENWEBUI_USER_HEADER,
    SESSION_HEADER,
    header_text,
)
from recollect.ports.accounts import CredentialChecker
from recollect.services.access import UNKNOWN_KEY, ApiKeys
from recollect.settings import Settings, UserIdSource
from recollect.telemetry.logging import transaction_id

_NAMED_IN_BODY: Final = "/memoryChat"
_ASKING: Final = frozenset({"/chat", _NAMED_IN_BODY, "/v1/chat/completions"})
"""Where a question starts a session."""
USER_HEADER: Final = "X-Memory-User"
UPSTREAM_HEADER: Final = "X-Denodo-Authorization"
ANONYMOUS_ACTOR: Final = "anonymous"
_BEARER: Final = HTTPBearer(
    description="An API key (`recollect keys create`) or a JWT; none on a local server."
)
Identity = TypeVar("Identity")


async def anonymous_session_of(request: Request) -> UUID:
    """Return the session that a request names, or a new one where its question starts it.

    Raises:
        Unauthenticated: it names none by its UUID. A name that can be guessed would open the
            memory of its user, and a retry with an Idempotency-Key would start another.
    """
    named = await _named(request)
    path = request.url.path
    may_start = path in _ASKING and not request.headers.get("Idempotency-Key")
    if not named and (may_start or path.startswith("/v1/models")):
        return uuid4()
    try:
        return parse_uuid(named, "session_id")
    except InvalidId:
        raise Unauthenticated(
            f"send credentials, or the UUID of your session in {SESSION_HEADER}; a question "
            "without an Idempotency-Key starts one"
        ) from None


async def _named(request: Request) -> str:
    named = request.path_params.get("session_id") or request.headers.get(SESSION_HEADER, "").strip()
    if named or request.url.path != _NAMED_IN_BODY:
        return str(named)
    try:
        given = orjson.loads(await request.body())["session_id"]
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return ""
    return given.strip() if isinstance(given, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Whom the credentials stand for."""

    tenant: str
    user: str | None
    actor: str
    may_name_users: bool = False
    memory: MemoryPolicy = MemoryPolicy.FULL


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The owner a request works for, and the most memory it may use."""

    scope: Scope
    memory: MemoryPolicy


class Authenticator:
    """Turns a request's credentials into the scope it may work on."""

    def __init__(
        self, settings: Settings, api_keys: ApiKeys, *, credentials: CredentialChecker | None = None
    ) -> None:
        self._settings = settings
        self._source, self._tenant = settings.user_id_source, settings.tenant
        self._api_keys = api_keys
        self._tokens = token_reader(settings)
        self._openwebui = openwebui_reader(settings)
        self._basic = BasicReader(credentials) if credentials else None
        self._hands_on = credentials is not None or settings.forwards_credentials
        secret = settings.bearer_hash_secret
        self._hash_secret = secret.get_secret_value().encode() if secret else b""

    async def caller_of(
        self,
        headers: Headers,
        *,
        as_operator: bool = False,
        session: UUID | None = None,
        interface: Interface = Interface.HTTP,
    ) -> Caller:
        """Who is calling, or an error that says what is missing.

        An operator runs the program that users speak to, and is not one of them. Where the
        caller has no credentials and needs none, `session` is the one that stands for them.
        """
        principal = await self._identify(headers) if session is None else self._anonymous(session)
        if as_operator and not (principal.may_name_users or self._source is None):
            raise Forbidden("only a service key may do this, naming the user")
        named = await self._named_user(headers)
        if named is not None and not principal.may_name_users:
            raise Forbidden(
                f"only a service key may name the user ({USER_HEADER}); "
                "make one with 'recollect keys create --scope service --name NAME'"
            )
        user = named or principal.user
        if user is None:
            raise InvalidInput(USER_HEADER, "must name the user this key acts for")
        if user.startswith(ANONYMOUS) and principal.actor != ANONYMOUS_ACTOR:
            raise Forbidden(f"no credentials may name a user that begins with '{ANONYMOUS}'")
        try:
            scope = Scope(
                tenant=principal.tenant,
                user=user,
                actor=principal.actor,
                interface=interface,
                transaction_id=transaction_id.get(),
                authorization=_handed_on(headers) if self._hands_on else None,
            )
        except InvalidInput as error:
            # A name from a header was checked with the header: this one is the credentials'.
            raise Unauthenticated(f"the credentials name nobody: {error}") from None
        return Caller(scope=scope, memory=principal.memory)

    async def tenant_of(self, headers: Headers) -> TenantScope:
        """The tenant that an operator acts for: with a service key, or the local one."""
        principal = await self._identify(headers)
        if not (principal.may_name_users or self._source is None):
            raise Forbidden("only a service key of the tenant may do this")
        return TenantScope(
            tenant=principal.tenant,
            actor=principal.actor,
            interface=Interface.HTTP,
            transaction_id=transaction_id.get(),
        )

    async def administrator_of(self, headers: Headers) -> TenantScope:
        """The tenant that the caller administers; `Forbidden` for all but its admins."""
        token = _bearer_token(headers)
        if token.startswith(KEY_PREFIX):
            key = await self._api_keys.recognise(token)
            is_admin, tenant, actor = KeyScope.ADMIN in key.scopes, key.tenant, key.actor
        else:
            principal = await self._identify(headers)
            is_admin, tenant, actor = self._source is None, principal.tenant, principal.actor
        if not is_admin:
            raise Forbidden(
                "only an admin key may do this; make one with 'recollect keys create --scope admin'"
            )
        return TenantScope(
            tenant=tenant,
            actor=actor,
            interface=Interface.HTTP,
            transaction_id=transaction_id.get(),
        )

    def takes_anonymous(self, headers: Headers) -> bool:
        """Whether a session stands for the caller, who sends no credentials."""
        is_local = self._source is None
        return self._settings.allow_anonymous and not is_local and not headers.get("Authorization")

    def _anonymous(self, session: UUID) -> Principal:
        user = anonymous_user(session)
        return Principal(tenant=self._tenant, user=user, actor=ANONYMOUS_ACTOR)

    async def _identify(self, headers: Headers) -> Principal:
        token = _bearer_token(headers)
        if token.startswith(KEY_PREFIX):
            return _principal_of(await self._api_keys.recognise(token))
        match self._source:
            case None:
                _check_local_host(headers)
                return Principal(tenant=self._tenant, user=self._settings.local_user, actor="local")
            case UserIdSource.JWT_CLAIM if token and self._tokens:
                identity = await self._tokens.read(token)
                tenant = identity.tenant or self._tenant
                return Principal(tenant=tenant, user=identity.user, actor="jwt")
            case UserIdSource.BEARER_TOKEN if token:
                digest = hmac.new(self._hash_secret, token.encode(), hashlib.sha256).hexdigest()
                return Principal(tenant=self._tenant, user=f"bearer:{digest}", actor="bearer")
            case UserIdSource.BASIC_USERNAME if self._basic:
                user = await self._basic.user_of(headers.get("Authorization", ""))
                return Principal(tenant=self._tenant, user=user, actor="basic")
            case _ if token:
                raise Unauthenticated(UNKNOWN_KEY)
            case _:
                raise Unauthenticated(
                    "send your credentials in the header 'Authorization: Bearer …'"
                )

    async def _named_user(self, headers: Headers) -> str | None:
        """The user that the headers name; an empty header is an absent one."""
        if named := header_text(headers, USER_HEADER):
            return check_identity(named, USER_HEADER)
        if self._openwebui and (token := header_text(headers, OPENWEBUI_TOKEN_HEADER)):
            return (await self._openwebui.read(token)).user
        named = header_text(headers, OPENWEBUI_USER_HEADER)
        if named and self._openwebui:
            raise Unauthenticated(f"{OPENWEBUI_TOKEN_HEADER} is required beside the user's id")
        return check_identity(named, OPENWEBUI_USER_HEADER) if named else None


class Identified(SecurityBase, Generic[Identity]):
    """A dependency that tells who is calling, and says in the document how callers say that.

    One dependency, where a security scheme beside it would be a second: each takes some 20 µs.
    """

    def __init__(self, identify: Callable[[Request], Awaitable[Identity]]) -> None:
        self.model = _BEARER
        self.scheme_name = "Bearer"
        self._identify = identify

    async def __call__(self, request: Request) -> Identity:
        """Return what the request's credentials stand for, or raise what is wrong with them."""
        return await self._identify(request)


async def _caller_of_request(request: Request) -> Caller:
    authenticator: Authenticator = request.app.state.authenticator
    session = None
    if authenticator.takes_anonymous(request.headers):
        session = await anonymous_session_of(request)
    is_openai = request.scope["path"].startswith("/v1/")  # `url` takes 30 µs to make
    interface = Interface.OPENAI if is_openai else Interface.HTTP
    return await authenticator.caller_of(request.headers, session=session, interface=interface)


KnownCaller = Annotated[Caller, Depends(Identified(_caller_of_request))]
"""Whom the caller's credentials stand for, and how much memory they may use."""


async def _scope_of_request(request: Request) -> Scope:
    return (await _caller_of_request(request)).scope


CallerScope = Annotated[Scope, Depends(Identified(_scope_of_request))]
"""The owner that the caller's credentials stand for; every route of memory takes it."""


async def _operator_of_request(request: Request) -> Scope:
    authenticator: Authenticator = request.app.state.authenticator
    return (await authenticator.caller_of(request.headers, as_operator=True)).scope


OperatorScope = Annotated[Scope, Depends(Identified(_operator_of_request))]
"""The owner that a service key names, or the local user: never a user's own credentials."""


async def _administrator_of_request(request: Request) -> TenantScope:
    authenticator: Authenticator = request.app.state.authenticator
    return await authenticator.administrator_of(request.headers)


AdminScope = Annotated[TenantScope, Depends(Identified(_administrator_of_request))]
"""The tenant that an admin key is of, or that of the local user; nobody's memory."""


async def _tenant_of_request(request: Request) -> TenantScope:
    authenticator: Authenticator = request.app.state.authenticator
    return await authenticator.tenant_of(request.headers)


OperatorTenant = Annotated[TenantScope, Depends(Identified(_tenant_of_request))]
"""The tenant of a service key, or of the local user: never a user's own credentials."""


def _handed_on(headers: Headers) -> str | None:
    """What an upstream is shown: never one of our own keys."""
    given = headers.get(UPSTREAM_HEADER)
    if not given and not _bearer_token(headers).startswith(KEY_PREFIX):
        given = headers.get("Authorization")
    if given and not given.isascii():
        raise Unauthenticated("credentials are written in ASCII; encode others as Basic does")
    return given


def _principal_of(key: ApiKey) -> Principal:
    is_service = KeyScope.SERVICE in key.scopes
    if key.user is None and not is_service:
        raise Forbidden("this key opens no memory; use one of scope user or service")
    return Principal(
        tenant=key.tenant,
        user=key.user,
        actor=key.actor,
        may_name_users=is_service,
        memory=key.memory,
    )


def _bearer_token(headers: Headers) -> str:
    scheme, _, credentials = header_text(headers, "Authorization").partition(" ")
    return credentials.strip(_BLANKS) if scheme.lower() == "bearer" else ""


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
