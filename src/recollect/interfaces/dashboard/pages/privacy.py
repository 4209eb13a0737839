"""The page of a user's rights: what is kept how long, opting out, export, and erasure."""

from contextlib import suppress
from typing import Annotated, Final

import orjson
from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from recollect.domain.erasure.receipt import with_names
from recollect.domain.transfer.document import ExportFormat
from recollect.errors import Forbidden, InvalidInput, ProfileKeyNotFound
from recollect.interfaces.dashboard.problems import NotConfirmedInWords
from recollect.interfaces.dashboard.rendering import is_htmx, language_of, render
from recollect.interfaces.dashboard.routing import DashboardRoute, redirect
from recollect.interfaces.dashboard.site import site_of
from recollect.interfaces.dashboard.visitors import KnownVisitor, PostedForm
from recollect.interfaces.http.parameters import ANY_QUERY, ErasureIdPath
from recollect.interfaces.http.routes.privacy import continued
from recollect.services.facts.learning import LEARNS_FACTS

PAGE: Final = "/dashboard/privacy"
CONFIRMATION: Final = "erase everything"
"""What has to be typed before everything is erased, in the reader's language."""
router = APIRouter(
    prefix=PAGE, include_in_schema=False, route_class=DashboardRoute, dependencies=[ANY_QUERY]
)


@router.get("")
async def show_rights(request: Request, visitor: KnownVisitor) -> Response:
    """Show what is kept for how long, and what the user can do about it."""
    settings, scope = site_of(request).settings, visitor.scope
    services = site_of(request).services
    policy = await services.tenant_policies.of(scope)
    choice = await services.profiles.find(scope, LEARNS_FACTS) if policy.learns else None
    return await render(
        request,
        "privacy/page.html",
        retention=policy.retention,
        archive_days=settings.archive_retention_days,
        learns=policy.learns,
        has_opted_out=choice is not None and choice.value is False,
        fades=policy.facts.is_enabled and policy.decay.threshold > 0,
        masking=policy.masking.value,
        audit_days=settings.audit_retention_days,
        logs_operations=settings.log_memory_operations,
        archives=policy.archives,
        allows_erasure=settings.allow_data_deletion,
        confirmation=language_of(request).text(CONFIRMATION),
    )


@router.post("/learning")
async def choose_learning(request: Request, visitor: KnownVisitor, form: PostedForm) -> Response:
    """Learn nothing more about the user from what they say, or learn it again."""
    profiles = site_of(request).services.profiles
    if form.get("learn") == "off":
        await profiles.set(visitor.scope, LEARNS_FACTS, value=False)
    else:
        with suppress(ProfileKeyNotFound):
            await profiles.delete(visitor.scope, LEARNS_FACTS)
    return redirect(request, f"{PAGE}#learning")


@router.get("/export")
async def export(
    request: Request,
    visitor: KnownVisitor,
    form: Annotated[ExportFormat, Query(alias="format")] = ExportFormat.JSON,
) -> Response:
    """Return everything that is stored of the user as a file."""
    if not site_of(request).settings.allow_data_export:
        raise Forbidden("exports are off on this server (MEMORY_ALLOW_DATA_EXPORT)")
    pieces = site_of(request).services.owner_export.pieces(visitor.scope, form)
    return StreamingResponse(
        continued(await anext(pieces), pieces),
        media_type=form.media_type,
        headers={"Content-Disposition": f'attachment; filename="recollect-export.{form}"'},
    )


@router.post("/erase")
async def erase(request: Request, visitor: KnownVisitor, form: PostedForm) -> Response:
    """Begin to erase everything of the user, if the words that say so were typed."""
    if not site_of(request).settings.allow_data_deletion:
        raise Forbidden("erasures are off on this server (MEMORY_ALLOW_DATA_DELETION)")
    wanted = language_of(request).text(CONFIRMATION)
    if form.get("confirmation", "").strip().casefold() != wanted.casefold():
        raise NotConfirmedInWords(wanted)
    begun = await site_of(request).services.erasing.begin(visitor.scope)
    return redirect(request, f"{PAGE}/erasures/{begun.erasure_id}")


@router.get("/erasures/{erasure_id}")
async def show_erasure(
    request: Request, visitor: KnownVisitor, erasure_id: ErasureIdPath
) -> Response:
    """Show how far an erasure has come, and its receipt once it is done."""
    erasure = await site_of(request).services.erasing.get(visitor.scope, erasure_id)
    template = "privacy/progress.html" if is_htmx(request) else "privacy/erasure.html"
    receipt = erasure.receipt and with_names(erasure.receipt, visitor.scope)
    text = orjson.dumps(receipt, option=orjson.OPT_INDENT_2).decode() if receipt else ""
    return await render(request, template, erasure=erasure, receipt=text)


@router.get("/erasures/{erasure_id}/receipt")
async def download_receipt(
    request: Request, visitor: KnownVisitor, erasure_id: ErasureIdPath
) -> Response:
    """Return the receipt as a file."""
    erasure = await site_of(request).services.erasing.get(visitor.scope, erasure_id)
    if erasure.receipt is None:
        raise InvalidInput("receipt", "is not written yet: the erasure is under way")
    receipt = with_names(erasure.receipt, visitor.scope)
    return Response(
        orjson.dumps(receipt, option=orjson.OPT_INDENT_2),
        media_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="receipt.json"'},
    )
