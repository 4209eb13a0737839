"""Whether the server is alive, and whether its database, worker and disk let it work."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Final, Literal, Self

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse

from recollect.concurrency import in_daemon_thread
from recollect.errors import DatabaseUnavailable, MasterKeyMissing, RecollectError
from recollect.interfaces.http.errors import ErrorBody, log_unavailable
from recollect.interfaces.http.parameters import ANY_QUERY
from recollect.interfaces.worker import Heartbeat, WorkerState
from recollect.memory import Memory
from recollect.system import DiskState, disk_space

_DISK_SECONDS: Final = 0.5
_PART_SECONDS: Final = 30.0
"""How old the state of an archive or of keys may be: a look at a bucket is paid for."""
_LOOK_SECONDS: Final = 10.0
logger = logging.getLogger(__name__)
router = APIRouter(tags=["health"], dependencies=[ANY_QUERY])
_STATUS_HEADER = "X-Readiness"


class DatabaseState(StrEnum):
    """How the database stands."""

    OK = "ok"
    UNAVAILABLE = "unavailable"


class PartState(StrEnum):
    """How something stands that not every request needs."""

    OK = "ok"
    UNUSABLE = "unusable"
    UNKNOWN = "unknown"
    """It has not said so yet, or the database does not answer."""


class CheckedParts(BaseModel):
    """What was looked at."""

    database: DatabaseState
    worker: WorkerState
    disk: DiskState
    archive: PartState | None = Field(
        default=None, description="Of expired sessions; left out without `MEMORY_ARCHIVE`."
    )
    encryption: PartState | None = Field(
        default=None,
        description="Whether the master keys open what is stored; left out without "
        "`MEMORY_ENCRYPTION_KEY`, unless others encrypt what they store.",
    )


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


class Part:
    """Looks at something that may take long, every half minute at most, and one look at a time."""

    def __init__(
        self, event: str, look: Callable[[], Awaitable[None]], *, is_in_database: bool = False
    ) -> None:
        """`event` is logged with the problem when it becomes unusable.

        What is in the database is not unusable because that does not answer in time.
        """
        self._event = event
        self._is_in_database = is_in_database
        self._look = look
        self._looking: asyncio.Task[None] | None = None
        self._looked_at = 0.0
        self._state = PartState.UNKNOWN

    async def state(self) -> PartState:
        """How it stood at the last look; a new one is waited for, but not longer than a moment."""
        now = time.monotonic()
        if self._looking is None or (
            self._looking.done() and now - self._looked_at >= _PART_SECONDS
        ):
            self._looking, self._looked_at = asyncio.create_task(self._look_again()), now
        await asyncio.wait([self._looking], timeout=_DISK_SECONDS)
        return self._state

    async def _look_again(self) -> None:
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                await self._look()
            self._state = PartState.OK
        except DatabaseUnavailable:
            self._state = PartState.UNKNOWN
        except RecollectError as error:
            self._note_problem(error.explanation)
        except TimeoutError:
            if self._is_in_database:
                self._state = PartState.UNKNOWN
            else:
                self._note_problem("it does not answer")

    def _note_problem(self, problem: str) -> None:
        if self._state is not PartState.UNUSABLE:
            logger.warning(self._event, extra={"facts": {"problem": problem}})
        self._state = PartState.UNUSABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """Looks at everything at once, and takes less than a second whatever hangs."""

    memory: Memory
    pulse: Heartbeat | None
    """The sign of life of this server's worker; None: it has none of its own."""
    disk: Disk | None
    """The disk of the embedded database; None: the database is elsewhere."""
    archive: Part | None
    """None: there is none."""
    encryption: Part | None
    """None: the engine encrypts nothing."""

    @classmethod
    def of(cls, memory: Memory, *, pulse: Heartbeat | None, home: Path | None) -> Self:
        """What a server looks at whose embedded database is in that folder, if it has one."""
        archive, check_keys = memory.services.archive, memory.services.check_keys
        return cls(
            memory=memory,
            pulse=pulse,
            disk=None if home is None else Disk(home),
            archive=None if archive is None else Part("archive.unavailable", archive.store.check),
            encryption=None
            if check_keys is None
            else Part("encryption.no_master_key", check_keys, is_in_database=True),
        )

    async def check(self) -> CheckedParts:
        """How everything stands now."""
        database, disk, archive, encryption = await asyncio.gather(
            self._database(), self._disk(), _state(self.archive), _state(self.encryption)
        )
        if not self.encrypts and encryption is not PartState.UNUSABLE:
            encryption = None
        worker = WorkerState.ELSEWHERE if self.pulse is None else self.pulse.state
        return CheckedParts(
            database=database, worker=worker, disk=disk, archive=archive, encryption=encryption
        )

    @property
    def encrypts(self) -> bool:
        """Whether this server has a master key."""
        return self.memory.services.encryption is not None

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


async def _state(part: Part | None) -> PartState | None:
    return None if part is None else await part.state()


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

    503 where memory cannot be read or written: the database does not answer, the disk is full, or
    this server has no master key and others encrypt what they store.
    A worker that has died, little disk space, an archive that cannot be used, or a master key that
    is missing, is `degraded`: requests are served. The last two are looked at each half minute.
    """
    readiness: Readiness = request.app.state.readiness
    checks = await readiness.check()
    problems = [_PROBLEMS[part] for part in (checks.database, checks.disk) if part in _PROBLEMS]
    if checks.encryption is PartState.UNUSABLE and not readiness.encrypts:
        problems.append(str(MasterKeyMissing()))
    code, headers = HTTPStatus.OK, {}
    if problems:
        code, headers = HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": "1"}
        detail = "; ".join(problems)
        body: Ready | NotReady = NotReady(
            error=code.phrase, detail=detail, status="unavailable", checks=checks
        )
    else:
        has_worker = checks.worker in {WorkerState.OK, WorkerState.ELSEWHERE}
        parts = {checks.archive, checks.encryption}
        is_well = has_worker and checks.disk is DiskState.OK and parts <= {PartState.OK, None}
        body = Ready(status="ready" if is_well else "degraded", checks=checks)
    headers[_STATUS_HEADER] = body.status
    content = body.model_dump(mode="json", exclude_none=True)
    return JSONResponse(content, status_code=code, headers=headers)
