"""What administrators of a tenant can read over HTTP: its audit log."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import AwareDatetime

from recollect.domain.identity.audit import AuditAction, AuditFilter
from recollect.domain.identity.scope import Scope
from recollect.interfaces.http.callers import AdminScope
from recollect.interfaces.http.errors import ERRORS
from recollect.interfaces.http.large_json import written
from recollect.interfaces.http.parameters import PageQuery, UseCases
from recollect.interfaces.http.schemas.admin import AuditEntryOut
from recollect.interfaces.http.schemas.conversations import ListOf

_OF_ENTRY = 1_000
"""An entry with its ids takes as long to write as this many characters."""
router = APIRouter(prefix="/api/v1/admin", tags=["admin"], responses=ERRORS)


@router.get(
    "/audit",
    summary="List the audit log",
    response_model=ListOf[AuditEntryOut],
    openapi_extra={"x-admin": True},
)
async def list_audit(
    scope: AdminScope,
    services: UseCases,
    page: PageQuery,
    user: Annotated[
        str | None, Query(description="The user whose memory it is; default: all of the tenant.")
    ] = None,
    action: Annotated[AuditAction | None, Query(description="What was done.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="At this time or later.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Before this time.")] = None,
) -> Response:
    """List what was done to memories and keys of the tenant, never what was said.

    By time, or for one user in the order in which it was recorded. Needs an admin key.
    """
    owner_id = None if user is None else Scope(tenant=scope.tenant, user=user).owner_id
    filters = AuditFilter(owner_id=owner_id, action=action, since=since, until=until)
    listed = await services.audit.list(scope, page, filters=filters)
    return await written(
        partial(ListOf.of, listed, AuditEntryOut.of),
        characters=_OF_ENTRY * len(listed.items),
        parts=["items"],
    )
