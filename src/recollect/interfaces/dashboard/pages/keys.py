"""The page of API keys, for administrators of a tenant, and what was done with them."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.audit import AuditFilter
from recollect.domain.identity.scope import MemoryPolicy, Scope
from recollect.domain.text import parse_choice
from recollect.interfaces.dashboard.rendering import is_htmx, render
from recollect.interfaces.dashboard.routing import DashboardRoute, redirect
from recollect.interfaces.dashboard.site import site_of
from recollect.interfaces.dashboard.visitors import Form, KnownVisitor, PostedForm
from recollect.interfaces.http.parameters import ANY_QUERY

PAGE: Final = "/dashboard/keys"
AUDIT_PAGE: Final = "/dashboard/audit"
_ENTRIES: Final = 50
router = APIRouter(include_in_schema=False, route_class=DashboardRoute, dependencies=[ANY_QUERY])


@router.get(PAGE)
async def list_keys(request: Request, visitor: KnownVisitor) -> Response:
    """Show the keys of the tenant, newest first, and the form to make one."""
    keys = await site_of(request).services.api_keys.list(visitor.administered)
    return await render(
        request,
        "keys/page.html",
        keys=keys[::-1],
        scopes=tuple(KeyScope),
        policies=tuple(MemoryPolicy),
    )


@router.post(PAGE)
async def make_key(request: Request, visitor: KnownVisitor, form: PostedForm) -> Response:
    """Make a key and show it, this once."""
    key, text = await site_of(request).services.api_keys.create(
        visitor.administered,
        name=form.get("name", ""),
        scopes=_scopes(form),
        user=form.get("user", "").strip() or None,
        memory=parse_choice(MemoryPolicy, form.get("memory", MemoryPolicy.FULL), "memory"),
    )
    template = "keys/made.html" if is_htmx(request) else "keys/made_page.html"
    return await render(request, template, key=key, text=text)


def _scopes(form: Form) -> list[KeyScope]:
    return [scope for scope in KeyScope if form.get(f"scope_{scope.value}")]


@router.post(PAGE + "/{key_id}/revoke")
async def revoke_key(request: Request, visitor: KnownVisitor, key_id: str) -> Response:
    """Revoke a key, at once and for good."""
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
