"""Expired sessions, out of the dictionaries of all owners."""

from dataclasses import dataclass
from datetime import datetime

from recollect.engines.in_memory.state import State


@dataclass(frozen=True, slots=True)
class InMemoryExpired:
    """Implements `recollect.ports.expiry.ExpiredSessions`."""

    state: State

    async def count(self, *, now: datetime) -> int:
        """How many sessions have expired."""
        return len(self.state.expired(now))

    async def delete(self, *, now: datetime, limit: int) -> int:
        """Delete some expired sessions with everything in them, and say how many; audited."""
        chosen = self.state.expired(now)[:limit]
        for owner_id, conversation in chosen:
            self.state.delete_expired(owner_id, conversation.session.session_id, now=now)
        return len(chosen)
