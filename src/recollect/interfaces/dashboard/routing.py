"""What surrounds every page: security headers, the cookie, and errors as pages."""

import logging
from collections.abc import Callable, Coroutine
from http import HTTPMethod, HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.responses import RedirectResponse

from recollect.errors import InvalidInput, RecollectError, Unavailable
from recollect.interfaces.dashboard import problems
from recollect.interfaces.dashboard.cookies import COOKIE, MAX_AGE_SECONDS, PATH, Visit
from recollect.interfaces.dashboard.rendering import is_htmx, language_of, render
from recollect.interfaces.dashboard.site import site_of
from recollect.interfaces.dashboard.visitors import SignInNeeded, UserNeeded, Visitor
from recollect.interfaces.http.errors import log_unavailable

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SIGN_IN: Final = "/dashboard/sign-in"
CHOOSE_USER: Final = "/dashboard/user"
_PROBLEMS: Final = "#problems"
_UNEXPECTED: Final = (
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.INTERNAL_SERVER_ERROR.phrase,
    problems.UNEXPECTED,
)

logger = logging.getLogger(__name__)


class DashboardRoute(APIRoute):
    """A route whose errors are pages, and whose responses no other site can use."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the handler of the route."""
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                response = await handle(request)
            except SignInNeeded:
                response = await _signed_out(request)
            except UserNeeded:
                response = redirect(request, CHOOSE_USER)
            except RecollectError as error:
                response = await _explained(request, error)
            except RequestValidationError:
                response = await _explained(request, InvalidInput("page", "cannot be shown so"))
            except Exception:  # a person reads it: no JSON, as elsewhere
                logger.exception("dashboard.failed")
                response = await show_problem(request, *_UNEXPECTED)
            _forget_counts(request)
            await _remember(request, response)
            response.headers.setdefault("Cache-Control", "no-store")
            response.headers.update(HEADERS)
            return response

        return handled


def redirect(request: Request, address: str) -> Response:
    """Send the browser to another page after a change."""
    if is_htmx(request):
        return Response(headers={"HX-Redirect": address})
    return RedirectResponse(address, status_code=HTTPStatus.SEE_OTHER)


def _next(request: Request) -> str:
    """The page to go to after sign-in."""
    if request.method != "GET" or is_htmx(request):
        return PATH
    query = request.url.query
    return request.url.path + (f"?{query}" if query else "")


async def _explained(request: Request, error: RecollectError) -> Response:
    if isinstance(error, Unavailable):
        log_unavailable(error)
    return await show_problem(request, *problems.worded(error, language_of(request)))


async def _signed_out(request: Request) -> Response:
    """Lead to the sign-in; only say so where another page would lose what was typed."""
    if is_htmx(request) and request.method != HTTPMethod.GET:
        return await show_problem(
            request,
            HTTPStatus.UNAUTHORIZED,
            problems.SIGNED_OUT,
            problems.STILL_TYPED,
            link=SIGN_IN,
        )
    return redirect(request, f"{SIGN_IN}?next={quote(_next(request))}")


async def show_problem(
    request: Request, status: HTTPStatus, title: str, detail: str, *, link: str = ""
) -> Response:
    """Say what went wrong: on a page of its own, or above the page, where what was typed stays."""
    if is_htmx(request):
        headers = {"HX-Retarget": _PROBLEMS, "HX-Reswap": "innerHTML"}
        template = "parts/problem.html"
    else:
        headers, template = {}, "problem.html"
    return await render(
        request, template, status=status, headers=headers, title=title, detail=detail, link=link
    )


def _forget_counts(request: Request) -> None:
    """Count anew what a visitor may have changed."""
    visitor: Visitor | None = getattr(request.state, "visitor", None)
    if request.method != HTTPMethod.GET and visitor is not None and visitor.owner is not None:
        site_of(request).recent.forget(visitor.owner.owner_id)


async def _remember(request: Request, response: Response) -> None:
    """Write the cookie where a visit begins, changes or would soon be idle for too long."""
    before: Visit | None = getattr(request.state, "visit", None)
    after: Visit | None = getattr(request.state, "next_visit", before)
    if after is None or (after is before and not after.is_stale):
        return
    codec = await site_of(request).codec()
    response.set_cookie(
        COOKIE,
        codec.write(after),
        max_age=MAX_AGE_SECONDS,
        path=PATH,
        secure=_is_secure(request),
        httponly=True,
        samesite="lax",
    )


def _is_secure(request: Request) -> bool:
    forwarded = request.headers.get("X-Forwarded-Proto", "")
    return "https" in {request.url.scheme, forwarded.partition(",")[0].strip()}
