"""An embedded server for as long as it is needed, brought back whenever it dies."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from recollect.engines.postgres.embedded.server import EmbeddedServer
from recollect.errors import EmbeddedServerFailed

_CHECK_SECONDS = 0.5
_PATIENT_SECONDS = 30.0
_NICEST = 19

logger = logging.getLogger(__name__)


@asynccontextmanager
async def running_server(home: Path) -> AsyncIterator[str]:
    """The administrator's connection string of a server that runs until the block ends."""
    server = EmbeddedServer(home)
    dsn = await _started(server)
    keeper = asyncio.create_task(_keep_running(server))
    try:
        yield dsn
    finally:
        keeper.cancel()
        with suppress(asyncio.CancelledError):
            await keeper
        await asyncio.to_thread(server.stop)


async def _started(server: EmbeddedServer) -> str:
    """Start a server; if that is no longer wanted meanwhile, it is stopped once it runs."""
    starting = asyncio.ensure_future(asyncio.to_thread(server.start))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(EmbeddedServerFailed):
            await starting
            await asyncio.to_thread(server.stop)
        raise


async def _keep_running(server: EmbeddedServer) -> None:
    while True:
        await asyncio.sleep(_CHECK_SECONDS)
        if await asyncio.to_thread(server.is_running):
            continue
        if _has_stepped_back():  # what it starts would step back as well: others may do it
            await asyncio.sleep(_PATIENT_SECONDS)
            if await asyncio.to_thread(server.is_running):
                continue
        logger.warning("embedded.died")
        try:
            await asyncio.to_thread(server.ensure_running)
        except EmbeddedServerFailed as error:
            logger.exception("embedded.restart_failed", exc_info=error)


def _has_stepped_back() -> bool:
    """Whether this process works only when nobody else wants to."""
    is_idle = hasattr(os, "SCHED_IDLE") and os.sched_getscheduler(0) == os.SCHED_IDLE
    return is_idle or os.nice(0) >= _NICEST
