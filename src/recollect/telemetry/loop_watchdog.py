"""A thread that notices when the event loop is blocked, and logs by what."""

import asyncio
import logging
import os
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import closing, contextmanager
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from recollect.ports.metrics import LOOP_HELD
from recollect.ports.telemetry import Telemetry

current_route: Final[ContextVar[Callable[[], str]]] = ContextVar("current_route")
"""Returns the route of the request being served, once it is known; set by the middleware."""
BACKGROUND: Final = "background"
"""The route of work that belongs to no request."""
Result = TypeVar("Result")
LOOP_HELD_EVENT: Final = "loop.held"
"""The event that is logged."""
LOOP_HOLDING: Final = "loop.holding"
"""The event of a hold that lasts longer than a second; logged once."""
SEVERAL: Final = "several"
"""The route where many requests together kept the loop busy, and none alone."""
THREAD: Final = "thread"
"""The route where a thread kept Python's interpreter lock, and no task the loop."""
_UNKNOWN: Final = "unknown"
_OUR_CODE: Final = "recollect."
_SERVICES: Final = "recollect.services."
_NOT_WORKING: Final = ("recollect.concurrency", "recollect.telemetry.loop_watchdog")
"""Modules that only call the code that works, and the watchdog itself."""
_OWN_SHARE: Final = 0.5
"""Of a hold, the part that the loop's thread must have worked itself to be blamed for it."""
_BEATS_A_LIMIT: Final = 2
_LONG_SECONDS: Final = 1.0
_NANOSECONDS: Final = 1_000_000_000
logger = logging.getLogger(__name__)


class TaskContexts:
    """Stores the context of every task; before Python 3.12 tasks have no method for it."""

    def __init__(self) -> None:
        self._contexts: WeakKeyDictionary[asyncio.Task[Any], Context] = WeakKeyDictionary()

    def create_task(
        self,
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, Result] | Generator[Any, None, Result],
        *,
        context: Context | None = None,
        **options: Any,  # noqa: ANN401  # what later Pythons add
    ) -> asyncio.Task[Result]:
        """A task factory: make a task as the loop itself does."""
        own = copy_context() if context is None else context
        task = asyncio.Task(work, loop=loop, context=own, **options)
        self._contexts[task] = own
        return task

    def route_of(self, task: "asyncio.Task[Any] | None") -> str:
        """The route of the request that a task works for."""
        context = None if task is None else self._contexts.get(task)
        route = None if context is None else context.get(current_route)
        return BACKGROUND if route is None else route()


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """What was seen on the event loop: names of code, never its data."""

    task: int
    route: str = _UNKNOWN
    stage: str = _UNKNOWN
    function: str = _UNKNOWN
    instruction: int = field(default=0, compare=False)
    """The position in the innermost function: it stays the same while a call waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Times:
    """The clocks of the loop's thread at one moment, in seconds."""

    now: float
    processor: float
    """How long the thread has worked."""
    waited: float
    """How long it has waited for a processor, which is no fault of the loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hold:
    """Between two beats: how much longer than usual, and what the loop's thread worked."""

    beat: int
    seconds: float
    processor_seconds: float


_NOBODY: Final = Holder(task=0)


_SOME_THREAD: Final = Holder(task=0, route=THREAD)


class _Clocks:
    """The clocks of the thread that makes it."""

    def __init__(self) -> None:
        try:
            self._statistics = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        except OSError:  # elsewhere than on Linux nobody can tell
            self._statistics = -1

    def read(self) -> _Times:
        now = time.monotonic()
        if self._statistics < 0:
            return _Times(now=now, processor=time.thread_time(), waited=0)
        worked, waited = os.pread(self._statistics, 100, 0).split()[:2]  # a tick old at most
        return _Times(
            now=now, processor=int(worked) / _NANOSECONDS, waited=int(waited) / _NANOSECONDS
        )

    def close(self) -> None:
        if self._statistics >= 0:
            os.close(self._statistics)


