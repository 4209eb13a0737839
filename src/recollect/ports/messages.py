"""Where the messages of a session are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.domain.message import Message, NewMessage
from recollect.domain.paging import Page, PageRequest
from recollect.domain.scope import Scope
from recollect.domain.turn import TurnStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """What an append left behind."""

    messages: tuple[Message, ...]
    is_new: bool
    """False when a retry found its messages stored already."""


class MessageStore(Protocol):
    """Keeps messages in the order of their sequence numbers.

    Numbers start at 1 in each session, grow by one, are never shared and never reused, however
    many writers there are. A session of another owner is as good as absent.
    """

    async def append(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        reply_to: UUID | None = None,
        now: datetime,
    ) -> Appended | None:
        """Store the messages one after the other, all or none; None if there is no session.

        A user message opens a turn, an assistant's completes the turn of the user message
        before it, or of the message `reply_to` where that is given (`MessageNotFound` if the
        session has no such message). The first user message names a session without a name.
        Messages whose ids are stored already are returned as they are, if they say the same;
        otherwise `IdAlreadyUsed`.
        """
        ...

    async def last(
        self, scope: Scope, session_id: UUID, *, count: int
    ) -> tuple[Message, ...] | None:
        """The last messages, oldest first; None if there is no session."""
        ...

    async def list(self, scope: Scope, session_id: UUID, page: PageRequest) -> Page[Message] | None:
        """The session's messages by sequence number; None if there is no session."""
        ...

    async def delete(
        self, scope: Scope, session_id: UUID, message_id: UUID, *, now: datetime
    ) -> bool:
        """Delete one message; whether there was one in that session. Audited."""
        ...

    async def clear(self, scope: Scope, session_id: UUID, *, now: datetime) -> int | None:
        """Delete all messages of the session and say how many; None if there is none. Audited."""
        ...

    async def turn_status(
        self, scope: Scope, session_id: UUID, turn_number: int
    ) -> TurnStatus | None:
        """How far the turn has come, or None if there is no such turn."""
        ...

    async def fail_turn(self, scope: Scope, session_id: UUID, turn_number: int) -> bool:
        """Mark a turn as failed if it is pending; whether there is such a turn."""
        ...
