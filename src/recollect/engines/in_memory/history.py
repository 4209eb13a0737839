"""An owner's messages across sessions, from plain dictionaries."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby
from uuid import UUID

from recollect.domain.audit import AuditAction
from recollect.domain.message import Message
from recollect.domain.paging import HistoryPosition, Page, PageRequest
from recollect.domain.scope import Scope
from recollect.engines.in_memory.paging import cut_page
from recollect.engines.in_memory.state import Conversation, State


@dataclass(frozen=True, slots=True)
class InMemoryHistory:
    """Implements `recollect.ports.history.HistoryStore`."""

    state: State

    async def list(self, scope: Scope, page: PageRequest) -> Page[Message]:
        """The owner's messages by time; those of one time and session by their numbers."""
        return cut_page(self._active(scope), page, HistoryPosition, position_of=_position)

    async def of_turns(
        self, scope: Scope, turns: Collection[tuple[UUID, int]]
    ) -> tuple[Message, ...]:
        """All messages of these turns, each given by session and number, in no order."""
        wanted = frozenset(turns)
        return tuple(m for m in self._messages(scope) if (m.session_id, m.turn_number) in wanted)

    async def count(self, scope: Scope) -> int:
        """How many messages the owner has."""
        return len(self._active(scope))

    async def delete(self, scope: Scope, message_id: UUID, *, now: datetime) -> bool:
        """Delete one message, in whichever session; whether there was one. Audited."""
        conversation = self._conversation_with(scope, message_id)
        if conversation is None:
            return False
        conversation.remove([conversation.messages[message_id]])
        self.state.audit(scope, AuditAction.MESSAGE_DELETED, target=message_id, count=1, now=now)
        return True

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        """Delete all the owner's messages and say how many; the sessions stay. Audited."""
        cleared = self._messages(scope)
        self._remove(scope, cleared)
        self.state.audit(
            scope, AuditAction.HISTORY_CLEARED, target=scope.user, count=len(cleared), now=now
        )
        return len(cleared)

    async def trim(self, scope: Scope, *, keep_last: int, now: datetime) -> int:
        """Delete all but the newest messages and say how many. Audited."""
        newest_first = sorted(self._messages(scope), key=_position, reverse=True)
        trimmed = newest_first[keep_last:]
        self._remove(scope, trimmed)
        self.state.audit(
            scope, AuditAction.HISTORY_TRIMMED, target=scope.user, count=len(trimmed), now=now
        )
        return len(trimmed)

    def _active(self, scope: Scope) -> tuple[Message, ...]:
        return tuple(message for message in self._messages(scope) if message.is_active)

    def _messages(self, scope: Scope) -> tuple[Message, ...]:
        conversations = self.state.conversations(scope)
        return tuple(chain.from_iterable(found.messages.values() for found in conversations))

    def _conversation_with(self, scope: Scope, message_id: UUID) -> Conversation | None:
        conversations = self.state.conversations(scope)
        return next((found for found in conversations if message_id in found.messages), None)

    def _remove(self, scope: Scope, messages: Iterable[Message]) -> None:
        conversations = self.state.of(scope.owner_id).conversations
        by_session = sorted(messages, key=_session_id)
        for session_id, removed in groupby(by_session, key=_session_id):
            conversations[session_id].remove(removed)


def _session_id(message: Message) -> UUID:
    return message.session_id


def _position(message: Message) -> HistoryPosition:
    return HistoryPosition(message.created_at, message.session_id, message.sequence)
