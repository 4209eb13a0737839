"""Deleting expired sessions, and settling turns that nobody will answer."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from recollect.domain.conversation.turns import LEAST_PATIENCE
from recollect.ports.conversations import TurnStore
from recollect.ports.jobs import ExpiredSessions
from recollect.ports.runtime import Clock

logger = logging.getLogger(__name__)

_CLEANED_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Cleans up after sessions that have expired; readers do not see them any more anyway."""

    expired: ExpiredSessions
    turns: TurnStore
    clock: Clock
    patience: timedelta = LEAST_PATIENCE
    """How long a question waits for its answer before its server is taken to be gone."""

    async def count(self) -> int:
        """How many sessions a clean-up would delete."""
        return await self.expired.count(now=self.clock.now())

    async def clean_up(self, *, progress: Callable[[int], None] = lambda _: None) -> int:
        """Delete all expired sessions, some at a time, and say how many went.

        While another replica is at it, nothing is left to do here. Questions that nobody will
        answer any more, because the server that had them was killed, are failed on the way.
        """
        await self.settle_abandoned()
        now, deleted = self.clock.now(), 0
        while some := await self.expired.delete(now=now, limit=_CLEANED_AT_ONCE):
            deleted += some
            progress(deleted)
        return deleted

    async def settle_abandoned(self) -> int:
        """Fail the turns of all owners that have waited for too long, and say how many.

        Those are questions of servers that were killed. An answer that comes all the same still
        completes its turn.
        """
        since = self.clock.now() - self.patience
        abandoned = await self.turns.fail_abandoned(started_by=since)
        if abandoned:
            logger.info("turns.abandoned", extra={"facts": {"turns": abandoned}})
        return abandoned
