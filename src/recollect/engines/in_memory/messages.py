"""Messages and turns in plain dictionaries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recollect.domain.audit import AuditAction
from recollect.domain.compaction import CompactionPolicy
from recollect.domain.message import Message, NewMessage
from recollect.domain.paging import MessagePosition, Page, PageRequest
from recollect.domain.scope import Scope
from recollect.domain.turn import TurnStatus
from recollect.engines.in_memory.appending import add_messages, find_repeated, refuse_used
from recollect.engines.in_memory.jobs import queue_compaction
from recollect.engines.in_memory.paging import cut_page
from recollect.engines.in_memory.sessions import start_conversation
from recollect.engines.in_memory.state import Conversation, State
from recollect.ports.messages import MAX_WINDOW, Appended, SessionStart, StoredWindow


@dataclass(frozen=True, slots=True)
class InMemoryMessages:
    """Implements `recollect.ports.messages.MessageStore`."""

    state: State

    async def append(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        reply_to: UUID | None = None,
        now: datetime,
        expires_at: datetime | None = None,
        compaction: CompactionPolicy | None = None,
        start: SessionStart | None = None,
    ) -> Appended | None:
        """Store the messages one after the other, all or none; None if there is no session."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None and start is not None:
            refuse_used(self.state.of(scope.owner_id), session_id, messages)
            conversation = start_conversation(
                self.state, scope, start.session, now=now, expires_at=start.expires_at
            )
        if conversation is None:
            return None
        repeated = find_repeated(self.state.of(scope.owner_id), conversation, messages)
        if repeated is not None:
            return Appended(messages=repeated, is_new=False)
        self.state.of(scope.owner_id).known_as = scope
        added = add_messages(conversation, messages, reply_to=reply_to, now=now)
        conversation.use(now=now, expires_at=expires_at)
        end = conversation.summarized_through
        unsummarized = sum(m.sequence > end for m in conversation.active)
        if compaction is not None and compaction.is_due(unsummarized):
            queue_compaction(self.state, scope, session_id, now=now)
        return Appended(messages=added, is_new=True)

    async def last(
        self, scope: Scope, session_id: UUID, *, count: int
    ) -> tuple[Message, ...] | None:
        """The last messages, oldest first; None if there is no session."""
        conversation = self.state.conversation(scope, session_id)
        return None if conversation is None else conversation.active[-count:]

    async def window(
        self, scope: Scope, session_id: UUID, *, count: int, covers_all: bool
    ) -> StoredWindow | None:
        """The session, its summary and its last messages, oldest first; None without a session."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None:
            return None
        answered = _answered(conversation)
        size = count
        if covers_all:
            after = [m for m in answered if m.sequence > conversation.summarized_through]
            size = min(max(count, len(after)), MAX_WINDOW)
        return StoredWindow(
            session=conversation.session,
            summary=conversation.summary,
            messages=answered[max(0, len(answered) - size) :],
        )

    async def list(
        self,
        scope: Scope,
        session_id: UUID,
        page: PageRequest,
        *,
        include_inactive: bool = False,
    ) -> Page[Message] | None:
        """The session's messages by sequence number; None if there is no session."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None:
            return None
        found = conversation.messages.values() if include_inactive else conversation.active
        return cut_page(found, page, MessagePosition, position_of=_position)

    async def delete(
        self, scope: Scope, session_id: UUID, message_id: UUID, *, now: datetime
    ) -> bool:
        """Delete one message; whether there was one in that session. Audited."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None or message_id not in conversation.messages:
            return False
        conversation.remove([conversation.messages[message_id]])
        self.state.audit(scope, AuditAction.MESSAGE_DELETED, target=message_id, count=1, now=now)
        return True

    async def clear(self, scope: Scope, session_id: UUID, *, now: datetime) -> int | None:
        """Delete all messages of the session and say how many; None if there is none. Audited."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None:
            return None
        count = len(conversation.messages)
        conversation.remove(tuple(conversation.messages.values()))
        self.state.audit(
            scope, AuditAction.MESSAGES_CLEARED, target=session_id, count=count, now=now
        )
        return count

    async def turn_status(
        self, scope: Scope, session_id: UUID, turn_number: int
    ) -> TurnStatus | None:
        """How far the turn has come, or None if there is no such turn."""
        conversation = self.state.conversation(scope, session_id)
        return None if conversation is None else conversation.turns.get(turn_number)

    async def fail_turn(self, scope: Scope, session_id: UUID, turn_number: int) -> bool:
        """Mark a turn as failed if it is pending; whether there is such a turn."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None or turn_number not in conversation.turns:
            return False
        if conversation.turns[turn_number] is TurnStatus.PENDING:
            conversation.turns[turn_number] = TurnStatus.FAILED
            conversation.change(turn_number)
        return True


def _answered(conversation: Conversation) -> tuple[Message, ...]:
    """The messages that belong to a complete turn, or to none."""
    return tuple(
        message
        for message in conversation.active
        if message.turn_number is None
        or conversation.turns[message.turn_number] is TurnStatus.COMPLETE
    )


def _position(message: Message) -> MessagePosition:
    return MessagePosition(message.sequence)
