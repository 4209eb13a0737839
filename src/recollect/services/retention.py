"""Deleting what has come to its end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from recollect.ports.clock import Clock
from recollect.ports.expiry import ExpiredSessions

_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Cleans up after sessions that have expired; readers do not see them any more anyway."""

    expired: ExpiredSessions
    clock: Clock

    async def count(self) -> int:
        """How many sessions a clean-up would delete."""
        return await self.expired.count(now=self.clock.now())

    async def clean_up(self, *, progress: Callable[[int], None] = lambda _: None) -> int:
        """Delete all expired sessions, some at a time, and say how many went.

        While another replica is at it, nothing is left to do here.
        """
        now = self.clock.now()
        deleted = 0
        while some := await self.expired.delete(now=now, limit=_AT_ONCE):
            deleted += some
            progress(deleted)
        return deleted
