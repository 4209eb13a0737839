"""Turns that wait to be indexed, in this process."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from recollect.domain.scope import Scope
from recollect.domain.turn import TurnStatus
from recollect.engines.in_memory.state import Conversation, State
from recollect.ports.indexing import DueTurn


@dataclass(frozen=True, slots=True)
class InMemoryIndexing:
    """Implements `recollect.ports.indexing.IndexingStore`."""

    state: State

    async def sessions(self, *, limit: int) -> tuple[tuple[Scope, UUID], ...]:
        """Some sessions of any owner with turns that are due."""
        waiting = [
            (scope, conversation.session.session_id)
            for scope, conversation in self.state.known()
            if conversation.due
        ]
        return tuple(waiting[:limit])

    async def due(self, scope: Scope, session_id: UUID, *, limit: int) -> tuple[DueTurn, ...]:
        """The session's oldest turns that are due, and questions that newer turns passed over."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None:
            return ()
        numbers = sorted(conversation.due)[:limit]
        passed_over = chain.from_iterable(_open_before(conversation, n) for n in numbers)
        return tuple(_due_turn(conversation, n) for n in sorted({*numbers, *passed_over}))

    async def done(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        """These changes are indexed; a turn that has changed again meanwhile stays due."""
        conversation = self.state.conversation(scope, session_id)
        for turn in turns:
            if conversation and conversation.due.get(turn.turn_number, 0) == turn.change:
                del conversation.due[turn.turn_number]

    async def depth(self) -> int:
        """How many turns of all owners are due."""
        return sum(len(conversation.due) for _, conversation in self.state.known())


def _open_before(conversation: Conversation, number: int) -> Sequence[int]:
    """The turn before this one, if it still waits for its answer."""
    before = sorted(turn for turn in conversation.turns if turn < number)[-1:]
    return [turn for turn in before if conversation.turns[turn] is TurnStatus.PENDING]


def _due_turn(conversation: Conversation, number: int) -> DueTurn:
    said = (m for m in conversation.active if m.turn_number == number)
    return DueTurn(
        turn_number=number,
        status=conversation.turns[number],
        is_latest=number == max(conversation.turns),
        messages=tuple(sorted(said, key=lambda message: message.sequence)),
        change=conversation.due.get(number),
    )
