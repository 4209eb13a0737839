"""Running the HTTP application until somebody stops it."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from types import FrameType

import uvicorn
import uvloop

from recollect.errors import ConfigurationError
from recollect.interfaces.http.app import create_app
from recollect.interfaces.worker import work_forever
from recollect.memory import Memory
from recollect.settings import Settings

_GRACE_SECONDS = 10
_BACKLOG = 2048


def run_server(settings: Settings) -> None:
    """Open the memory, serve it, and close it when the process is told to stop."""
    with _listen(settings.host, settings.port) as listener:
        uvloop.run(_serve(settings, listener))


def _listen(host: str, port: int) -> socket.socket:
    """Take the address first: whether it is free is known before anything is started."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise ConfigurationError(
            f"cannot listen on {host}:{port}: {reason}; "
            "choose another address with MEMORY_HOST or MEMORY_PORT"
        ) from error


async def _serve(settings: Settings, listener: socket.socket) -> None:
    async with Memory.open(settings) as memory:
        config = uvicorn.Config(
            create_app(memory, settings),
            http="httptools",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        sys.stderr.write(f"Recollect listens on http://{shown}:{port}\n")
        async with _background_work(memory, settings), _preparation(memory):
            await _Server(config).serve([listener])


@asynccontextmanager
async def _preparation(memory: Memory) -> AsyncIterator[None]:
    """Load the follow-up rules meanwhile, so that no caller waits for it."""
    task = asyncio.create_task(memory.services.rewriting.prepare())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def _background_work(memory: Memory, settings: Settings) -> AsyncIterator[None]:
    """Work on jobs meanwhile, unless workers of their own do."""
    if not settings.worker:
        yield
        return
    every = timedelta(hours=settings.cleanup_interval_hours)
    task = asyncio.create_task(work_forever(memory.services, cleanup_every=every))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class _Server(uvicorn.Server):
    """A server that lets the memory close behind it."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  # uvicorn's signature
        """Stop serving; uvicorn would raise the signal again and end the process there and then."""
        self.force_exit = self.should_exit
        self.should_exit = True
