"""Running the HTTP application until somebody stops it."""

import asyncio
import ctypes
import gc
import logging
import os
import signal
import socket
import sys
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn

from recollect.concurrency import TaskSupervisor, running_beside
from recollect.errors import RecollectError
from recollect.instrumentation import MetricBlocks, open_telemetry
from recollect.interfaces.http.app import create_app
from recollect.interfaces.http.routes.health import Readiness
from recollect.interfaces.http.serving.connection import HttpConnection
from recollect.interfaces.http.serving.connection_registry import ConnectionRegistry
from recollect.interfaces.http.serving.handover import Handover, Peers
from recollect.interfaces.http.serving.listener import address_of, allow_open_files, listening
from recollect.interfaces.http.serving.metrics_server import (
    SilentServer,
    metrics_listener,
    observed,
)
from recollect.interfaces.processes import (
    ProcessSupervisor,
    ProcessTask,
    Ready,
    on_stop_signal,
    run_until_stopped,
)
from recollect.interfaces.worker import Heartbeat, work_alone, working_meanwhile
from recollect.memory import Memory
from recollect.ports.telemetry import Telemetry
from recollect.settings import Settings
from recollect.settings.server import ServerSettings
from recollect.telemetry.logging import configure_logging
from recollect.telemetry.loop_watchdog import LoopWatchdog
from recollect.telemetry.segments import SMALL_BLOCK_BYTES, Block, new_block

_GRACE_SECONDS = 10
_COLLECT_AFTER_OBJECTS = 2_000
_LOWEST_PRIORITY = 19

logger = logging.getLogger(__name__)


def run_server(settings: Settings) -> None:
    """Open the memory, serve it, and close it when the process is told to stop."""
    allow_open_files()
    listeners = listening(settings.host, settings.port, processes=settings.processes)
    scraped = metrics_listener(settings)
    with ExitStack() as stack:
        for listener in (*listeners, *([scraped] if scraped else [])):
            stack.enter_context(listener)
        address = address_of(listeners[0])
        ready = partial(sys.stderr.write, f"Recollect listens on {address}\n")
        pulse = Heartbeat() if settings.worker else None
        blocks = _metric_blocks(settings)
        if settings.processes == 1:
            serving = Serving(
                settings=settings,
                listener=listeners[0],
                scraped=scraped,
                pulse=pulse,
                shared=MetricBlocks(blocks=blocks) if blocks else None,
            )
            run_until_stopped(_serve(serving, ready))
            return
        peers = Peers.new(settings.processes)
        stack.callback(peers.close)
        tasks = [
            ProcessTask(
                name="serving",
                on_death=partial(peers.leave, number),
                run=partial(
                    _serve_beside,
                    Serving(
                        settings=settings,
                        listener=listener,
                        scraped=scraped,
                        pulse=pulse,
                        shared=MetricBlocks(blocks=blocks, own=number) if blocks else None,
                        number=number,
                        peers=peers,
                    ),
                ),
            )
            for number, listener in enumerate(listeners)
        ]
        if pulse is not None:
            own = len(blocks) - 1
            shared = MetricBlocks(blocks=blocks, own=own, process="worker") if blocks else None
            work = partial(_work_beside, settings, pulse, shared)
            # What it opens (an outside vector store, a model) must not keep requests waiting.
            tasks.append(
                ProcessTask(name="working", run=work, on_death=pulse.stop, is_awaited=False)
            )
        ProcessSupervisor(tasks).run(ready=ready, stopping=stack.close)


