"""Messages, in memory: appended, read, listed and deleted."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Unpack
from uuid import UUID

from recollect.domain.conversation.message import (
    AnswerDetails,
    Message,
    NewMessage,
    Role,
    refuse_doubles,
    repeated_messages,
)
from recollect.domain.conversation.paging import (
    HistoryPosition,
    MessagePosition,
    Page,
    PageRequest,
    cut_page,
)
from recollect.domain.conversation.session import TurnStatus, turn_offsets
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory.data import (
    InMemoryStore,
    copy_object,
)
from recollect.engines.in_memory.stored_conversation import StoredConversation
from recollect.errors import IdAlreadyUsed, MessageNotFound
from recollect.ports.conversations import (
    MAX_WINDOW,
    Appended,
    SessionStart,
    StoredWindow,
    WriteTerms,
)


class InMemoryMessages(InMemoryStore):
    """Implements `recollect.ports.conversations.MessageStore`."""

    async def append(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        reply_to: UUID | None = None,
        start: SessionStart | None = None,
        **terms: Unpack[WriteTerms],
    ) -> Appended | None:
        owner, now = self.data.of(scope.owner_id), terms["now"]
        conversation = self.data.conversation(scope, session_id)
        if conversation is None and start is not None:
            refuse_doubles(messages)
            for message in messages:
                if owner.has_message(message.message_id, outside_of=session_id):
                    raise IdAlreadyUsed(message.message_id)
            conversation = self.data.start(
                scope, start.session, now=now, expires_at=start.expires_at
            )
        if conversation is None:
            self.data.written_by(scope.owner_id, session_id)
            return None
        used = {m.message_id for m in messages if owner.has_message(m.message_id)}
        repeated = repeated_messages(messages, known=conversation.messages, used=used)
        if repeated is not None:
            return Appended(messages=repeated, is_new=False)
        owner.known_as = scope
        added = _add(conversation, messages, reply_to=reply_to, now=now)
        conversation.use(now=now, expires_at=terms.get("expires_at"))
        compaction = terms.get("compaction")
        end = conversation.summarized_through
        unsummarized = sum(m.sequence > end for m in conversation.active)
        if compaction is not None and compaction.is_due(unsummarized):
            self.data.queue_compaction(scope, session_id, now=now)
        return Appended(messages=added, is_new=True, session=conversation.session)

    async def last(
        self, scope: Scope, session_id: UUID, *, count: int
    ) -> tuple[Message, ...] | None:
        conversation = self.data.conversation(scope, session_id)
        return None if conversation is None else conversation.active[-count:]

    async def window(
        self, scope: Scope, session_id: UUID, *, count: int, covers_all: bool
    ) -> StoredWindow | None:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None:
            return None
        turns = conversation.turns
        answered = tuple(
            message
            for message in conversation.active
            if message.turn_number is None or turns[message.turn_number] is TurnStatus.COMPLETE
        )
        size = count
        if covers_all:
            after = sum(m.sequence > conversation.summarized_through for m in answered)
            size = min(max(count, after), MAX_WINDOW)
        return StoredWindow(
            session=conversation.session,
            summary=conversation.summary,
            messages=answered[max(0, len(answered) - size) :],
        )

    async def list(
        self, scope: Scope, session_id: UUID, page: PageRequest, *, include_inactive: bool = False
    ) -> Page[Message] | None:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None:
            return None
        messages = conversation.messages.values() if include_inactive else conversation.active
        return cut_page(messages, page, MessagePosition, lambda one: MessagePosition(one.sequence))

    async def delete(
        self, scope: Scope, session_id: UUID, message_id: UUID, *, now: datetime
    ) -> bool:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None or message_id not in conversation.messages:
            return False
        conversation.remove([conversation.messages[message_id]])
        self.data.audit(scope, AuditAction.MESSAGE_DELETED, message_id, now=now)
        return True

    async def clear(self, scope: Scope, session_id: UUID, *, now: datetime) -> int | None:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None:
            return None
        count = len(conversation.messages)
        conversation.remove(tuple(conversation.messages.values()))
        self.data.audit(scope, AuditAction.MESSAGES_CLEARED, session_id, count=count, now=now)
        return count

    async def turn_status(
        self, scope: Scope, session_id: UUID, turn_number: int
    ) -> TurnStatus | None:
        conversation = self.data.conversation(scope, session_id)
        return None if conversation is None else conversation.turns.get(turn_number)

    async def fail_turn(self, scope: Scope, session_id: UUID, turn_number: int) -> bool:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None or turn_number not in conversation.turns:
            return False
        if conversation.turns[turn_number] is TurnStatus.PENDING:
            conversation.set_status(turn_number, TurnStatus.FAILED)
        return True


def _add(
    conversation: StoredConversation,
    messages: Sequence[NewMessage],
    *,
    reply_to: UUID | None,
    now: datetime,
) -> tuple[Message, ...]:
    """Number the messages, put them at the conversation's end and bring its session up to date.

    What joins the turn of `reply_to` is on the branch of that message.
    """
    if reply_to is None:
        turns = (message.turn_number for message in conversation.active)
        joined = max((turn for turn in turns if turn is not None), default=None)
    elif reply_to in conversation.messages:
        joined = conversation.messages[reply_to].turn_number
    else:
        raise MessageNotFound(reply_to)
    first_new = conversation.last_turn
    time = max(now, conversation.session.updated_at)
    ids = []
    for message, offset in zip(messages, turn_offsets(messages), strict=True):
        turn = first_new + offset if offset else None if offset is None else joined
        conversation.last_sequence += 1
        conversation.messages[message.message_id] = _stored(message, conversation, turn, time)
        ids.append(message.message_id)
        if turn is not None:
            is_question = message.role is Role.USER
            status = TurnStatus.PENDING if is_question else TurnStatus.COMPLETE
            conversation.set_status(turn, status)
            conversation.last_turn = max(conversation.last_turn, turn)
    added = [conversation.messages[message_id] for message_id in ids]
    conversation.session = replace(conversation.session, updated_at=time)
    if conversation.session.name is None:
        conversation.name_after(next((m for m in added if m.role is Role.USER), None))
    if reply_to is not None and not conversation.messages[reply_to].is_active:
        conversation.switch(shown=(), hidden=[m for m in added if m.turn_number == joined])
    conversation.recount()
    return tuple(conversation.messages[message_id] for message_id in ids)


def _stored(
    message: NewMessage, conversation: StoredConversation, turn: int | None, time: datetime
) -> Message:
    details = message.details.placed_in(conversation.session.only_database)
    return Message(
        message_id=message.message_id,
        session_id=conversation.session.session_id,
        sequence=conversation.last_sequence,
        turn_number=turn,
        role=message.role,
        content=message.content,
        metadata=copy_object(message.metadata),
        details=AnswerDetails.stored(copy_object(details.to_json())),
        created_at=message.created_at or time,
    )


class InMemoryHistory(InMemoryStore):
    """Implements `recollect.ports.conversations.HistoryStore`."""

    async def list(self, scope: Scope, page: PageRequest) -> Page[Message]:
        return cut_page(self._active(scope), page, HistoryPosition, _history_position)

    async def of_turns(
        self, scope: Scope, turns: Collection[tuple[UUID, int]]
    ) -> tuple[Message, ...]:
        wanted = frozenset(turns)
        return tuple(m for m in self._messages(scope) if (m.session_id, m.turn_number) in wanted)

    async def count(self, scope: Scope) -> int:
        return len(self._active(scope))

    async def delete(self, scope: Scope, message_id: UUID, *, now: datetime) -> bool:
        deleted = [m for m in self._messages(scope) if m.message_id == message_id]
        if deleted:
            self._remove(scope, deleted)
            self.data.audit(scope, AuditAction.MESSAGE_DELETED, message_id, now=now)
        return bool(deleted)

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        cleared = self._messages(scope)
        self._remove(scope, cleared)
        count = len(cleared)
        self.data.audit(scope, AuditAction.HISTORY_CLEARED, scope.owner_id, count=count, now=now)
        return count

    async def trim(self, scope: Scope, *, keep_last: int, now: datetime) -> int:
        newest_first = sorted(self._messages(scope), key=_history_position, reverse=True)
        trimmed = newest_first[keep_last:]
        self._remove(scope, trimmed)
        count = len(trimmed)
        self.data.audit(scope, AuditAction.HISTORY_TRIMMED, scope.owner_id, count=count, now=now)
        return count

    def _active(self, scope: Scope) -> tuple[Message, ...]:
        return tuple(message for message in self._messages(scope) if message.is_active)

    def _messages(self, scope: Scope) -> tuple[Message, ...]:
        conversations = self.data.conversations(scope)
        return tuple(chain.from_iterable(one.messages.values() for one in conversations))

    def _remove(self, scope: Scope, messages: Iterable[Message]) -> None:
        by_session: dict[UUID, list[Message]] = {}
        for message in messages:
            by_session.setdefault(message.session_id, []).append(message)
        for session_id, removed in by_session.items():
            self.data.of(scope.owner_id).conversations[session_id].remove(removed)


def _history_position(message: Message) -> HistoryPosition:
    return HistoryPosition(message.created_at, message.session_id, message.sequence)
