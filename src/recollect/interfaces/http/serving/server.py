"""Running the HTTP application until somebody stops it."""

import asyncio
import ctypes
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial

import uvicorn

from recollect.concurrency import TaskSupervisor, running_beside
from recollect.errors import RecollectError
from recollect.interfaces.http.app import create_app, prepare
from recollect.interfaces.http.serving.connection import HttpConnection
from recollect.interfaces.http.serving.connection_registry import ConnectionRegistry
from recollect.interfaces.http.serving.listener import address_of, allow_open_files, listening
from recollect.interfaces.processes import (
    ProcessSupervisor,
    ProcessTask,
    Ready,
    on_stop_signal,
    run_until_stopped,
)
from recollect.interfaces.worker import Heartbeat, work_alone, working_meanwhile
from recollect.memory import Memory
from recollect.ports.runtime import Counters
from recollect.settings import Settings
from recollect.settings.server import ServerSettings
from recollect.telemetry.logging import configure_logging
from recollect.telemetry.loop_watchdog import LoopWatchdog

_GRACE_SECONDS = 10
_COLLECT_AFTER_OBJECTS = 20_000
_LOWEST_PRIORITY = 19

logger = logging.getLogger(__name__)


def run_server(settings: Settings) -> None:
    """Open the memory, serve it, and close it when the process is told to stop."""
    allow_open_files()
    listeners = listening(settings.host, settings.port, processes=settings.processes)
    with ExitStack() as stack:
        for listener in listeners:
            stack.enter_context(listener)
        address = address_of(listeners[0])
        ready = partial(sys.stderr.write, f"Recollect listens on {address}\n")
        pulse = Heartbeat() if settings.worker else None
        if settings.processes == 1:
            run_until_stopped(_serve(settings, listeners[0], pulse, ready))
            return
        tasks = [
            ProcessTask(name="serving", run=partial(_serve_beside, settings, listener, pulse))
            for listener in listeners
        ]
        if pulse is not None:
            work = partial(_work_beside, settings, pulse)
            tasks.append(ProcessTask(name="working", run=work, on_death=pulse.stop))
        ProcessSupervisor(tasks).run(ready=ready, stopping=stack.close)


def _serve_beside(
    settings: Settings, listener: socket.socket, pulse: Heartbeat | None, ready: Ready
) -> None:
    """Serve in one process of several; another does the background work."""
    configure_logging(level=settings.log_level, as_json=settings.wants_json_logs)
    without_worker = settings.model_copy(update={"worker": False})
    run_until_stopped(_serve(without_worker, listener, pulse, ready))


def _work_beside(settings: Settings, pulse: Heartbeat, ready: Ready) -> None:
    """Do the background work in a process of its own, with the lowest priority.

    It may not run for a long time, so it must hold nothing that the others wait for.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError):  # not on Linux, or not permitted
        os.nice(_LOWEST_PRIORITY)
    configure_logging(level=settings.log_level, as_json=settings.wants_json_logs)
    run_until_stopped(work_alone(settings, ready=ready, pulse=pulse))


async def _serve(
    settings: Settings, listener: socket.socket, pulse: Heartbeat | None, ready: Ready
) -> None:
    async with Memory.open(settings) as memory:
        app = create_app(memory, settings, pulse=pulse)
        prepare(app)
        config = uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        server = _Server(config, settings)
        on_stop_signal(server.stop, signal.SIGINT, signal.SIGTERM)
        working = working_meanwhile(memory.services, settings, pulse=pulse)
        supervisor = TaskSupervisor(memory.services.counters)
        warming = supervisor.run("warming", partial(_warm, memory), is_endless=False)
        with watching_loop(memory.services.counters, settings):
            async with working, running_beside(warming):
                collect_seldom()
                ready()
                await server.serve([listener])


def watching_loop(counters: Counters, settings: Settings) -> AbstractContextManager[None]:
    """Log what blocks the running event loop, unless MEMORY_LOOP_HELD_MILLISECONDS is 0."""
    limit = settings.loop_held_milliseconds / 1000
    if not limit:
        return nullcontext()
    return LoopWatchdog(limit_seconds=limit, counters=counters).watching()


def collect_seldom() -> None:
    """Run Python's cyclic garbage collector less often, and not on objects that exist already.

    There are few cycles, and a turn makes thousands of objects: the collector took a tenth of its
    time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER_OBJECTS, *gc.get_threshold()[1:])


def return_free_memory() -> None:
    """Return memory that is free again to the system, if the C library can do that.

    Loading models leaves 55 MB that glibc keeps for later.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)


async def _warm(memory: Memory) -> None:
    """Load the models while requests are answered already."""
    try:
        await memory.warm()
    except RecollectError as error:
        logger.warning("warming.failed", extra={"facts": {"problem": str(error)}})
    await asyncio.to_thread(return_free_memory)


class _Server(uvicorn.Server):
    """A uvicorn server with limits on connections, which leaves signals to us."""

    def __init__(self, config: uvicorn.Config, limits: ServerSettings) -> None:
        super().__init__(config)
        self._registry = ConnectionRegistry(limits, asyncio.get_running_loop().time)
        config.load()
        config.http_protocol_class = partial(HttpConnection, registry=self._registry)  # type: ignore[assignment]  # makes one

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave signals alone: our handlers limit how long stopping may take."""
        yield

    async def on_tick(self, counter: int) -> bool:
        """End connections whose time is over."""
        self._registry.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and end those there are."""
        self._registry.is_shutting_down = True
        await super().shutdown(sockets)

    def stop(self) -> None:
        """Stop serving; at the second call without waiting for requests."""
        self.force_exit = self.should_exit
        self.should_exit = True
