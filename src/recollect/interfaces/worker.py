"""The background work, and the heartbeat by which other processes see that it goes on."""

import asyncio
import logging
import multiprocessing
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from ctypes import c_double
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Final

from recollect.concurrency import TaskSupervisor, running_beside
from recollect.errors import ArchiveUnavailable, Unavailable
from recollect.instrumentation import MetricBlocks, open_telemetry
from recollect.memory import Memory
from recollect.ports.metrics import CLEANUP_DELETED, CLEANUP_SUCCESS, CLEANUPS, WORK
from recollect.ports.telemetry import Telemetry
from recollect.services.facts.maintenance import FactReembedding, TurnLearning
from recollect.services.recall.indexing import Indexing, Reindexing
from recollect.services.recall.outside_index import Removals, VectorStoreCheck
from recollect.services.services import Services
from recollect.settings import Settings

_SILENT_SECONDS: Final = 60.0
"""A worker process has the lowest priority: it may be late on a busy machine."""
_IDLE_SECONDS: Final = 1.0
_BATCHING_SECONDS: Final = 1.0
"""Between rounds of work: what a conversation adds in that time is done together."""
_BATCHING_BESIDE_SECONDS: Final = 0.1
"""In a process that also serves: small rounds keep no request waiting for long."""
_FIRST_WAIT_SECONDS: Final = 0.5
_LONGEST_WAIT_SECONDS: Final = 5.0
_REINDEXED_PER_SECOND: Final = 50
"""So that a new model leaves the machine to requests; `recollect reindex` is faster."""
_REINDEXING_SECONDS: Final = 30.0
_SETTLE_SECONDS: Final = 60.0
_ERASING_SECONDS: Final = 0.05
"""Between pieces of an erasure: other owners have the database to themselves meanwhile."""
_EVICTION_SECONDS: Final = 2.0
"""Within so long every process drops what it has cached of owners who are erased."""
_ARCHIVE_RETRY_SECONDS: Final = 60.0

Round = Callable[[], Awaitable[float]]
"""Does some work and returns the seconds until the next round."""
logger = logging.getLogger(__name__)


class WorkerState(StrEnum):
    """The state of the background work."""

    OK = "ok"
    RESTARTING = "restarting"
    """A part of it has failed and is started again."""
    DEAD = "dead"
    """Its process has died, or has had no heartbeat for a minute."""
    ELSEWHERE = "elsewhere"
    """Separate worker processes do it, which are monitored where they run."""


