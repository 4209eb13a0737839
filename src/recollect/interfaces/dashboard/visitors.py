"""Who looks at the dashboard, and whether a change really comes from one of its pages."""

import hmac
from base64 import b64encode
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPMethod
from typing import Annotated, Final
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

from fastapi import Depends, Request
from starlette.datastructures import Headers

from recollect.domain.identity.scope import Interface, Scope, TenantScope, check_identity
from recollect.errors import Forbidden, InvalidInput, RecollectError, Unauthenticated
from recollect.interfaces.dashboard.cookies import COOKIE, Visit
from recollect.interfaces.dashboard.site import Site, site_of
from recollect.interfaces.http.callers import USER_HEADER, Authenticator

CSRF_HEADER: Final = "X-CSRF-Token"
CSRF_FIELD: Final = "csrf"
_MAX_FIELDS: Final = 50
_VERSION_DIGITS: Final = 9
"""As many as a database's integer has room for."""
_PROXIED: Final = ("Authorization", USER_HEADER, "Host")


class SignInNeeded(RecollectError):
    """The page is for people who have signed in."""

    def __init__(self) -> None:
        super().__init__("sign in to go on")


class UserNeeded(RecollectError):
    """The page shows somebody's memory, and nobody was chosen yet."""

    def __init__(self) -> None:
        super().__init__("choose a user to go on")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Who has signed in, and what they may see."""

    visit: Visit
    owner: Scope | None
    """Whose memory is shown; None where the key opens none, or nobody was chosen yet."""
    tenant: TenantScope | None
    """The tenant whose keys and audit log may be managed; None for all but administrators."""
    chooses_user: bool = False
    """Whether a service key opens the memory of any user of its tenant."""
    is_local: bool = False

    @property
    def scope(self) -> Scope:
        """The owner whose memory is shown."""
        if self.owner is None:
            raise UserNeeded
        return self.owner

    @property
    def administered(self) -> TenantScope:
        """The tenant that the visitor administers."""
        if self.tenant is None:
            raise Forbidden("only an admin key may do this")
        return self.tenant

    @property
    def name(self) -> str:
        """Whom the page says it is for."""
        if self.owner is not None:
            return self.owner.user
        return self.tenant.tenant if self.tenant else "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """Tells from a request who its visitor is."""

    site: Site
    authenticator: Authenticator

    async def visit_of(self, request: Request) -> Visit:
        """What the cookie says, or a new visit: also where that visit was ended."""
        codec = await self.site.codec()
        visit = codec.read(request.cookies.get(COOKIE))
        if visit is None or await self._is_ended(visit):
            return Visit()
        return visit

    async def _is_ended(self, visit: Visit) -> bool:
        """Whether somebody has signed out; nothing is to be ended of who has not signed in."""
        ended = self.site.services.ended_visits
        return visit.authorization is not None and await ended.has(UUID(visit.visit_id))

    async def end(self, visit: Visit) -> None:
        """End a visit in all processes, and with every copy of its cookie."""
        if visit.authorization is not None:
            await self.site.services.ended_visits.end(
                UUID(visit.visit_id), now=datetime.now(UTC), expires_at=visit.expires_at
            )

    async def visitor_of(self, request: Request, visit: Visit) -> Visitor:
        """The visitor; `SignInNeeded` if nobody has signed in, or no longer may."""
        if request.headers.get("Authorization"):  # a reverse proxy has signed the visitor in
            given = {name: request.headers[name] for name in _PROXIED if name in request.headers}
            return await self.admit(Headers(given), visit)
        if visit.authorization is None and not self.site.settings.is_local_mode:
            raise SignInNeeded
        try:
            return await self.admit(self._headers(request, visit), visit)
        except Unauthenticated:
            raise SignInNeeded from None

    async def admit(self, headers: Headers, visit: Visit) -> Visitor:
        """The visitor with these credentials.

        Raises:
            Unauthenticated: they are not valid.
            Forbidden: they open nothing that the dashboard shows.
        """
        tenant = await self._tenant(headers)
        owner, chooses_user = None, False
        try:
            caller = await self.authenticator.caller_of(headers, interface=Interface.DASHBOARD)
            owner = caller.scope
            chooses_user = visit.user is not None
        except Forbidden:
            if tenant is None:
                raise
        except InvalidInput as error:
            if error.field != USER_HEADER:
                raise
            chooses_user = True
        return Visitor(
            visit=visit,
            owner=owner,
            tenant=tenant,
            chooses_user=chooses_user,
            is_local=self.site.settings.is_local_mode,
        )

    def _headers(self, request: Request, visit: Visit) -> Headers:
        given = {"Host": request.headers.get("Host", "")}
        if visit.authorization:
            given["Authorization"] = visit.authorization
        if visit.user:
            given[USER_HEADER] = visit.user.encode().decode("latin-1")
        return Headers(given)

    async def _tenant(self, headers: Headers) -> TenantScope | None:
        try:
            scope = await self.authenticator.administrator_of(headers)
        except Forbidden:
            return None
        return replace(scope, interface=Interface.DASHBOARD)


def credentials_from(form: "Form", *, is_basic: bool) -> str:
    """The credentials of the form at sign-in, as programs send them; `Unauthenticated` if blank."""
    if is_basic:
        text = f"{form.get('username', '')}:{form.get('password', '')}"
        return "Basic " + b64encode(text.encode()).decode()
    token = form.get("token", "").strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise Unauthenticated("this is neither an API key nor a token")
    return f"Bearer {token}"


async def _visitor(request: Request) -> Visitor:
    sign_in = SignIn(site=site_of(request), authenticator=request.app.state.authenticator)
    visit = await sign_in.visit_of(request)
    request.state.visit = visit
    visitor = await sign_in.visitor_of(request, visit)
    request.state.visitor = visitor
    if request.method != HTTPMethod.GET:
        await check_origin(request, visit)
    return visitor


KnownVisitor = Annotated[Visitor, Depends(_visitor)]
"""Who has signed in. A change that does not come from one of our pages is refused."""

Form = dict[str, str]


async def form_of(request: Request) -> Form:
    """The fields of a form; of fields with one name the last."""
    try:
        text = (await request.body()).decode()
        fields = parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise InvalidInput("form", "cannot be read") from None
    return {name: value.replace("\r\n", "\n") for name, value in fields}


PostedForm = Annotated[Form, Depends(form_of)]


async def check_origin(request: Request, visit: Visit) -> None:
    """Refuse a change that another site had the browser send.

    The token is the rule; the headers that browsers set themselves are looked at besides.
    """
    origin, site = request.headers.get("Origin"), request.headers.get("Sec-Fetch-Site")
    is_foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("Host")
    given = request.headers.get(CSRF_HEADER) or (await form_of(request)).get(CSRF_FIELD, "")
    is_ours = visit.issued and hmac.compare_digest(given.encode(), visit.csrf.encode())
    if not is_ours or is_foreign or site not in {None, "same-origin", "none"}:
        raise Forbidden("this form is too old, or not from here; load the page again and repeat it")


def version_of(form: Form) -> int | None:
    """The version that the form was made of; None where it has none, and any will do.

    Raises:
        InvalidInput: it is no number that a version can be.
    """
    text = form.get("version")
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= _VERSION_DIGITS):
        raise InvalidInput("version", "must be a number")
    return int(text)


def chosen_user(form: Form) -> str | None:
    """The user that the holder of a service key wants to look at; None for nobody."""
    name = form.get("user", "").strip()
    return check_identity(name, "user") if name else None
