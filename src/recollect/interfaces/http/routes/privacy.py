"""Everything that is stored of a user, over HTTP: exported, and erased."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import StreamingResponse

from recollect.domain.transfer.document import ExportFormat
from recollect.errors import Forbidden, NotConfirmed
from recollect.interfaces.http.callers import CallerScope, OperatorTenant
from recollect.interfaces.http.errors import ERRORS, NOT_FOUND, ErrorBody, documented
from recollect.interfaces.http.large_json import LargeBodyRoute
from recollect.interfaces.http.parameters import ErasureIdPath, UseCases
from recollect.interfaces.http.schemas.privacy import EraseIn, EraseTenantIn, ErasureOut

router = APIRouter(
    prefix="/api/v1/privacy", tags=["privacy"], responses=ERRORS, route_class=LargeBodyRoute
)


async def _check_export(request: Request, _scope: CallerScope) -> None:
    """Refuse it where it is off, to callers that are known."""
    if not request.app.state.allows_data_export:
        raise Forbidden(
            "exports are off on this server; its operator allows them with "
            "MEMORY_ALLOW_DATA_EXPORT=true"
        )


@router.get(
    "/export",
    summary="Export everything",
    dependencies=[Depends(_check_export)],
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The document; docs/reference/export-format.md describes it.",
            "content": {
                "application/json": {"schema": {"type": "object"}},
                "application/zip": {"schema": {"type": "string", "format": "binary"}},
            },
        }
    },
)
async def export_everything(
    scope: CallerScope,
    services: UseCases,
    form: Annotated[
        ExportFormat,
        Query(
            alias="format",
            description="`json`: one document; `zip`: an archive with a file of JSON Lines for "
            "each part.",
        ),
    ] = ExportFormat.JSON,
) -> StreamingResponse:
    """Return everything that is stored of the user, streamed.

    Profile, state, facts with their history, sessions with the messages of all branches and their
    summaries, what recall finds (without vectors), the audit log about the user, and the names of
    their API keys. 403 unless `MEMORY_ALLOW_DATA_EXPORT` is set.
    """
    pieces = services.owner_export.pieces(scope, form)
    first = await anext(pieces)  # what fails at once fails with a status
    return StreamingResponse(
        continued(first, pieces),
        media_type=form.media_type,
        headers={"Content-Disposition": f'attachment; filename="recollect-export.{form}"'},
    )


async def continued(first: bytes, pieces: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    """The pieces of a document, of which one was made already."""
    yield first
    async for piece in pieces:
        yield piece


_FOR_OPERATORS = {"x-operator": True}  # as for a user's state
_ERASING = documented(
    ErrorBody, {400: "It is not confirmed", 409: "Everything of the user is being erased already"}
)


def _check_deletion(request: Request) -> None:
    """Refuse it where it is off."""
    if not request.app.state.allows_data_deletion:
        raise Forbidden(
            "erasures are off on this server; its operator allows them with "
            "MEMORY_ALLOW_DATA_DELETION=true"
        )


@router.post(
    "/erase", status_code=202, summary="Erase everything", responses={**NOT_FOUND, **_ERASING}
)
async def erase(
    request: Request, scope: CallerScope, services: UseCases, wanted: EraseIn
) -> ErasureOut:
    """Begin to erase everything of the user in every place, one session, or what is older.

    It is done in the background: ask for it by its id. Meanwhile nothing of it is found, and writes
    are refused with 409. The same request again returns the erasure that is under way. 403 unless
    `MEMORY_ALLOW_DATA_DELETION` is set.
    """
    _check_deletion(request)
    if not wanted.confirm:
        raise NotConfirmed
    session_id, before = wanted.selection()
    begun = await services.erasing.begin(scope, session_id=session_id, before=before)
    return ErasureOut.of(begun, scope)


@router.get("/erase/{erasure_id}", summary="Look at an erasure", responses=NOT_FOUND)
async def get_erasure(
    scope: CallerScope, services: UseCases, erasure_id: ErasureIdPath
) -> ErasureOut:
    """Return how far an erasure of the user has come, and its signed receipt once it is done.

    It is found when nothing else is left of the user.
    """
    return ErasureOut.of(await services.erasing.get(scope, erasure_id), scope)


@router.post(
    "/tenant/erase",
    status_code=202,
    summary="Erase a tenant",
    responses=_ERASING,
    openapi_extra=_FOR_OPERATORS,
)
async def erase_tenant(
    request: Request, scope: OperatorTenant, services: UseCases, wanted: EraseTenantIn
) -> ErasureOut:
    """Begin to erase everything of all users that the tenant of a service key has now.

    Its own keys stay, those of its users go. 403 for users, and unless
    `MEMORY_ALLOW_DATA_DELETION` is set.
    """
    _check_deletion(request)
    if not wanted.confirm:
        raise NotConfirmed
    return ErasureOut.of(await services.erasing.begin_tenant(scope), scope)


@router.get(
    "/tenant/erase/{erasure_id}",
    summary="Look at a tenant's",
    responses=NOT_FOUND,
    openapi_extra=_FOR_OPERATORS,
)
async def get_tenant_erasure(
    scope: OperatorTenant, services: UseCases, erasure_id: ErasureIdPath
) -> ErasureOut:
    """Return how far the erasure of a tenant has come, and its signed receipt once it is done."""
    return ErasureOut.of(await services.erasing.get(scope, erasure_id), scope)