class Heartbeat:
    """The worker's heartbeat, in memory that several processes share."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # The time of the last beat, and whether a part of the work is failing.
        self._shared = multiprocessing.get_context("spawn").RawArray(c_double, [clock(), 0.0])

    @property
    def state(self) -> WorkerState:
        """The state of the background work now."""
        beat, is_failing = self._shared[:]
        if self._clock() - beat > _SILENT_SECONDS:
            return WorkerState.DEAD
        return WorkerState.RESTARTING if is_failing else WorkerState.OK

    def beat(self, *, is_failing: bool) -> None:
        """Show that the worker lives."""
        self._shared[:] = [self._clock(), float(is_failing)]

    def stop(self) -> None:
        """Show that the worker has died."""
        self._shared[0] = float("-inf")

    async def follow(self, supervisor: TaskSupervisor) -> None:
        """Beat every second, and show whether a task of the supervisor is failing."""
        while True:
            self.beat(is_failing=bool(supervisor.failing))
            await asyncio.sleep(1.0)


@asynccontextmanager
async def working_meanwhile(
    services: Services, settings: Settings, *, pulse: Heartbeat | None = None
) -> AsyncIterator[None]:
    """Do the background work beside the block, unless separate workers do it."""
    if not settings.worker:
        async with running_beside(_evict_forever(services)):
            yield
        return
    every = timedelta(hours=settings.cleanup_interval_hours)
    pause = _BATCHING_BESIDE_SECONDS
    async with running_beside(
        work_forever(services, cleanup_every=every, pause=pause, pulse=pulse)
    ):
        yield


async def work_alone(
    settings: Settings,
    *,
    ready: Callable[[], object] = lambda: None,
    pulse: Heartbeat | None = None,
    shared: MetricBlocks | None = None,
    scraped: socket.socket | None = None,
) -> None:
    """Open the memory and do nothing but the background work, until cancelled."""
    every = timedelta(hours=settings.cleanup_interval_hours)
    async with (
        open_telemetry(settings, shared) as telemetry,
        Memory.open(settings, telemetry=telemetry) as memory,
        _observed(memory, settings, scraped),
    ):
        ready()
        await work_forever(memory.services, cleanup_every=every, pulse=pulse)


def _observed(
    memory: Memory, settings: Settings, scraped: socket.socket | None
) -> AbstractAsyncContextManager[None]:
    if not settings.has_metrics:
        return nullcontext()
    # Loaded here: a worker that nobody measures starts without the web framework.
    from recollect.interfaces.http.serving.metrics_server import observed  # noqa: PLC0415

    return observed(memory, settings, scraped, process="worker")


async def work_forever(
    services: Services,
    *,
    cleanup_every: timedelta,
    pause: float = _BATCHING_SECONDS,
    pulse: Heartbeat | None = None,
) -> None:
    """Do jobs, index and clean up until cancelled, `pause` seconds between rounds of work.

    While the database is unavailable, the work is tried again. A task that fails unexpectedly is
    restarted alone; the others go on. `pulse` shows all this to other processes.
    """
    supervisor = TaskSupervisor(services.telemetry)
    async with asyncio.TaskGroup() as group:
        for name, (event, one_round) in _rounds(services, cleanup_every, pause).items():
            work = supervisor.run(name, partial(_repeat, event, one_round))
            group.create_task(work, name=name)
        if pulse is not None:
            work = supervisor.run("pulse", partial(pulse.follow, supervisor))
            group.create_task(work, name="pulse")


def _rounds(
    services: Services, cleanup_every: timedelta, pause: float
) -> dict[str, tuple[str, Round]]:
    """The background tasks by name: the event logged when something is unavailable, and a round."""
    rounds: dict[str, tuple[str, Round]] = {
        "jobs": ("worker.waits", partial(_do_jobs, services, pause)),
        "turns": ("turns.wait", partial(_settle_turns, services)),
        "cleanup": ("cleanup.failed", partial(_clean_up, services, cleanup_every)),
        "erasing": ("erasing.waits", partial(_erase, services)),
        "eviction": ("eviction.waits", partial(_evict, services)),
    }
    telemetry = services.telemetry
    if services.indexing is not None:
        rounds["indexing"] = (
            "indexing.waits",
            partial(_index, services.indexing, pause, telemetry),
        )
    if services.turn_learning is not None:
        learn = partial(_learn, services.turn_learning, pause, telemetry)
        rounds["learning"] = ("learning.waits", learn)
    if services.reindexing is not None:
        slowly = services.reindexing.at_most(_REINDEXED_PER_SECOND)
        rounds["reindexing"] = (
            "reindexing.waits",
            _ReindexRound(slowly, services.vector_store_check),
        )
    if services.fact_reembedding is not None:
        embedding = partial(_embed_facts, services.fact_reembedding)
        rounds["fact_embedding"] = ("fact_embedding.waits", embedding)
    if services.removals is not None:
        rounds["removals"] = ("removals.wait", partial(_remove, services.removals))
    return rounds


async def _do_jobs(services: Services, pause: float) -> float:
    return pause if await services.work.do_waiting() else _IDLE_SECONDS


async def _index(indexing: Indexing, pause: float, telemetry: Telemetry) -> float:
    """Index new turns soon after they are stored, and those stored at once together."""
    count = await indexing.do_some()
    telemetry.count(WORK, "indexing", by=count)
    if indexing.is_behind:
        return 0
    return pause if count else _IDLE_SECONDS


async def _learn(learning: TurnLearning, pause: float, telemetry: Telemetry) -> float:
    """Learn from turns that are indexed, beside the indexing of others."""
    count = await learning.do_some()
    telemetry.count(WORK, "learning", by=count)
    return pause if count else _IDLE_SECONDS


class _ReindexRound:
    """Embeds entries that lack a vector of the current model: it changed or was unavailable.

    When all have one, a vector store outside deletes the vectors of other models.
    """

    def __init__(self, reindexing: Reindexing, check: VectorStoreCheck | None) -> None:
        self._reindexing = reindexing
        self._check = check
        self._is_tidy = check is None

    async def __call__(self) -> float:
        count = await self._reindexing.do_some()
        if self._check is not None and (count or not self._is_tidy):
            self._is_tidy = not count and await self._check.forget_other_models()
        return 0 if count else _REINDEXING_SECONDS


async def _embed_facts(reembedding: FactReembedding) -> float:
    """Embed facts that lack a vector of the current model."""
    return 0 if await reembedding.do_some() else _REINDEXING_SECONDS


async def _remove(removals: Removals) -> float:
    """Delete from a vector store outside what was deleted here."""
    return 0 if await removals.do_some() else _IDLE_SECONDS


async def _erase(services: Services) -> float:
    """Carry on the erasures of all owners, a piece of each."""
    return _ERASING_SECONDS if await services.erasing.do_some() else _IDLE_SECONDS


async def _evict(services: Services) -> float:
    """Drop what this process has cached of owners who are erased, whoever erases them."""
    await services.cache_eviction.do_some()
    return _EVICTION_SECONDS


async def _evict_forever(services: Services) -> None:
    """The one task of a process that leaves the background work to others."""
    supervisor = TaskSupervisor(services.telemetry)
    round_ = partial(_repeat, "eviction.waits", partial(_evict, services))
    await supervisor.run("eviction", round_)


async def _settle_turns(services: Services) -> float:
    """Fail the turns that have waited for an answer for too long."""
    await services.retention.settle_abandoned()
    return _SETTLE_SECONDS


async def _clean_up(services: Services, every: timedelta) -> float:
    try:
        return await _clean_up_once(services, every)
    except Unavailable:
        services.telemetry.count(CLEANUPS, "failed")
        raise


async def _clean_up_once(services: Services, every: timedelta) -> float:
    pruned = await services.fact_pruning.prune()
    old = await services.audit_pruning.prune()
    try:
        deleted = await services.retention.clean_up()
        outdated = await services.retention.prune_archive()
    except ArchiveUnavailable as error:
        # What has expired is hidden and waits; nothing else depends on the archive.
        logger.warning("archive.unavailable", extra={"facts": {"problem": error.explanation}})
        services.telemetry.count(CLEANUPS, "failed")
        return min(_ARCHIVE_RETRY_SECONDS, every.total_seconds())
    facts = {
        "sessions": deleted,
        "facts": pruned,
        "archived_sessions": outdated,
        "audit_entries": old,
    }
    logger.info("cleanup.done", extra={"facts": facts})
    telemetry = services.telemetry
    telemetry.count(CLEANUPS, "done")
    telemetry.observe(CLEANUP_SUCCESS, time.time())
    for what, count in facts.items():
        telemetry.count(CLEANUP_DELETED, what, by=count)
    return every.total_seconds()


async def _repeat(event: str, one_round: Round) -> None:
    """Do one round after the other; where something is unavailable, log it and wait longer."""
    wait = _FIRST_WAIT_SECONDS
    while True:
        try:
            pause = await one_round()
            wait = _FIRST_WAIT_SECONDS
        except Unavailable as error:
            logger.warning(event, extra={"facts": {"problem": type(error).__name__}})
            pause, wait = wait, min(2 * wait, _LONGEST_WAIT_SECONDS)
        await asyncio.sleep(pause)
