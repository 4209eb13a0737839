"""Running the HTTP application until somebody stops it."""

import asyncio
import logging
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from types import FrameType

import uvicorn
import uvloop

from recollect.errors import ConfigurationError, RecollectError
from recollect.interfaces.http.app import create_app
from recollect.interfaces.worker import working_meanwhile
from recollect.memory import Memory
from recollect.settings import Settings

_GRACE_SECONDS = 10
_BACKLOG = 2048
_TURN_SECONDS = 0.0005

logger = logging.getLogger(__name__)


def run_server(settings: Settings) -> None:
    """Open the memory, serve it, and close it when the process is told to stop."""
    # Threads that embed take turns with the one that serves: as Python has it, each waits for the
    # other for 5 ms at a time, and half the server's time is lost.
    sys.setswitchinterval(_TURN_SECONDS)
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
        async with working_meanwhile(memory.services, settings), _warming(memory):
            await _Server(config).serve([listener])


@asynccontextmanager
async def _warming(memory: Memory) -> AsyncIterator[None]:
    """Get ready while requests are answered already."""
    task = asyncio.create_task(_warm(memory))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _warm(memory: Memory) -> None:
    try:
        await memory.warm()
    except RecollectError as error:
        logger.warning("warming.failed", extra={"facts": {"problem": str(error)}})


class _Server(uvicorn.Server):
    """A server that lets the memory close behind it."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  # uvicorn's signature
        """Stop serving; uvicorn would raise the signal again and end the process there and then."""
        self.force_exit = self.should_exit
        self.should_exit = True