class LoopWatchdog:
    """Logs and counts every hold of the running event loop that is longer than the limit."""

    def __init__(self, *, limit_seconds: float, telemetry: Telemetry) -> None:
        self._limit = limit_seconds
        self._pause = limit_seconds / _BEATS_A_LIMIT
        self._telemetry = telemetry
        self._contexts = TaskContexts()
        self._holds: deque[_Hold] = deque()
        self._seen: dict[int, list[Holder]] = {}
        self._stopped = threading.Event()
        self._beat = 0
        self._beat_at = 0.0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the running loop, from its own thread, until the end of the block."""
        loop = asyncio.get_running_loop()
        factory = loop.get_task_factory()
        loop.set_task_factory(self._contexts.create_task)
        self._beat_at = time.monotonic()
        beating = loop.create_task(self._keep_beating())
        watch = threading.Thread(
            target=self._watch, args=(loop, threading.get_ident()), name="watchdog", daemon=True
        )
        watch.start()
        try:
            yield
        finally:
            self._stopped.set()
            beating.cancel()
            loop.set_task_factory(factory)
            watch.join()

    async def _keep_beating(self) -> None:
        with closing(_Clocks()) as clocks:
            before = clocks.read()
            while True:
                await asyncio.sleep(self._pause)
                after = clocks.read()
                over = after.now - before.now - self._pause - (after.waited - before.waited)
                if over > self._limit:
                    worked = after.processor - before.processor
                    self._holds.append(
                        _Hold(beat=self._beat, seconds=over, processor_seconds=worked)
                    )
                self._beat += 1
                self._beat_at, before = after.now, after

    def _watch(self, loop: asyncio.AbstractEventLoop, thread: int) -> None:
        """Look at the loop's thread while a beat is late, and report when it has come."""
        is_over, woken = False, time.monotonic()
        while not is_over:
            is_over = self._stopped.wait(self._pause)
            slept, woken = time.monotonic() - woken, time.monotonic()
            beat, late = self._beat, woken - self._beat_at - self._pause
            if slept > self._limit and self._holds and not self._seen.get(self._holds[-1].beat):
                # A thread that kept Python's interpreter lock kept this one from looking, too.
                self._seen[self._holds[-1].beat] = [self._holder(loop, thread)]
            elif late > self._limit / 2 and not is_over:
                seen = self._seen.setdefault(beat, [])
                was_short = len(seen) * self._pause < _LONG_SECONDS
                seen.append(self._holder(loop, thread))
                if was_short and len(seen) * self._pause >= _LONG_SECONDS:
                    _log(LOOP_HOLDING, _main(seen), seconds=late)
            while self._holds:
                self._report(self._holds.popleft())
            for old in [known for known in self._seen if known < self._beat]:
                del self._seen[old]

    def _holder(self, loop: asyncio.AbstractEventLoop, thread: int) -> Holder:
        """What runs on the loop; if nothing does, which of our threads works."""
        task, frames = asyncio.current_task(loop), sys._current_frames()  # noqa: SLF001  # documented
        frame = frames.pop(thread, None)
        names = list(_code_names(frame))
        if task is not None:
            holder = _holder(names, task=id(task), route=self._contexts.route_of(task))
            return replace(
                holder, instruction=0 if frame is None else hash((id(frame), frame.f_lasti))
            )
        frames.pop(threading.get_ident(), None)
        others = [list(_code_names(frame)) for frame in frames.values()]
        busy = [other for other in others if any(map(_is_ours, other))]
        if busy:
            return _holder(busy[0], task=0, route=THREAD)
        return _holder(names, task=0, route=self._contexts.route_of(None))

    def _is_waiting(self, seen: list[Holder], hold: _Hold) -> bool:
        """Whether one task waited on the loop, for a file or an address, all the while.

        Then this thread could look as often as it wanted, for nobody kept the interpreter lock,
        and saw the same instruction every time.
        """
        looked_seconds = len(seen) * self._pause
        is_one_instruction = len({one.instruction for one in seen}) == 1
        is_task = all(one.task for one in seen)
        return is_task and is_one_instruction and looked_seconds >= _OWN_SHARE * hold.seconds

    def _report(self, hold: _Hold) -> None:
        """Warn of a task that worked or waited on the loop; log other holds as information.

        In the other cases the task on the loop has done nothing: a thread kept the interpreter
        lock, as while models are loaded, or the machine was busy.
        """
        seen = self._seen.get(hold.beat, [])
        is_own = hold.processor_seconds >= _OWN_SHARE * hold.seconds or self._is_waiting(seen, hold)
        holder = _main([one for one in seen if is_own or one.route == THREAD])
        if not is_own and holder is _NOBODY:
            holder = _SOME_THREAD
        self._telemetry.count(LOOP_HELD, holder.route, holder.stage)
        level = logging.WARNING if is_own else logging.INFO
        worked = hold.processor_seconds
        _log(LOOP_HELD_EVENT, holder, level=level, seconds=hold.seconds, processor_seconds=worked)


def _main(seen: list[Holder]) -> Holder:
    """The holder that was seen most often."""
    if not seen:
        return _NOBODY
    ((task, times),) = Counter(holder.task for holder in seen).most_common(1)
    if times * 2 <= len(seen) > 1:
        return Holder(task=0, route=SEVERAL, stage=SEVERAL, function=seen[-1].function)
    return Counter(holder for holder in seen if holder.task == task).most_common(1)[0][0]


def _holder(names: list[str], *, task: int, route: str) -> Holder:
    ours = list(filter(_is_ours, names))
    modules = [name.partition(":")[0] for name in ours if name.startswith(_SERVICES)]
    services = [module.rpartition(".")[2] for module in modules]
    function = next(iter(ours or names), _UNKNOWN)
    return Holder(
        task=task,
        route=route,
        stage=next(iter(services), function.removeprefix(_OUR_CODE)).partition(":")[0],
        function=function.replace(":", "."),
    )


def _is_ours(name: str) -> bool:
    return name.startswith(_OUR_CODE) and not name.startswith(_NOT_WORKING)


def _code_names(frame: FrameType | None) -> Iterator[str]:
    """The functions that a thread is in as `module:function`, innermost first."""
    while frame is not None:
        yield f"{frame.f_globals.get('__name__', '')}:{frame.f_code.co_qualname}"
        frame = frame.f_back


def _log(event: str, holder: Holder, *, level: int = logging.WARNING, **seconds: float) -> None:
    times = {
        name.replace("seconds", "milliseconds"): round(value * 1000)
        for name, value in seconds.items()
    }
    facts = {
        "route": holder.route,
        "stage": holder.stage,
        "function": holder.function,
        **times,
    }
    logger.log(level, event, extra={"facts": facts})
