"""Everything that is stored of a user, over HTTP."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import StreamingResponse

from recollect.domain.transfer.document import ExportFormat
from recollect.errors import Forbidden
from recollect.interfaces.http.callers import CallerScope
from recollect.interfaces.http.errors import ERRORS
from recollect.interfaces.http.parameters import UseCases

router = APIRouter(prefix="/api/v1/privacy", tags=["privacy"], responses=ERRORS)


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
        _continued(first, pieces),
        media_type=form.media_type,
        headers={"Content-Disposition": f'attachment; filename="recollect-export.{form}"'},
    )


async def _continued(first: bytes, pieces: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    yield first
    async for piece in pieces:
        yield piece
