"""Turns as wholes, from the messages that make them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recollect.domain.message import Role
from recollect.domain.scope import Scope
from recollect.domain.turn import TurnStatus
from recollect.engines.in_memory.state import State
from recollect.ports.turns import StoredTurn


@dataclass(frozen=True, slots=True)
class InMemoryTurns:
    """Implements `recollect.ports.turns.TurnStore`."""

    state: State

    async def get(self, scope: Scope, session_id: UUID, turn_number: int) -> StoredTurn | None:
        """The turn, or None if the session has none of that number."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None or turn_number not in conversation.turns:
            return None
        said = conversation.messages.values()
        return StoredTurn(
            status=conversation.turns[turn_number],
            messages=tuple(message for message in said if message.turn_number == turn_number),
        )

    async def fail_abandoned(self, *, started_by: datetime) -> int:
        """Mark the turns of all owners as failed that are pending since that time or longer."""
        abandoned = [
            (conversation, message.turn_number)
            for conversation in self.state.all_conversations()
            for message in conversation.messages.values()
            if message.turn_number is not None
            and message.role is Role.USER
            and conversation.reopened.get(message.turn_number, message.created_at) <= started_by
            and conversation.turns[message.turn_number] is TurnStatus.PENDING
        ]
        for conversation, number in abandoned:
            conversation.turns[number] = TurnStatus.FAILED
            conversation.change(number)
        return len(abandoned)
