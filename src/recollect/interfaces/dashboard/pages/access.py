"""Signing in and out, and choosing whose memory is shown."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.datastructures import Headers
from starlette.responses import Response

from recollect.errors import Forbidden, Unauthenticated
from recollect.interfaces.dashboard.cookies import COOKIE, PATH, Visit
from recollect.interfaces.dashboard.pages.shared import own_page
from recollect.interfaces.dashboard.problems import worded
from recollect.interfaces.dashboard.rendering import language_of, render
from recollect.interfaces.dashboard.routing import SIGN_IN, DashboardRoute, redirect
from recollect.interfaces.dashboard.site import site_of
from recollect.interfaces.dashboard.visitors import (
    KnownVisitor,
    PostedForm,
    SignIn,
    check_origin,
    chosen_user,
    credentials_from,
)
from recollect.interfaces.http.parameters import ANY_QUERY
from recollect.settings import UserIdSource

router = APIRouter(
    prefix="/dashboard",
    include_in_schema=False,
    route_class=DashboardRoute,
    dependencies=[ANY_QUERY],
)


@router.get("/sign-in")
async def ask_for_credentials(
    request: Request, next_page: Annotated[str, Query(alias="next")] = PATH
) -> Response:
    """Show the form, or go on where nobody has to sign in."""
    if site_of(request).settings.is_local_mode:
        return redirect(request, own_page(next_page))
    request.state.visit = await _sign_in(request).visit_of(request)
    return await _form(request, next_page=next_page)


@router.post("/sign-in")
async def sign_in(request: Request, form: PostedForm) -> Response:
    """Check the credentials, and remember them in the cookie, encrypted."""
    visiting = _sign_in(request)
    visit = request.state.visit = await visiting.visit_of(request)
    await check_origin(request, visit)
    try:
        authorization = credentials_from(form, is_basic=_is_basic(request))
        given = Headers({"Authorization": authorization, "Host": request.headers.get("Host", "")})
        await visiting.admit(given, Visit())
    except (Unauthenticated, Forbidden) as error:
        return await _form(
            request,
            next_page=form.get("next", PATH),
            problem=worded(error, language_of(request))[2],
            username=form.get("username", ""),
        )
    request.state.next_visit = visit.signed_in(authorization)
    return redirect(request, own_page(form.get("next", PATH)))


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """Forget who has signed in; copies of the cookie open nothing any more."""
    signing = _sign_in(request)
    visit = request.state.visit = await signing.visit_of(request)
    await check_origin(request, visit)
    await signing.end(visit)
    response = redirect(request, SIGN_IN)
    request.state.next_visit = None
    response.delete_cookie(COOKIE, path=PATH, httponly=True, samesite="lax")
    return response


@router.get("/user")
async def ask_for_user(request: Request, visitor: KnownVisitor) -> Response:
    """Let the holder of a service key say whose memory to show."""
    if not visitor.chooses_user:
        return redirect(request, PATH if visitor.owner else "/dashboard/keys")
    return await render(request, "user.html")


@router.post("/user")
async def choose_user(request: Request, visitor: KnownVisitor, form: PostedForm) -> Response:
    """Show the memory of that user from now on; each look at it is in the audit log."""
    if not visitor.chooses_user:
        raise Forbidden("only a service key may look at the memory of others")
    request.state.next_visit = visitor.visit.choosing(chosen_user(form))
    return redirect(request, PATH)


async def _form(
    request: Request, *, next_page: str, problem: str = "", username: str = ""
) -> Response:
    return await render(
        request,
        "sign_in.html",
        status=HTTPStatus.UNAUTHORIZED if problem else HTTPStatus.OK,
        next_page=own_page(next_page),
        problem=problem,
        username=username,
        is_basic=_is_basic(request),
    )


def _sign_in(request: Request) -> SignIn:
    return SignIn(site=site_of(request), authenticator=request.app.state.authenticator)


def _is_basic(request: Request) -> bool:
    return site_of(request).settings.user_id_source is UserIdSource.BASIC_USERNAME
