"""Whether the server is alive, and whether its database, worker and disk let it work."""

import asyncio
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Final, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from starlette.responses import JSONResponse

from recollect.concurrency import in_daemon_thread
from recollect.errors import DatabaseUnavailable
from recollect.interfaces.http.errors import ErrorBody, log_unavailable
from recollect.interfaces.http.parameters import ANY_QUERY
from recollect.interfaces.worker import Heartbeat, WorkerState
from recollect.memory import Memory
from recollect.system import DiskState, disk_space

_DISK_SECONDS: Final = 0.5
router = APIRouter(tags=["health"], dependencies=[ANY_QUERY])
_STATUS_HEADER = "X-Readiness"


class DatabaseState(StrEnum):
    """How the database stands."""

    OK = "ok"
    UNAVAILABLE = "unavailable"


class CheckedParts(BaseModel):
    """What was looked at."""

    database: DatabaseState
    worker: WorkerState
    disk: DiskState


class Disk:
    """Looks at the disk of a folder, in a thread of its own, at most one at a time."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._looking: Future[tuple[DiskState, int]] | None = None

    async def state(self) -> DiskState:
        """How it stands; `UNKNOWN` if it does not say so within half a second."""
        if self._looking is None or self._looking.done():
            self._looking = in_daemon_thread(partial(disk_space, self._home), name="disk")
        try:
            async with asyncio.timeout(_DISK_SECONDS):
                state, _ = await asyncio.wrap_future(self._looking)
                return state
        except OSError:  # of which a timeout is one
            return DiskState.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """Looks at everything at once, and takes less than a second whatever hangs."""

    memory: Memory
    pulse: Heartbeat | None
    """The sign of life of this server's worker; None: it has none of its own."""
    disk: Disk | None
    """The disk of the embedded database; None: the database is elsewhere."""

    async def check(self) -> CheckedParts:
        """How everything stands now."""
        database, disk = await asyncio.gather(self._database(), self._disk())
        worker = WorkerState.ELSEWHERE if self.pulse is None else self.pulse.state
        return CheckedParts(database=database, worker=worker, disk=disk)

    async def _database(self) -> DatabaseState:
        try:
            await self.memory.is_ready()
        except DatabaseUnavailable as error:
            log_unavailable(error)
            return DatabaseState.UNAVAILABLE
        return DatabaseState.OK

    async def _disk(self) -> DiskState:
        if self.memory.is_out_of_space():
            return DiskState.FULL
        return DiskState.OK if self.disk is None else await self.disk.state()


_PROBLEMS: Final = {
    DatabaseState.UNAVAILABLE: "the database does not answer",
    DiskState.FULL: "the disk is full",
}
"""What keeps memory from being read and written."""


class Health(BaseModel):
    """All is well."""

    status: Literal["ok"]


class Ready(BaseModel):
    """Requests are served; `degraded` means that somebody should look all the same."""

    status: Literal["ready", "degraded"]
    checks: CheckedParts


class NotReady(ErrorBody):
    """Memory cannot be read or written now."""

    status: Literal["unavailable"]
    checks: CheckedParts


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
async def readyz(request: Request) -> Response:
    """Answer within a second how database, worker and disk stand; the header has the status, too.

    503 where memory cannot be read or written: the database does not answer, or the disk is full.
    A worker that has died, or little disk space, is `degraded`: requests are served.
    """
    readiness: Readiness = request.app.state.readiness
    checks = await readiness.check()
    problems = [_PROBLEMS[part] for part in (checks.database, checks.disk) if part in _PROBLEMS]
    code, headers = HTTPStatus.OK, {}
    if problems:
        code, headers = HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": "1"}
        detail = "; ".join(problems)
        body: Ready | NotReady = NotReady(
            error=code.phrase, detail=detail, status="unavailable", checks=checks
        )
    else:
        has_worker = checks.worker in {WorkerState.OK, WorkerState.ELSEWHERE}
        is_well = has_worker and checks.disk is DiskState.OK
        body = Ready(status="ready" if is_well else "degraded", checks=checks)
    headers[_STATUS_HEADER] = body.status
    return JSONResponse(body.model_dump(mode="json"), status_code=code, headers=headers)
