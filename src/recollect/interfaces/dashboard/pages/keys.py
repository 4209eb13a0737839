"""The page of API keys, for administrators of a tenant, and what was done with them."""

from enum import StrEnum
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.audit import AuditFilter
from recollect.domain.identity.scope import MemoryPolicy, Scope
from recollect.domain.text import parse_choice
from recollect.errors import InvalidInput
from recollect.interfaces.dashboard.problems import worded
from recollect.interfaces.dashboard.rendering import is_htmx, language_of, render
from recollect.interfaces.dashboard.routing import DashboardRoute, redirect, show_problem
from recollect.interfaces.dashboard.site import site_of
from recollect.interfaces.dashboard.visitors import Form, KnownVisitor, PostedForm, Visitor
from recollect.interfaces.http.parameters import ANY_QUERY

PAGE: Final = "/dashboard/keys"
AUDIT_PAGE: Final = "/dashboard/audit"
_ENTRIES: Final = 50
_EMPTY: Final = dict.fromkeys(
    ("name", "user", "memory", *(f"scope_{scope}" for scope in KeyScope)), ""
)


class KeyProblem(StrEnum):
    """What is wrong with the form of a key, in its own words."""

    NO_NAME = "Say what the key is for."
    OPENS_NOTHING = "Tick at least one thing that it opens."
    NO_USER = "Name the user whose memory it opens."
    ANOTHER_USER = "Tick “the memory of one user”, or name no user."


router = APIRouter(include_in_schema=False, route_class=DashboardRoute, dependencies=[ANY_QUERY])


@router.get(PAGE)
async def list_keys(request: Request, visitor: KnownVisitor) -> Response:
    """Show the keys of the tenant, newest first, and the form to make one."""
    return await _page(request, visitor, _EMPTY)


async def _page(
    request: Request, visitor: Visitor, form: Form, *, problem: str | None = None
) -> Response:
    keys = await site_of(request).services.api_keys.list(visitor.administered)
    return await render(
        request,
        "keys/page.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        keys=keys[::-1],
        form={**_EMPTY, **form},
        problem=problem,
    )


@router.post(PAGE)
async def make_key(request: Request, visitor: KnownVisitor, form: PostedForm) -> Response:
    """Make a key and show it, this once; a form that is refused keeps what was typed."""
    tenant = visitor.administered
    if (problem := _problem_of(form)) is not None:
        return await _refused(request, visitor, form, problem)
    try:
        key, text = await site_of(request).services.api_keys.create(
            tenant,
            name=form.get("name", ""),
            scopes=_scopes(form),
            user=form.get("user", "").strip() or None,
            memory=parse_choice(MemoryPolicy, form.get("memory", MemoryPolicy.FULL), "memory"),
        )
    except InvalidInput as error:
        return await _refused(request, visitor, form, worded(error, language_of(request))[2])
    template = "keys/made.html" if is_htmx(request) else "keys/made_page.html"
    return await render(request, template, key=key, text=text)


async def _refused(request: Request, visitor: Visitor, form: Form, problem: str) -> Response:
    text = language_of(request).text(problem)
    if not is_htmx(request):
        return await _page(request, visitor, form, problem=text)
    return await show_problem(
        request, HTTPStatus.UNPROCESSABLE_ENTITY, "The key was not made.", text
    )


def _problem_of(form: Form) -> KeyProblem | None:
    """What is wrong with the form, in its own words; None if nothing is."""
    is_of_user = bool(form.get("scope_user"))
    if not form.get("name", "").strip():
        return KeyProblem.NO_NAME
    if not _scopes(form):
        return KeyProblem.OPENS_NOTHING
    if is_of_user and not form.get("user", "").strip():
        return KeyProblem.NO_USER
    if not is_of_user and form.get("user", "").strip():
        return KeyProblem.ANOTHER_USER
    return None


def _scopes(form: Form) -> list[KeyScope]:
    return [scope for scope in KeyScope if form.get(f"scope_{scope.value}")]


@router.post(PAGE + "/{key_id}/revoke")
async def revoke_key(request: Request, visitor: KnownVisitor, key_id: str) -> Response:
    """Revoke a key for good."""
    await site_of(request).services.api_keys.revoke(
        visitor.administered, parse_uuid(key_id, "key_id")
    )
    return redirect(request, PAGE)


@router.get(AUDIT_PAGE)
async def list_audit(
    request: Request, visitor: KnownVisitor, user: str = "", cursor: str = ""
) -> Response:
    """Show what was done in the tenant, or to the memory of one user; never what was said."""
    scope = visitor.administered
    owner = Scope(tenant=scope.tenant, user=user.strip()) if user.strip() else None
    listed = await site_of(request).services.audit.list(
        scope,
        PageRequest(limit=_ENTRIES, cursor=cursor or None),
        filters=AuditFilter(owner_id=owner.owner_id if owner else None),
    )
    return await render(
        request,
        "keys/audit.html",
        entries=listed.items,
        next_cursor=listed.next_cursor,
        user=user,
    )
