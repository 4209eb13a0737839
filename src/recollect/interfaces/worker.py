"""The background work, and the heartbeat by which other processes see that it goes on."""

import asyncio
import logging
import multiprocessing
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from ctypes import c_double
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Final

from recollect.errors import Unavailable
from recollect.memory import Memory
from recollect.services.recall.indexing import Indexing, Reindexing
from recollect.services.recall.outside_index import Removals
from recollect.services.recall.reconciling import Reconciling
from recollect.services.services import Services
from recollect.settings import Settings
from recollect.supervision import TaskSupervisor

_BEAT_SECONDS: Final = 1.0
_SILENT_SECONDS: Final = 60.0
"""The worker steps back behind those who serve: it may be late on a busy machine."""
_DEAD: Final = float("-inf")
_IDLE_SECONDS: Final = 1.0
_GATHERING_SECONDS: Final = 1.0
"""Between rounds of work: what a conversation adds meanwhile is then done together."""
_GATHERING_MEANWHILE_SECONDS: Final = 0.1
"""Beside those who ask, in the same process: little at a time keeps nobody waiting for long."""
_FIRST_WAIT_SECONDS: Final = 0.5
_LONGEST_WAIT_SECONDS: Final = 5.0
_REINDEXED_PER_SECOND: Final = 50
"""So that a new model leaves the machine to those who talk; `recollect reindex` is faster."""
_BETWEEN_LOOKS_SECONDS: Final = 30.0
_SETTLE_SECONDS: Final = 60.0
logger = logging.getLogger(__name__)


class WorkerState(StrEnum):
    """How the background work stands."""

    OK = "ok"
    RESTARTING = "restarting"
    """A part of it has failed and is started again."""
    DEAD = "dead"
    """Its process has died, or has given no sign of life for a minute."""
    ELSEWHERE = "elsewhere"
    """Workers of their own do it: see to them where they run."""


