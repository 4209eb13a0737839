"""An embedded server for as long as it is needed, brought back whenever it dies."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from recollect.engines.postgres.embedded.server import EmbeddedServer
from recollect.errors import EmbeddedServerFailed
from recollect.supervision import TaskSupervisor

_CHECK_SECONDS = 0.5
_PATIENT_SECONDS = 30.0
_NICEST = 19

Result = TypeVar("Result")

logger = logging.getLogger(__name__)


class _Threads:
    """Threads of its own, so that nobody else's work can keep the server from being stopped."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="embedded-postgres")

    def run(self, work: Callable[[], Result]) -> asyncio.Future[Result]:
        return asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        self._pool.shutdown(wait=False)


@asynccontextmanager
async def running_server(home: Path) -> AsyncIterator[str]:
    """The administrator's connection string of a server that runs until the block ends."""
    server, threads = EmbeddedServer(home), _Threads()
    try:
        dsn = await _started(server, threads)
        keeping = TaskSupervisor().run("embedded.keeper", partial(_keep_running, server, threads))
        keeper = asyncio.create_task(keeping)
        try:
            yield dsn
        finally:
            keeper.cancel()
            with suppress(asyncio.CancelledError):
                await keeper
            await threads.run(server.stop)
    finally:
        threads.close()


async def _started(server: EmbeddedServer, threads: _Threads) -> str:
    """Start a server; if that is no longer wanted meanwhile, it is stopped once it runs."""
    starting = threads.run(server.start)
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(EmbeddedServerFailed):
            await starting
            await threads.run(server.stop)
        raise


async def _keep_running(server: EmbeddedServer, threads: _Threads) -> None:
    while True:
        await asyncio.sleep(_CHECK_SECONDS)
        if await threads.run(server.is_running):
            continue
        if _has_stepped_back():  # what it starts would step back as well: others may do it
            await asyncio.sleep(_PATIENT_SECONDS)
            if await threads.run(server.is_running):
                continue
        logger.warning("embedded.died")
        try:
            await threads.run(server.ensure_running)
        except EmbeddedServerFailed as error:
            logger.exception("embedded.restart_failed", exc_info=error)


def _has_stepped_back() -> bool:
    """Whether this process works only when nobody else wants to."""
    is_idle = hasattr(os, "SCHED_IDLE") and os.sched_getscheduler(0) == os.SCHED_IDLE
    return is_idle or os.nice(0) >= _NICEST
