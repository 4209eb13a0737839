"""A server in a thread of its own whose event loop is measured, and requests that block it."""

import asyncio
import math
import threading
import time
from asyncio import events
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import uvicorn

from recollect.interfaces.http.app import create_app
from recollect.interfaces.http.serving.server import collect_seldom, watching_loop
from recollect.interfaces.worker import working_meanwhile
from recollect.memory import Memory
from recollect.ports.telemetry import Telemetry
from recollect.settings import Settings


@dataclass(slots=True)
class LoopTime:
    """CPU seconds of a loop's thread; that others keep the processors busy does not matter."""

    thread: int = 0
    longest: float = 0.0
    """The longest that one callback worked."""
    total: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, seconds: float) -> None:
        """Note one callback."""
        with self._lock:
            self.longest = max(self.longest, seconds)
            self.total += seconds

    def take(self) -> tuple[float, float]:
        """The longest and the total since it was taken last."""
        with self._lock:
            taken = self.longest, self.total
            self.longest = self.total = 0.0
        return taken


@contextmanager
def _measuring(loop_time: LoopTime) -> Iterator[None]:
    """Measure every callback that asyncio runs in the thread."""
    run = events.Handle._run

    def measured(handle: events.Handle) -> object:
        if threading.get_ident() != loop_time.thread:
            return run(handle)
        began = time.thread_time()
        try:
            return run(handle)
        finally:
            loop_time.add(time.thread_time() - began)

    events.Handle._run = measured  # type: ignore[method-assign]
    try:
        yield
    finally:
        events.Handle._run = run  # type: ignore[method-assign]


@dataclass(frozen=True, slots=True)
class MeasuredServer:
    """Where it listens, and what its loop has done."""

    url: str
    loop_time: LoopTime
    memory: Memory


@asynccontextmanager
async def measured_server(
    settings: Settings, *, counters: Telemetry | None = None
) -> AsyncIterator[MeasuredServer]:
    """Serve a memory as `recollect serve` does, in a thread, its loop watched as there."""
    started: asyncio.Future[MeasuredServer] = asyncio.get_running_loop().create_future()
    own, stop = asyncio.get_running_loop(), threading.Event()
    loop_time = LoopTime()

    async def serve() -> None:
        loop_time.thread = threading.get_ident()
        async with Memory.open(settings) as memory:
            watching = watching_loop(counters or memory.services.telemetry, settings)
            await memory.warm()
            collect_seldom()
            app = create_app(memory, settings)
            config = uvicorn.Config(
                app,
                host="127.0.0.1",
                port=0,
                lifespan="off",
                log_config=None,
                access_log=False,
            )
            server = uvicorn.Server(config)
            with watching:
                await serve_until_stopped(memory, server)

    async def serve_until_stopped(memory: Memory, server: uvicorn.Server) -> None:
        serving = asyncio.create_task(server._serve())
        while not server.started:  # noqa: ASYNC110  # uvicorn tells it by this flag alone
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        ready = MeasuredServer(f"http://127.0.0.1:{port}", loop_time, memory)
        own.call_soon_threadsafe(started.set_result, ready)
        async with working_meanwhile(memory.services, settings):
            await asyncio.to_thread(stop.wait)
        server.should_exit = True
        await serving

    with _measuring(loop_time):
        thread = asyncio.ensure_future(asyncio.to_thread(asyncio.run, serve()))
        await asyncio.wait({thread, started}, return_when=asyncio.FIRST_COMPLETED)
        try:
            if thread.done():
                thread.result()
            yield await started
        finally:
            stop.set()
            await thread


_REFERENCE_SECONDS: Final = 0.08
"""CPU seconds that `_seconds_of_counting` takes on the machine the bounds were chosen on."""
BOUND: Final = 0.010
"""CPU seconds of that machine that a request may block the loop: one five times as slow keeps to
50 ms. Most requests take a quarter of it; of the same request one run takes twice as long as
another."""
_ATTEMPTS: Final = 6
"""Collecting garbage may hit any request once; what is slow is slow every time."""


def _slowness() -> float:
    """Return how many times slower this machine is now than that of the bounds; at least 1."""
    return max(1.0, _seconds_of_counting() / _REFERENCE_SECONDS)


def _seconds_of_counting() -> float:
    began = time.thread_time()
    sum(number % 7 for number in range(1_000_000))
    return time.thread_time() - began


_slowness_before = cache(_slowness)


async def longest_block(
    loop_time: LoopTime, send: Callable[[], Awaitable[object]], *, bound: float = BOUND
) -> tuple[float, float]:
    """Send a request, again if it blocks the loop for too long.

    Returns the least of what it blocked the loop, in seconds of the machine of the bounds, and what
    the loop worked in all. A neighbour on the same core makes a machine slower for a while, so
    its speed is measured again before a request is called slow.
    """
    least, total = math.inf, 0.0
    for attempt in range(_ATTEMPTS):
        loop_time.take()
        await send()
        longest, total = loop_time.take()
        least = min(least, longest / (_slowness() if attempt else _slowness_before()))
        if least <= bound:
            break
    return least, total


async def slow_requests(
    loop_time: LoopTime,
    requests: Iterable[tuple[str, Callable[[], Awaitable[object]]]],
    *,
    bound: float = BOUND,
) -> dict[str, float]:
    """Return the requests that block the loop for too long in every attempt, in milliseconds."""
    slow: dict[str, float] = {}
    for name, send in requests:
        longest, _ = await longest_block(loop_time, send, bound=bound)
        if longest > bound:
            slow[name] = round(longest * 1000, 1)
    return slow
