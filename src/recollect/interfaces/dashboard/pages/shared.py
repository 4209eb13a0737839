"""Assets, the choice of language and colours, and the page for addresses that lead nowhere."""

from contextlib import suppress
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from recollect.errors import RecollectError
from recollect.interfaces.dashboard.assets import ASSETS
from recollect.interfaces.dashboard.cookies import PATH
from recollect.interfaces.dashboard.languages import NAMES
from recollect.interfaces.dashboard.problems import NO_PAGE, NOT_FOUND
from recollect.interfaces.dashboard.rendering import (
    LANGUAGE_COOKIE,
    THEME_COOKIE,
    THEMES,
    render,
)
from recollect.interfaces.dashboard.routing import DashboardRoute, redirect
from recollect.interfaces.dashboard.site import site_of
from recollect.interfaces.dashboard.visitors import (
    PostedForm,
    SignIn,
    check_origin,
)
from recollect.interfaces.http.parameters import ANY_QUERY

_YEAR: Final = 365 * 24 * 3600
router = APIRouter(
    prefix="/dashboard",
    include_in_schema=False,
    route_class=DashboardRoute,
    dependencies=[ANY_QUERY],
)
missing = APIRouter(include_in_schema=False, route_class=DashboardRoute, dependencies=[ANY_QUERY])


@router.get("/assets/{name}")
async def asset(name: str) -> Response:
    """Return a script or style of the package."""
    found = ASSETS.get(name)
    if found is None:
        return Response(status_code=HTTPStatus.NOT_FOUND)
    return Response(
        found.content,
        media_type=found.media_type,
        headers={"Cache-Control": f"public, max-age={_YEAR}, immutable"},
    )


@router.post("/preferences")
async def prefer(request: Request, form: PostedForm) -> Response:
    """Remember the language and the colours that a visitor chose."""
    sign_in = SignIn(site=site_of(request), authenticator=request.app.state.authenticator)
    request.state.visit = await sign_in.visit_of(request)
    await check_origin(request, request.state.visit)
    response = redirect(request, own_page(form.get("next", "")))
    for field, cookie, known in (
        ("language", LANGUAGE_COOKIE, NAMES),
        ("theme", THEME_COOKIE, THEMES),
    ):
        if (chosen := form.get(field, "")) in known:
            response.set_cookie(
                cookie, chosen, max_age=_YEAR, path=PATH, httponly=True, samesite="lax"
            )
    return response


def own_page(address: str) -> str:
    """An address to go on to, if it is one of the dashboard; else its first page."""
    is_ours = address == PATH or address.startswith((f"{PATH}/", f"{PATH}?"))
    return address if is_ours and address.isprintable() and "\\" not in address else PATH


@missing.get("/dashboard/{rest:path}")
async def no_page(request: Request, rest: str = "?") -> Response:
    """Say that there is no such page, and where to go instead."""
    if not rest:
        return redirect(request, PATH)
    await _recognise(request)
    return await render(
        request,
        "problem.html",
        status=HTTPStatus.NOT_FOUND,
        title=NOT_FOUND,
        detail=NO_PAGE,
        link="",
    )


async def _recognise(request: Request) -> None:
    """Let the page have the menu of a visitor who has signed in."""
    sign_in = SignIn(site=site_of(request), authenticator=request.app.state.authenticator)
    request.state.visit = await sign_in.visit_of(request)
    with suppress(RecollectError):
        request.state.visitor = await sign_in.visitor_of(request, request.state.visit)
