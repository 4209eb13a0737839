"""The background work: jobs as they come, indexing, and the clean-up on schedule."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Final

from recollect.errors import Unavailable
from recollect.memory import Memory
from recollect.services.indexing import Indexing
from recollect.services.reconciling import Reconciling
from recollect.services.reindexing import Reindexing
from recollect.services.removals import Removals
from recollect.services.services import Services
from recollect.settings import Settings

_IDLE_SECONDS: Final = 1.0
_GATHERING_SECONDS: Final = 1.0
"""Between rounds of work: what a conversation adds meanwhile is then done together."""
_GATHERING_MEANWHILE_SECONDS: Final = 0.1
"""Beside those who ask, in the same process: little at a time keeps nobody waiting for long."""
_AFTER_TROUBLE_SECONDS: Final = 5.0
_REINDEXED_PER_SECOND: Final = 50
"""So that a new model leaves the machine to those who talk; `recollect reindex` is faster."""
_BETWEEN_LOOKS_SECONDS: Final = 30.0

logger = logging.getLogger(__name__)


@asynccontextmanager
async def working_meanwhile(services: Services, settings: Settings) -> AsyncIterator[None]:
    """Do the background work while something else goes on, unless workers of their own do."""
    if not settings.worker:
        yield
        return
    every = timedelta(hours=settings.cleanup_interval_hours)
    working = work_forever(services, cleanup_every=every, pause=_GATHERING_MEANWHILE_SECONDS)
    task = asyncio.create_task(working)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def work_alone(settings: Settings, *, ready: Callable[[], None] = lambda: None) -> None:
    """Open the memory and do nothing but the background work, until cancelled."""
    every = timedelta(hours=settings.cleanup_interval_hours)
    async with Memory.open(settings) as memory:
        ready()
        await work_forever(memory.services, cleanup_every=every)


async def work_forever(
    services: Services, *, cleanup_every: timedelta, pause: float = _GATHERING_SECONDS
) -> None:
    """Do jobs, index and clean up until cancelled; a database that is away is waited for.

    Between two rounds of work there is a pause of so many seconds.
    """
    async with asyncio.TaskGroup() as group:
        group.create_task(_do_jobs(services, pause))
        if services.indexing is not None:
            group.create_task(_index(services.indexing, pause))
        if services.reindexing is not None:
            slowly = services.reindexing.at_most(_REINDEXED_PER_SECOND)
            group.create_task(_reindex(slowly, services.reconciling))
        if services.removals is not None:
            group.create_task(_remove(services.removals))
        group.create_task(_clean_up(services, cleanup_every))


async def _do_jobs(services: Services, pause: float) -> None:
    while True:
        try:
            count = await services.work.do_waiting()
        except Unavailable as error:
            logger.warning("worker.waits", extra={"facts": {"problem": type(error).__name__}})
            await asyncio.sleep(_AFTER_TROUBLE_SECONDS)
            continue
        await asyncio.sleep(pause if count else _IDLE_SECONDS)


async def _index(indexing: Indexing, pause: float) -> None:
    """Index what is said soon after it is said, and what is said at once together."""
    while True:
        try:
            count = await indexing.do_some()
        except Unavailable as error:
            logger.warning("indexing.waits", extra={"facts": {"problem": type(error).__name__}})
            await asyncio.sleep(_AFTER_TROUBLE_SECONDS)
            continue
        if not indexing.is_behind:
            await asyncio.sleep(pause if count else _IDLE_SECONDS)


async def _reindex(reindexing: Reindexing, reconciling: Reconciling | None) -> None:
    """Embed what another model has embedded, or none: after a change, or while one was away.

    When all is done, a store outside forgets what it had of other models.
    """
    is_tidy = reconciling is None
    while True:
        try:
            count = await reindexing.do_some()
            if reconciling is not None and (count or not is_tidy):
                is_tidy = not count and await reconciling.forget_other_models()
        except Unavailable as error:
            logger.warning("reindexing.waits", extra={"facts": {"problem": type(error).__name__}})
            await asyncio.sleep(_BETWEEN_LOOKS_SECONDS)
            continue
        if not count:
            await asyncio.sleep(_BETWEEN_LOOKS_SECONDS)


async def _remove(removals: Removals) -> None:
    """Take out of a store outside what was deleted, as soon as it is."""
    while True:
        try:
            count = await removals.do_some()
        except Unavailable as error:
            logger.warning("removals.wait", extra={"facts": {"problem": type(error).__name__}})
            await asyncio.sleep(_AFTER_TROUBLE_SECONDS)
            continue
        if not count:
            await asyncio.sleep(_IDLE_SECONDS)


async def _clean_up(services: Services, every: timedelta) -> None:
    while True:
        try:
            deleted = await services.retention.clean_up()
        except Unavailable as error:
            logger.warning("cleanup.failed", extra={"facts": {"problem": type(error).__name__}})
            await asyncio.sleep(_AFTER_TROUBLE_SECONDS)
            continue
        logger.info("cleanup.done", extra={"facts": {"sessions": deleted}})
        await asyncio.sleep(every.total_seconds())
