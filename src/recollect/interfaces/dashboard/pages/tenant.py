"""The page of a tenant's own settings, for its administrators."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from recollect.domain.policy import FactExtractorKind
from recollect.domain.privacy.masking import MaskingMode
from recollect.domain.text import JsonValue
from recollect.interfaces.dashboard.problems import SETTINGS
from recollect.interfaces.dashboard.rendering import render
from recollect.interfaces.dashboard.routing import DashboardRoute, redirect
from recollect.interfaces.dashboard.site import site_of
from recollect.interfaces.dashboard.visitors import Form, KnownVisitor, PostedForm, version_of
from recollect.interfaces.http.parameters import ANY_QUERY

PAGE: Final = "/dashboard/tenant"
EXAMPLES: Final = {
    "retention": "sliding:30",
    "store_results": "none, summary, rows:10",
    "facts_half_lives": "high:365,medium:180,low:60",
    "facts_prune_below": "0.1",
}
CHOICES: Final = {"mask_pii": tuple(MaskingMode), "facts_extractor": tuple(FactExtractorKind)}
SWITCHES: Final = ("archive", "facts", "learn_facts")
router = APIRouter(
    prefix=PAGE, include_in_schema=False, route_class=DashboardRoute, dependencies=[ANY_QUERY]
)


@router.get("")
async def show_settings(request: Request, visitor: KnownVisitor) -> Response:
    """Show what the tenant has set, and what counts for its users."""
    report = await site_of(request).services.tenant_settings.get(visitor.administered)
    return await render(
        request,
        "tenant.html",
        report=report,
        given=report.settings.to_json(),
        effective=report.effective.to_json(),
        settings=SETTINGS,
        examples=EXAMPLES,
        switches=SWITCHES,
        choices=CHOICES,
    )


@router.post("")
async def set_settings(request: Request, visitor: KnownVisitor, form: PostedForm) -> Response:
    """Set what the form has, and unset what it leaves empty."""
    await site_of(request).services.tenant_settings.replace(
        visitor.administered, _values(form), version=version_of(form)
    )
    return redirect(request, PAGE)


def _values(form: Form) -> dict[str, JsonValue]:
    return {name: form[name].strip() for name in SETTINGS if form.get(name, "").strip()}
