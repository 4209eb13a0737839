"""Whether the server lives, and whether it can work."""

from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel
from starlette.responses import JSONResponse

from recollect.interfaces.http.errors import ErrorBody
from recollect.interfaces.http.query_parameters import ANY_QUERY
from recollect.interfaces.http.readiness import Checks, DatabaseState, DiskState, Readiness
from recollect.interfaces.worker import WorkerState

router = APIRouter(tags=["health"], dependencies=[ANY_QUERY])

_PROBLEMS = {
    DatabaseState.UNAVAILABLE: "the database does not answer",
    DiskState.FULL: "the disk is full",
}
_STATUS_HEADER = "X-Readiness"


class Health(BaseModel):
    """All is well."""

    status: Literal["ok"]


class CheckedParts(BaseModel):
    """What was looked at."""

    database: DatabaseState
    worker: WorkerState
    disk: DiskState


class Ready(BaseModel):
    """Requests are served; `degraded` means that somebody should look all the same."""

    status: Literal["ready", "degraded"]
    checks: CheckedParts


class NotReady(ErrorBody):
    """Memory cannot be read or written now."""

    status: Literal["unavailable"]
    checks: CheckedParts


async def _readiness(request: Request) -> Readiness:
    readiness: Readiness = request.app.state.readiness
    return readiness


@router.get("/healthz", summary="Is the process alive?")
async def healthz() -> Health:
    """Answer as long as the process lives, whatever the database does."""
    return Health(status="ok")


@router.get(
    "/readyz",
    summary="Can requests be served?",
    response_model=Ready,
    responses={503: {"model": NotReady, "description": "Memory cannot be read or written now"}},
)
async def readyz(readiness: Annotated[Readiness, Depends(_readiness)]) -> Response:
    """Answer within a second how database, worker and disk stand; the header has the status, too.

    503 where memory cannot be read or written: the database does not answer, or the disk is full.
    A worker that has died, or little disk space, is `degraded`: requests are served.
    """
    checks = await readiness.check()
    parts = CheckedParts(database=checks.database, worker=checks.worker, disk=checks.disk)
    if not checks.is_ready:
        return _not_ready(checks, parts)
    status: Literal["ready", "degraded"] = "degraded" if checks.is_degraded else "ready"
    body = Ready(status=status, checks=parts)
    return JSONResponse(body.model_dump(mode="json"), headers={_STATUS_HEADER: status})


def _not_ready(checks: Checks, parts: CheckedParts) -> Response:
    found = (checks.database, checks.disk)
    detail = "; ".join(_PROBLEMS[state] for state in found if state in _PROBLEMS)
    status = HTTPStatus.SERVICE_UNAVAILABLE
    body = NotReady(error=status.phrase, detail=detail, status="unavailable", checks=parts)
    headers = {"Retry-After": "1", _STATUS_HEADER: body.status}
    return JSONResponse(body.model_dump(mode="json"), status_code=status, headers=headers)
