"""Sessions that have come to their end."""

from datetime import datetime
from typing import Protocol


class ExpiredSessions(Protocol):
    """Finds and deletes the expired sessions of all owners, whom nobody else can see any more."""

    async def count(self, *, now: datetime) -> int:
        """How many sessions have expired."""
        ...

    async def delete(self, *, now: datetime, limit: int) -> int:
        """Delete some expired sessions with everything in them, and say how many; audited.

        0 also while another replica is at it: one at a time.
        """
        ...
