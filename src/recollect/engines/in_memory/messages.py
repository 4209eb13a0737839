"""Messages, in memory: appended, read, listed and deleted."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, groupby
from uuid import UUID

from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.conversation.message import AnswerDetails, Message, NewMessage, Role
from recollect.domain.conversation.paging import HistoryPosition, MessagePosition, Page, PageRequest
from recollect.domain.conversation.turns import TurnStatus, turn_offsets
from recollect.domain.identity.accounts import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory.sessions import start_conversation
from recollect.engines.in_memory.state import (
    InMemoryState,
    OwnerMemory,
    StoredConversation,
    copy_object,
    cut_page,
)
from recollect.engines.in_memory.work import queue_compaction
from recollect.errors import IdAlreadyUsed, MessageNotFound
from recollect.ports.conversations import MAX_WINDOW, Appended, SessionStart, StoredWindow


def find_repeated(
    owner: OwnerMemory, conversation: StoredConversation, messages: Sequence[NewMessage]
) -> tuple[Message, ...] | None:
    """The stored messages that a retry repeats, or None if all its ids are new.

    Raises:
        IdAlreadyUsed: some id stands for another message, also one of this very batch.
    """
    ids = [message.message_id for message in messages]
    used = [message_id for message_id in ids if owner.has_message(message_id)]
    if not used:
        _refuse_doubles(ids)
        return None
    stored = [conversation.messages.get(message_id) for message_id in ids]
    repeated = tuple(
        old
        for old, new in zip(stored, messages, strict=True)
        if old is not None and old.repeats(new)
    )
    if len(repeated) < len(messages):
        raise IdAlreadyUsed(used[0])
    return repeated


def refuse_used(owner: OwnerMemory, session_id: UUID, messages: Sequence[NewMessage]) -> None:
    """Refuse messages for a new session whose ids are used in another one, or twice.

    Raises:
        IdAlreadyUsed: some id stands for another message.
    """
    ids = [message.message_id for message in messages]
    _refuse_doubles(ids)
    for other_id, conversation in owner.conversations.items():
        for message_id in ids:
            if other_id != session_id and message_id in conversation.messages:
                raise IdAlreadyUsed(message_id)


def add_messages(
    conversation: StoredConversation,
    messages: Sequence[NewMessage],
    *,
    reply_to: UUID | None,
    now: datetime,
) -> tuple[Message, ...]:
    """Number the messages, put them at the conversation's end and bring its session up to date.

    What joins the turn of `reply_to` is on the branch of that message.

    Raises:
        MessageNotFound: the conversation has no message `reply_to`; nothing was changed.
    """
    numbers = _turn_numbers(conversation, messages, reply_to)
    time = max(now, conversation.session.updated_at)
    added = tuple(
        _stored(message, conversation, sequence=sequence, turn_number=number, time=time)
        for sequence, (message, number) in enumerate(
            zip(messages, numbers, strict=True), start=conversation.last_sequence + 1
        )
    )
    for message in added:
        conversation.messages[message.message_id] = message
        _move_turn(conversation, message)
    conversation.last_sequence += len(added)
    conversation.session = replace(conversation.session, updated_at=time)
    if conversation.session.name is None:
        conversation.name_after(next((m for m in added if m.role is Role.USER), None))
    if reply_to is not None and not conversation.messages[reply_to].is_active:
        turn = conversation.messages[reply_to].turn_number
        conversation.switch(shown=(), hidden=[m for m in added if m.turn_number == turn])
    conversation.recount()
    return tuple(conversation.messages[message.message_id] for message in added)


def _refuse_doubles(ids: Sequence[UUID]) -> None:
    seen: set[UUID] = set()
    for message_id in ids:
        if message_id in seen:
            raise IdAlreadyUsed(message_id)
        seen.add(message_id)


def _turn_numbers(
    conversation: StoredConversation, messages: Sequence[NewMessage], reply_to: UUID | None
) -> list[int | None]:
    joined = _joined_turn(conversation, reply_to)
    return [
        conversation.last_turn + offset if offset else None if offset is None else joined
        for offset in turn_offsets(messages)
    ]


def _joined_turn(conversation: StoredConversation, reply_to: UUID | None) -> int | None:
    if reply_to is None:
        turns = (message.turn_number for message in conversation.active)
        return max((turn for turn in turns if turn is not None), default=None)
    if reply_to not in conversation.messages:
        raise MessageNotFound(reply_to)
    return conversation.messages[reply_to].turn_number


def _stored(
    message: NewMessage,
    conversation: StoredConversation,
    *,
    sequence: int,
    turn_number: int | None,
    time: datetime,
) -> Message:
    details = message.details.placed_in(conversation.session.only_database)
    return Message(
        message_id=message.message_id,
        session_id=conversation.session.session_id,
        sequence=sequence,
        turn_number=turn_number,
        role=message.role,
        content=message.content,
        metadata=copy_object(message.metadata),
        details=AnswerDetails.stored(copy_object(details.to_json())),
        created_at=message.created_at or time,
    )


def _move_turn(conversation: StoredConversation, message: Message) -> None:
    if message.turn_number is None:
        return
    is_question = message.role is Role.USER
    status = TurnStatus.PENDING if is_question else TurnStatus.COMPLETE
    conversation.turns[message.turn_number] = status
    conversation.change(message.turn_number)
    conversation.last_turn = max(conversation.last_turn, message.turn_number)


@dataclass(frozen=True, slots=True)
class InMemoryMessages:
    """Implements `recollect.ports.conversations.MessageStore`."""

    state: InMemoryState

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


def _answered(conversation: StoredConversation) -> tuple[Message, ...]:
    """The messages that belong to a complete turn, or to none."""
    return tuple(
        message
        for message in conversation.active
        if message.turn_number is None
        or conversation.turns[message.turn_number] is TurnStatus.COMPLETE
    )


def _position(message: Message) -> MessagePosition:
    return MessagePosition(message.sequence)


@dataclass(frozen=True, slots=True)
class InMemoryHistory:
    """Implements `recollect.ports.conversations.HistoryStore`."""

    state: InMemoryState

    async def list(self, scope: Scope, page: PageRequest) -> Page[Message]:
        """The owner's messages by time; those of one time and session by their numbers."""
        return cut_page(self._active(scope), page, HistoryPosition, position_of=_place_in_history)

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
        newest_first = sorted(self._messages(scope), key=_place_in_history, reverse=True)
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

    def _conversation_with(self, scope: Scope, message_id: UUID) -> StoredConversation | None:
        conversations = self.state.conversations(scope)
        return next((found for found in conversations if message_id in found.messages), None)

    def _remove(self, scope: Scope, messages: Iterable[Message]) -> None:
        conversations = self.state.of(scope.owner_id).conversations
        by_session = sorted(messages, key=_session_id)
        for session_id, removed in groupby(by_session, key=_session_id):
            conversations[session_id].remove(removed)


def _session_id(message: Message) -> UUID:
    return message.session_id


def _place_in_history(message: Message) -> HistoryPosition:
    return HistoryPosition(message.created_at, message.session_id, message.sequence)
