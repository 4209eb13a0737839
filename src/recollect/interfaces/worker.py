"""The background work: jobs as they come, and the clean-up on schedule."""

import asyncio
import logging
from datetime import timedelta
from typing import Final

from recollect.errors import Unavailable
from recollect.services.services import Services

_IDLE_SECONDS: Final = 1.0
_AFTER_TROUBLE_SECONDS: Final = 5.0

logger = logging.getLogger(__name__)


async def work_forever(services: Services, *, cleanup_every: timedelta) -> None:
    """Do jobs and clean up until cancelled; a database that is away is waited for."""
    async with asyncio.TaskGroup() as group:
        group.create_task(_do_jobs(services))
        group.create_task(_clean_up(services, cleanup_every))


async def _do_jobs(services: Services) -> None:
    while True:
        try:
            was_busy = await services.work.do_one()
        except Unavailable as error:
            logger.warning("worker.waits", extra={"facts": {"problem": type(error).__name__}})
            await asyncio.sleep(_AFTER_TROUBLE_SECONDS)
            continue
        if not was_busy:
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
