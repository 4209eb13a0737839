"""Running the HTTP application until somebody stops it."""

import asyncio
import gc
import logging
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from types import FrameType

import uvicorn
import uvloop

from recollect.errors import ConfigurationError, RecollectError
from recollect.interfaces.http.app import create_app
from recollect.interfaces.http.crew import Crew, Ready
from recollect.interfaces.worker import work_forever, working_meanwhile
from recollect.memory import Memory
from recollect.settings import Settings
from recollect.telemetry.logging import configure_logging

_GRACE_SECONDS = 10
_BACKLOG = 2048
_TURN_SECONDS = 0.0005
_OBJECTS_BETWEEN_LOOKS = 20_000
_PATIENCE = 10

logger = logging.getLogger(__name__)


def run_server(settings: Settings) -> None:
    """Open the memory, serve it, and close it when the process is told to stop."""
    with _listen(settings.host, settings.port) as listener:
        ready = partial(_say_where, listener)
        if settings.processes == 1:
            _run(_serve(settings, listener, ready))
            return
        serving = [_serve_beside] * settings.processes
        working = [_work_beside] if settings.worker else []
        Crew(settings, listener).run(*serving, *working, ready=ready)


def _serve_beside(settings: Settings, listener: socket.socket, ready: Ready) -> None:
    """Serve in one process of several; another does the background work."""
    configure_logging(level=settings.log_level, as_json=settings.wants_json_logs)
    _run(_serve(settings.model_copy(update={"worker": False}), listener, ready))


def _work_beside(settings: Settings, listener: socket.socket, ready: Ready) -> None:
    """Do the background work in a process of its own, which steps back behind the others."""
    listener.close()
    os.nice(_PATIENCE)
    configure_logging(level=settings.log_level, as_json=settings.wants_json_logs)
    _run(_work(settings, ready))


def _run(work: Coroutine[object, object, None]) -> None:
    # Threads that embed take turns with the one that serves: as Python has it, each waits for the
    # other for 5 ms at a time, and half the server's time is lost.
    sys.setswitchinterval(_TURN_SECONDS)
    uvloop.run(work)


def _say_where(listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"Recollect listens on http://{shown}:{port}\n")


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


async def _serve(settings: Settings, listener: socket.socket, ready: Ready) -> None:
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
        server = _Server(config)
        _when_alone(server.stop)
        async with working_meanwhile(memory.services, settings), _warming(memory):
            _collect_seldom()
            ready()
            await server.serve([listener])


async def _work(settings: Settings, ready: Ready) -> None:
    every = timedelta(hours=settings.cleanup_interval_hours)
    async with Memory.open(settings) as memory:
        working = asyncio.create_task(work_forever(memory.services, cleanup_every=every))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, working.cancel)
        _when_alone(working.cancel)
        ready()
        with suppress(asyncio.CancelledError):
            await working


def _when_alone(stop: Callable[[], object]) -> None:
    """Stop when the process that started this one is gone, if one did."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        loop = asyncio.get_running_loop()
        loop.add_reader(parent.sentinel, lambda: (loop.remove_reader(parent.sentinel), stop()))


def _collect_seldom() -> None:
    """Look less often for garbage that refers to itself, and not among what is there already.

    There is little of it, and a turn makes thousands of objects: looking took a tenth of its time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS, *gc.get_threshold()[1:])


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
        self.stop()

    def stop(self) -> None:
        """Stop serving; when asked again, without waiting for anybody."""
        self.force_exit = self.should_exit
        self.should_exit = True
