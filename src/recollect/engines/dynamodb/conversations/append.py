"""Appends messages: numbered without gaps, stored together with all that follows from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
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
from recollect.domain.conversation.session import TurnStatus, turn_offsets
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.ranges import Ranges
from recollect.engines.dynamodb.conversations.session_items import (
    message_items,
    read_conversation,
)
from recollect.engines.dynamodb.conversations.store import Conversations, is_session
from recollect.engines.dynamodb.table.items import Attribute, Item, json_from, json_text
from recollect.engines.dynamodb.table.keys import SORT, key_of, message_id_key, name_of, session_key
from recollect.engines.dynamodb.table.transaction import MAX_BYTES, MAX_OPERATIONS, Transaction
from recollect.engines.dynamodb.work.job_items import queue_compaction
from recollect.errors import ErasureUnderWay, IdAlreadyUsed, MessageNotFound
from recollect.ports.conversations import Appended, SessionStart, WriteTerms


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is stored of ids that a writer names."""

    messages: dict[UUID, Message]
    """Of the conversation itself."""
    elsewhere: frozenset[UUID]
    """Ids of messages in other conversations of the owner."""
    pointers: dict[UUID, Item]
    """The items that tell where the ids are, also those that nothing is at any more."""


async def append(
    data: Conversations,
    scope: Scope,
    session_id: UUID,
    messages: Sequence[NewMessage],
    *,
    reply_to: UUID | None = None,
    start: SessionStart | None = None,
    **terms: Unpack[WriteTerms],
) -> Appended | None:
    """Append messages as the port has it; raises `ConditionFailed` if somebody else was faster."""
    ids = [message.message_id for message in messages]
    named = ids if reply_to is None else [*ids, reply_to]
    one, known = await read_with(data, scope, session_id, named)
    is_there = one is not None and one.is_visible(data.clock.now())
    if one is not None and one.is_being_erased:
        raise ErasureUnderWay
    if one is None or not is_there:
        await data.refuse_erased(scope.owner_id)
        if start is None:
            return None
        refuse_doubles(messages)
        for message_id in ids:
            if message_id in known.elsewhere:
                raise IdAlreadyUsed(message_id)
        if one is not None:
            await data.delete_expired(one, now=terms["now"])
        one = Conversation.started(
            scope, start.session, now=terms["now"], expires_at=start.expires_at
        )
        known = replace(known, messages={}, pointers={})
    else:
        used = {*known.messages, *known.elsewhere}
        repeated = repeated_messages(messages, known=known.messages, used=used)
        if repeated is not None:
            return Appended(messages=repeated, is_new=False)
    added = add(one, messages, known, reply_to=reply_to, now=terms["now"])
    await store(data, one, added, known, **terms)
    return Appended(messages=added, is_new=True)


async def find_known(
    data: Conversations, scope: Scope, one: Conversation | None, ids: Sequence[UUID]
) -> Known:
    """Look up which of these ids messages of the owner have."""
    keys = [key_of(scope.owner_id, message_id_key(message_id)) for message_id in ids]
    return await _known_at(data, scope, one, await data.table.get_many(keys))


async def read_with(
    data: Conversations, scope: Scope, session_id: UUID, ids: Sequence[UUID]
) -> tuple[Conversation | None, Known]:
    """Read a conversation, and look up which of these ids messages have: in one request mostly."""
    session = key_of(scope.owner_id, session_key(session_id))
    keys = [key_of(scope.owner_id, message_id_key(message_id)) for message_id in ids]
    found = await data.table.get_many([session, *keys])
    stored = found.pop(name_of(session), None)
    one = None if stored is None else await read_conversation(stored)
    return one, await _known_at(data, scope, one, found)


async def _known_at(
    data: Conversations,
    scope: Scope,
    one: Conversation | None,
    found: Mapping[tuple[str, str], Item],
) -> Known:
    pointers = {UUID(str(pointer["messageId"])): pointer for pointer in found.values()}
    wanted: dict[tuple[str, str], Item] = {}
    for pointer in pointers.values():
        for sort in (str(pointer["place"]), session_key(UUID(str(pointer["sessionId"])))):
            key = key_of(scope.owner_id, sort)
            wanted[name_of(key)] = key
    items = await data.table.get_many(wanted.values()) if wanted else {}
    sessions = {name: item for name, item in items.items() if is_session(item)}
    holders = {name: await read_conversation(item) for name, item in sessions.items()}
    own: dict[UUID, Message] = {}
    elsewhere: set[UUID] = set()
    for message_id, pointer in pointers.items():
        owner = str(scope.owner_id)
        holder = holders.get((owner, session_key(UUID(str(pointer["sessionId"])))))
        place = items.get((owner, str(pointer["place"])))
        message = None
        if holder is not None and place is not None:
            message = await data.message_of(holder, place)
        if message is None or message.message_id != message_id:
            continue
        if one is not None and message.session_id == one.session_id:
            own[message_id] = message
        else:
            elsewhere.add(message_id)
    return Known(messages=own, elsewhere=frozenset(elsewhere), pointers=pointers)


