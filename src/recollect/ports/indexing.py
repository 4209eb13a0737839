"""What waits to be indexed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.domain.turn import TurnStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class DueTurn:
    """A turn that has changed since it was indexed, as it is now."""

    turn_number: int
    status: TurnStatus
    is_latest: bool
    """Whether it is the last turn of its session."""
    messages: tuple[Message, ...]
    """All of the turn's messages, in their order."""
    change: int | None
    """Which change it waits since; None where only a later turn makes it worth another look."""


class IndexingStore(Protocol):
    """Knows which turns have changed since they were indexed.

    Every write to a turn leaves it due, together with the write itself: an append, a failure,
    the loss of a message. It stays due until somebody says of that very change that it is done,
    so whoever dies halfway leaves it to the next one.
    """

    async def sessions(self, *, limit: int) -> tuple[tuple[Scope, UUID], ...]:
        """Some sessions of any owner with turns that are due; a worker's question.

        Which ones is left to chance where there are more, so that workers seldom meet.
        """
        ...

    async def due(self, scope: Scope, session_id: UUID, *, limit: int) -> tuple[DueTurn, ...]:
        """The session's oldest turns that are due, and questions that newer turns passed over."""
        ...

    async def done(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        """These changes are indexed; a turn that has changed again meanwhile stays due."""
        ...

    async def depth(self) -> int:
        """How many turns of all owners are due."""
        ...
