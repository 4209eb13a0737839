"""Where turns are kept, as wholes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.domain.message import Message, Role
from recollect.domain.scope import Scope
from recollect.domain.turn import TurnStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A turn with everything said in it, oldest first."""

    status: TurnStatus
    messages: tuple[Message, ...]

    @property
    def reply(self) -> Message | None:
        """The latest answer on the active branch, if there is one."""
        said = (m for m in reversed(self.messages) if m.is_active)
        return next((m for m in said if m.role is Role.ASSISTANT), None)


class TurnStore(Protocol):
    """Reads turns and ends forgotten ones; messages open and complete them as they are stored.

    A session of another owner, or one that has expired by the store's clock, is as good as absent.
    """

    async def get(self, scope: Scope, session_id: UUID, turn_number: int) -> StoredTurn | None:
        """The turn, or None if the session has none of that number."""
        ...

    async def fail_abandoned(self, *, started_by: datetime) -> int:
        """Mark the turns of all owners as failed that are pending since that time or longer.

        How many there were. They are those of servers that were killed; a reply that comes
        all the same still completes them.
        """
        ...
