"""Settings of tenants over HTTP, for their administrators."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Response

from recollect.domain.identity.scope import MAX_NAME_LENGTH, TenantScope
from recollect.domain.tenants.settings import TenantReport
from recollect.errors import TenantNotFound
from recollect.interfaces.http.callers import AdminScope
from recollect.interfaces.http.errors import ERRORS, NOT_FOUND, PRECONDITION
from recollect.interfaces.http.etags import ExpectedVersion, etag
from recollect.interfaces.http.large_json import LargeBodyRoute
from recollect.interfaces.http.parameters import UseCases
from recollect.interfaces.http.schemas.conversations import ListOf
from recollect.interfaces.http.schemas.tenants import TenantSettingsIn, TenantSettingsOut

_SETTINGS: Final = "/{tenant}/settings"
_FOR_ADMINS: Final = {"x-admin": True}
router = APIRouter(
    prefix="/api/v1/admin/tenants", tags=["admin"], responses=ERRORS, route_class=LargeBodyRoute
)


# Async, though it awaits nothing: FastAPI would send a plain function to a thread.
async def _administered(
    scope: AdminScope,
    tenant: Annotated[
        str,
        Path(description="The tenant of the admin key.", max_length=MAX_NAME_LENGTH),
    ],
) -> TenantScope:
    """The tenant of the path, which must be the caller's: others are not there."""
    if tenant != scope.tenant:
        raise TenantNotFound
    return scope


AdministeredTenant = Annotated[TenantScope, Depends(_administered)]


@router.get("", summary="List tenants", openapi_extra=_FOR_ADMINS)
async def list_tenants(scope: AdminScope, services: UseCases) -> ListOf[TenantSettingsOut]:
    """List the tenants that the caller administers with their settings: that of the admin key."""
    report = await services.tenant_settings.get(scope)
    return ListOf(items=[TenantSettingsOut.of(report)], next_cursor=None)


@router.get(
    _SETTINGS,
    summary="Get a tenant's settings",
    responses=NOT_FOUND,
    openapi_extra=_FOR_ADMINS,
)
async def get_tenant_settings(
    scope: AdministeredTenant, services: UseCases, response: Response
) -> TenantSettingsOut:
    """Return what the tenant has set and what counts for it, with the version in `ETag`.

    Needs an admin key of the tenant.
    """
    return _shown(await services.tenant_settings.get(scope), response)


@router.put(
    _SETTINGS,
    summary="Set a tenant's settings",
    responses=NOT_FOUND | PRECONDITION,
    openapi_extra=_FOR_ADMINS,
)
async def put_tenant_settings(
    scope: AdministeredTenant,
    services: UseCases,
    response: Response,
    body: TenantSettingsIn,
    version: ExpectedVersion,
) -> TenantSettingsOut:
    """Set these, and unset all others; 422 for what this server does not have.

    It counts within five seconds in every process. Needs an admin key of the tenant.
    """
    report = await services.tenant_settings.replace(scope, body.given(), version=version)
    return _shown(report, response)


@router.patch(
    _SETTINGS,
    summary="Change some of a tenant's settings",
    responses=NOT_FOUND | PRECONDITION,
    openapi_extra=_FOR_ADMINS,
)
async def change_tenant_settings(
    scope: AdministeredTenant,
    services: UseCases,
    response: Response,
    body: TenantSettingsIn,
    version: ExpectedVersion,
) -> TenantSettingsOut:
    """Set these, unset those that are null, and leave all others."""
    report = await services.tenant_settings.change(scope, body.given(), version=version)
    return _shown(report, response)


@router.delete(
    _SETTINGS,
    summary="Unset all of a tenant's settings",
    status_code=HTTPStatus.NO_CONTENT,
    responses=NOT_FOUND | PRECONDITION,
    openapi_extra=_FOR_ADMINS,
)
async def delete_tenant_settings(
    scope: AdministeredTenant, services: UseCases, version: ExpectedVersion
) -> None:
    """Unset everything: the server's own settings count for the tenant again."""
    await services.tenant_settings.delete(scope, version=version)


def _shown(report: TenantReport, response: Response) -> TenantSettingsOut:
    response.headers.update(etag(report.version))
    return TenantSettingsOut.of(report)
