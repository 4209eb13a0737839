"""How messages join a conversation: retries recognised, numbers and turns given."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recollect.domain.message import AnswerDetails, Message, NewMessage, Role
from recollect.domain.turn import TurnStatus, turn_offsets
from recollect.engines.in_memory.state import Conversation, OwnerMemory, copy_object
from recollect.errors import IdAlreadyUsed, MessageNotFound


def find_repeated(
    owner: OwnerMemory, conversation: Conversation, messages: Sequence[NewMessage]
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
    conversation: Conversation,
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
    conversation: Conversation, messages: Sequence[NewMessage], reply_to: UUID | None
) -> list[int | None]:
    joined = _joined_turn(conversation, reply_to)
    return [
        conversation.last_turn + offset if offset else None if offset is None else joined
        for offset in turn_offsets(messages)
    ]


def _joined_turn(conversation: Conversation, reply_to: UUID | None) -> int | None:
    if reply_to is None:
        turns = (message.turn_number for message in conversation.active)
        return max((turn for turn in turns if turn is not None), default=None)
    if reply_to not in conversation.messages:
        raise MessageNotFound(reply_to)
    return conversation.messages[reply_to].turn_number


def _stored(
    message: NewMessage,
    conversation: Conversation,
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


def _move_turn(conversation: Conversation, message: Message) -> None:
    if message.turn_number is None:
        return
    is_question = message.role is Role.USER
    status = TurnStatus.PENDING if is_question else TurnStatus.COMPLETE
    conversation.turns[message.turn_number] = status
    conversation.change(message.turn_number)
    conversation.last_turn = max(conversation.last_turn, message.turn_number)