def add(
    one: Conversation,
    messages: Sequence[NewMessage],
    known: Known,
    *,
    reply_to: UUID | None,
    now: datetime,
) -> tuple[Message, ...]:
    """Number the messages, put them at the conversation's end and bring its session up to date.

    What joins the turn of `reply_to` is on the branch of that message.
    """
    question = None if reply_to is None else known.messages.get(reply_to)
    if reply_to is not None and question is None:
        raise MessageNotFound(reply_to)
    joined = one.active_turn if question is None else question.turn_number
    moment = max(now, one.session.updated_at)
    first_new, opened = one.last_turn, 0
    added: list[Message] = []
    for message, offset in zip(messages, turn_offsets(messages), strict=True):
        turn = first_new + offset if offset else None if offset is None else joined
        one.last_sequence += 1
        stored = _stored(message, one, turn, moment)
        if turn is not None:
            opened += _set_turn(one, stored, turn, moment)
        is_beside = question is not None and not question.is_active and turn == joined
        if is_beside and turn is not None:
            one.inactive |= Ranges.of([stored.sequence])
        added.append(replace(stored, is_active=not is_beside or turn is None))
    _bring_up_to_date(one, added, opened, moment)
    return tuple(added)


def _set_turn(one: Conversation, message: Message, turn: int, moment: datetime) -> bool:
    """Put a message into its turn; whether that is a new one."""
    is_new = turn > one.last_turn
    one.last_turn = max(one.last_turn, turn)
    one.place(turn, message.sequence)
    is_question = message.role is Role.USER
    status = TurnStatus.PENDING if is_question else TurnStatus.COMPLETE
    one.set_status(turn, status, since=moment)
    return is_new


def _bring_up_to_date(
    one: Conversation, added: Sequence[Message], opened: int, moment: datetime
) -> None:
    if opened:
        one.active_turn = one.last_turn
    one.session = replace(
        one.session,
        updated_at=moment,
        message_count=one.count_active(),
        turn_count=one.session.turn_count + opened,
    )
    if one.session.name is None:
        one.name_after(next((m for m in added if m.role is Role.USER), None))


def _stored(message: NewMessage, one: Conversation, turn: int | None, moment: datetime) -> Message:
    details = message.details.placed_in(one.session.only_database)
    return Message(
        message_id=message.message_id,
        session_id=one.session_id,
        sequence=one.last_sequence,
        turn_number=turn,
        role=message.role,
        content=message.content,
        metadata=json_from(json_text(message.metadata)),
        details=AnswerDetails.stored(json_from(json_text(details.to_json()))),
        created_at=message.created_at or moment,
    )


async def store(
    data: Conversations,
    one: Conversation,
    added: Sequence[Message],
    known: Known,
    **terms: Unpack[WriteTerms],
) -> None:
    """Store messages with the conversation that has them from then on."""
    one.use(now=terms["now"], expires_at=terms.get("expires_at"))
    transaction = data.table.transaction()
    if one.version == 0:
        await data.start(one, transaction)
    else:
        await data.save(one, transaction)
    compaction = terms.get("compaction")
    unsummarized = one.count_active(after=one.summarized_through)
    if compaction is not None and compaction.is_due(unsummarized):
        queue_compaction(transaction, one, now=terms["now"])
    await store_messages(data, one, added, known, transaction)
    await data.table.write(transaction)


async def store_messages(
    data: Conversations,
    one: Conversation,
    added: Sequence[Message],
    known: Known,
    transaction: Transaction,
) -> None:
    """Add messages to the transaction that publishes them.

    Where they do not fit into it, they are stored before: nobody sees a message whose number the
    session's item does not have, and what is left of a writer that was killed is overwritten by
    the next. Each of these writes requires that the session is as it was read.
    """
    puts = [_puts(one, message) for message in added]
    whole = sum(len(items) for items, _ in puts) + len(puts) + len(transaction.operations)
    before = Transaction(data.table.name)
    for items, _ in puts:
        before.size += sum(map(_size, items))
    if whole <= MAX_OPERATIONS and before.size + transaction.size <= MAX_BYTES:
        for items, pointer in puts:
            _put(transaction, items, pointer, known)
        return
    key = key_of(one.owner_id, session_key(one.session_id))
    part = data.table.transaction()
    part.check_version(key, one.version)
    for items, pointer in puts:
        size = sum(map(_size, items))
        if len(part.operations) + len(items) >= MAX_OPERATIONS or part.size + size > MAX_BYTES:
            await data.table.write(part)
            part = data.table.transaction()
            part.check_version(key, one.version)
        _put(part, items, pointer, known)
    await data.table.write(part)


def _size(item: dict[str, Attribute | None]) -> int:
    return sum(len(str(value).encode()) for value in item.values() if value is not None)


def _puts(one: Conversation, message: Message) -> tuple[list[dict[str, Attribute | None]], Item]:
    items = message_items(one, message)
    pointer: Item = {
        **key_of(one.owner_id, message_id_key(message.message_id)),
        "place": str(items[0][SORT]),
        "sessionId": str(one.session_id),
        "messageId": str(message.message_id),
    }
    return items, pointer


def _put(
    transaction: Transaction,
    items: Sequence[dict[str, Attribute | None]],
    pointer: Item,
    known: Known,
) -> None:
    for item in items:
        transaction.put(item)
    stale = known.pointers.get(UUID(str(pointer["messageId"])))
    if stale is None:
        transaction.put_if(
            pointer,
            "attribute_not_exists(place) OR place = :own",
            {":own": str(pointer["place"])},
        )
    else:
        # What the id led to is gone, or was never published.
        transaction.put_if(pointer, "place = :stale", {":stale": str(stale["place"])})