def _metric_blocks(settings: Settings) -> list[Block]:
    """Memory for the metrics of each process; none where nobody looks at them.

    The last one is that of the worker, which has a process of its own beside several others.
    """
    if not (settings.has_metrics or settings.dashboard):
        return []
    has_worker = settings.worker and settings.processes > 1
    make = new_block if settings.has_metrics else partial(new_block, SMALL_BLOCK_BYTES)
    return [make() for _ in range(settings.processes + has_worker)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What one process serves."""

    settings: Settings
    listener: socket.socket
    scraped: socket.socket | None = None
    """Where it answers scrapers; None: nowhere, or at its own port."""
    pulse: Heartbeat | None = None
    shared: MetricBlocks | None = None
    """The memory of the metrics of all processes; None: nothing is counted."""
    number: int = 0
    peers: Peers | None = None
    """The processes that serve the same; None: it is the only one."""

    def handover(self, telemetry: Telemetry) -> Handover | None:
        """How it shares connections with others, if there are any."""
        if self.peers is None:
            return None
        return Handover(self.number, self.peers, telemetry)


def _serve_beside(serving: Serving, ready: Ready) -> None:
    """Serve in one process of several; another does the background work."""
    settings = serving.settings
    configure_logging(level=settings.log_level, as_json=settings.wants_json_logs)
    without_worker = settings.model_copy(update={"worker": False})
    run_until_stopped(_serve(replace(serving, settings=without_worker), ready))


def _work_beside(
    settings: Settings, pulse: Heartbeat, shared: MetricBlocks | None, ready: Ready
) -> None:
    """Do the background work in a process of its own, with the lowest priority once it has begun.

    It may then not run for a long time, so it must hold nothing that the others wait for.
    """

    def begin() -> None:
        _take_lowest_priority()
        ready()

    configure_logging(level=settings.log_level, as_json=settings.wants_json_logs)
    run_until_stopped(work_alone(settings, ready=begin, pulse=pulse, shared=shared))


def _take_lowest_priority() -> None:
    """Let every thread of this process run only when nobody else wants to."""
    try:
        for thread in Path("/proc/self/task").iterdir():
            os.sched_setscheduler(int(thread.name), os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError):  # not on Linux, or not permitted
        os.nice(_LOWEST_PRIORITY)


async def _serve(serving: Serving, ready: Ready) -> None:
    settings, pulse = serving.settings, serving.pulse
    async with (
        open_telemetry(settings, serving.shared) as telemetry,
        Memory.open(settings, telemetry=telemetry) as memory,
    ):
        handover = serving.handover(memory.services.telemetry)
        app = create_app(
            memory, settings, pulse=pulse, note_load=handover.note_load if handover else None
        )
        config = uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        server = _Server(config, settings, handover)
        on_stop_signal(server.stop, signal.SIGINT, signal.SIGTERM)
        working = working_meanwhile(memory.services, settings, pulse=pulse)
        supervisor = TaskSupervisor(memory.services.telemetry)
        warming = supervisor.run(
            "warming", partial(_warm, memory, app.state.readiness), is_endless=False
        )
        with watching_loop(memory.services.telemetry, settings):
            observing = observed(memory, settings, serving.scraped, process="server")
            async with working, running_beside(warming), observing:
                collect_seldom()
                ready()
                await server.serve([serving.listener])


def watching_loop(telemetry: Telemetry, settings: Settings) -> AbstractContextManager[None]:
    """Log what blocks the running event loop, unless MEMORY_LOOP_HELD_MILLISECONDS is 0."""
    limit = settings.loop_held_milliseconds / 1000
    if not limit:
        return nullcontext()
    return LoopWatchdog(limit_seconds=limit, telemetry=telemetry).watching()


def collect_seldom() -> None:
    """Run Python's cyclic garbage collector less often, and not on objects that exist already.

    There are few cycles, and a turn makes thousands of objects: the collector took a tenth of its
    time. Still often enough that nobody waits for it: after 20,000 objects it took 20 ms, and each
    tenth time, when it goes through those of the nine before as well, 100 ms.
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


async def _warm(memory: Memory, readiness: Readiness) -> None:
    """Log what cannot be used, and load the models, while requests are answered already."""
    await memory.services.rewriting.prepare_languages()  # the first question reads its own
    await readiness.check()
    try:
        await memory.warm()
    except RecollectError as error:
        logger.warning("warming.failed", extra={"facts": {"problem": str(error)}})
    await asyncio.to_thread(return_free_memory)


class _Server(SilentServer):
    """A uvicorn server with limits on connections, which leaves signals to us."""

    def __init__(
        self,
        config: uvicorn.Config,
        limits: ServerSettings,
        handover: Handover | None = None,
    ) -> None:
        super().__init__(config)
        self._registry = ConnectionRegistry(limits, asyncio.get_running_loop().time)
        self._handover = handover
        config.load()
        config.http_protocol_class = self._connection = partial(  # type: ignore[assignment]  # makes one
            HttpConnection, registry=self._registry, handover=handover
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections, and take over those that other processes send."""
        await super().startup(sockets)
        if self._handover is not None:
            self._handover.open(self._take)

    def _take(self, connection: socket.socket, received: bytes) -> "asyncio.Task[Any]":
        """Serve a connection that another process had."""
        loop = asyncio.get_running_loop()
        protocol = partial(
            self._connection,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
            received=received,
        )
        return loop.create_task(loop.connect_accepted_socket(protocol, connection))

    async def on_tick(self, counter: int) -> bool:
        """End connections whose time is over."""
        self._registry.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and end those there are."""
        self._registry.is_shutting_down = True
        if self._handover is not None:
            self._handover.leave()
        await super().shutdown(sockets)
        if self._handover is not None:
            self._handover.close()

    def stop(self) -> None:
        """Stop serving; at the second call without waiting for requests."""
        self.force_exit = self.should_exit
        self.should_exit = True