class Heartbeat:
    """Sign of life of the worker, in memory that several processes share."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # The last sign of life, and whether a part of the work is failing.
        self._shared = multiprocessing.get_context("spawn").RawArray(c_double, [clock(), 0.0])

    @property
    def state(self) -> WorkerState:
        """How the background work stands now."""
        beat, is_failing = self._shared[:]
        if self._clock() - beat > _SILENT_SECONDS:
            return WorkerState.DEAD
        return WorkerState.RESTARTING if is_failing else WorkerState.OK

    def beat(self, *, is_failing: bool) -> None:
        """Give a sign of life."""
        self._shared[:] = [self._clock(), float(is_failing)]

    def stop(self) -> None:
        """Say that the worker has died."""
        self._shared[0] = _DEAD

    async def follow(self, supervisor: TaskSupervisor) -> None:
        """Give a sign of life every second, and tell of what is failing."""
        while True:
            self.beat(is_failing=bool(supervisor.failing))
            await asyncio.sleep(_BEAT_SECONDS)


@asynccontextmanager
async def working_meanwhile(
    services: Services, settings: Settings, *, pulse: Heartbeat | None = None
) -> AsyncIterator[None]:
    """Do the background work while something else goes on, unless workers of their own do."""
    if not settings.worker:
        yield
        return
    every = timedelta(hours=settings.cleanup_interval_hours)
    pause = _GATHERING_MEANWHILE_SECONDS
    working = work_forever(services, cleanup_every=every, pause=pause, pulse=pulse)
    task = asyncio.create_task(working)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def work_alone(
    settings: Settings, *, ready: Callable[[], None] = lambda: None, pulse: Heartbeat | None = None
) -> None:
    """Open the memory and do nothing but the background work, until cancelled."""
    every = timedelta(hours=settings.cleanup_interval_hours)
    async with Memory.open(settings) as memory:
        ready()
        await work_forever(memory.services, cleanup_every=every, pulse=pulse)


async def work_forever(
    services: Services,
    *,
    cleanup_every: timedelta,
    pause: float = _GATHERING_SECONDS,
    pulse: Heartbeat | None = None,
) -> None:
    """Do jobs, index and clean up until cancelled; a database that is away is waited for.

    Between two rounds of work there is a pause of so many seconds. What fails unexpectedly is
    started again by itself, the rest goes on. The pulse tells others that all this is so.
    """
    supervisor = TaskSupervisor(services.counters)
    tasks = _tasks(services, cleanup_every, pause)
    if pulse is not None:
        tasks["pulse"] = partial(pulse.follow, supervisor)
    async with asyncio.TaskGroup() as group:
        for name, work in tasks.items():
            group.create_task(supervisor.run(name, work), name=name)


def _tasks(
    services: Services, cleanup_every: timedelta, pause: float
) -> dict[str, Callable[[], Awaitable[None]]]:
    """Everything that goes on in the background, by name."""
    tasks: dict[str, Callable[[], Awaitable[None]]] = {
        "jobs": partial(_do_jobs, services, pause),
        "turns": partial(_settle_turns, services),
        "cleanup": partial(_clean_up, services, cleanup_every),
    }
    if services.indexing is not None:
        tasks["indexing"] = partial(_index, services.indexing, pause)
    if services.reindexing is not None:
        slowly = services.reindexing.at_most(_REINDEXED_PER_SECOND)
        tasks["reindexing"] = partial(_reindex, slowly, services.reconciling)
    if services.removals is not None:
        tasks["removals"] = partial(_remove, services.removals)
    return tasks


async def _do_jobs(services: Services, pause: float) -> None:
    async def one_round() -> float:
        return pause if await services.work.do_waiting() else _IDLE_SECONDS

    await _repeat("worker.waits", one_round)


async def _index(indexing: Indexing, pause: float) -> None:
    """Index what is said soon after it is said, and what is said at once together."""

    async def one_round() -> float:
        count = await indexing.do_some()
        if indexing.is_behind:
            return 0
        return pause if count else _IDLE_SECONDS

    await _repeat("indexing.waits", one_round)


async def _reindex(reindexing: Reindexing, reconciling: Reconciling | None) -> None:
    """Embed what another model has embedded, or none: after a change, or while one was away.

    When all is done, a store outside forgets what it had of other models.
    """
    is_tidy = reconciling is None

    async def one_round() -> float:
        nonlocal is_tidy
        count = await reindexing.do_some()
        if reconciling is not None and (count or not is_tidy):
            is_tidy = not count and await reconciling.forget_other_models()
        return 0 if count else _BETWEEN_LOOKS_SECONDS

    await _repeat("reindexing.waits", one_round)


async def _remove(removals: Removals) -> None:
    """Take out of a store outside what was deleted, as soon as it is."""

    async def one_round() -> float:
        return 0 if await removals.do_some() else _IDLE_SECONDS

    await _repeat("removals.wait", one_round)


async def _settle_turns(services: Services) -> None:
    """Fail the questions that nobody answers any more, soon after their time is up."""

    async def one_round() -> float:
        await services.retention.settle_abandoned()
        return _SETTLE_SECONDS

    await _repeat("turns.wait", one_round)


async def _clean_up(services: Services, every: timedelta) -> None:
    async def one_round() -> float:
        deleted = await services.retention.clean_up()
        logger.info("cleanup.done", extra={"facts": {"sessions": deleted}})
        return every.total_seconds()

    await _repeat("cleanup.failed", one_round)


async def _repeat(trouble: str, one_round: Callable[[], Awaitable[float]]) -> None:
    """Do one round after the other; each says how many seconds the next one is to wait.

    While something is away, that is logged under this name, and it is tried again: soon, and then
    less often.
    """
    wait = _FIRST_WAIT_SECONDS
    while True:
        try:
            pause = await one_round()
            wait = _FIRST_WAIT_SECONDS
        except Unavailable as error:
            logger.warning(trouble, extra={"facts": {"problem": type(error).__name__}})
            pause, wait = wait, min(2 * wait, _LONGEST_WAIT_SECONDS)
        await asyncio.sleep(pause)
