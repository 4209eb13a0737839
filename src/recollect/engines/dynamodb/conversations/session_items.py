"""Sessions and messages as items of the table."""

import asyncio
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import AnswerDetails, Message, Role
from recollect.domain.conversation.session import Session, TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.conversation import STATUSES, Conversation
from recollect.engines.dynamodb.conversations.ranges import Ranges, from_runs, to_runs
from recollect.engines.dynamodb.table.items import (
    Attribute,
    Item,
    json_from,
    json_text,
    optional_time,
    size_of,
    time_from,
    time_text,
)
from recollect.engines.dynamodb.table.keys import (
    BY_TIME,
    SORT,
    WORK_DUE,
    WORK_QUEUE,
    key_of,
    message_key,
    queue_of,
    session_key,
)
from recollect.engines.dynamodb.table.transaction import VERSION
from recollect.errors import InvalidInput

PENDING: Final = "pending"
DUE: Final = "due"
SWEEP_AFTER: Final = timedelta(days=7)
"""How long after a session's end DynamoDB itself may delete it: the worker archives it first."""
SESSIONS_BY_TIME: Final = "session#"
MESSAGES_BY_TIME: Final = "message#"
_MAX_ITEM: Final = 380_000
"""Bytes of an item, below DynamoDB's 400 KB."""
_PLAIN: Final = 600
"""Characters of a conversation's state that are stored as they are."""
_LONG: Final = 5_000
"""Messages of a session whose state takes some 5 ms to write, and half of that to read."""
_PART_CHARACTERS: Final = 90_000
"""Characters of a part of a large message: 360 KB if each takes four bytes."""


async def written_conversation(one: Conversation) -> dict[str, Attribute | None]:
    """The item of a session, without its version; of a long one it is made in a thread."""
    if one.last_sequence <= _LONG:
        return conversation_item(one)
    return await asyncio.to_thread(conversation_item, one)


def conversation_item(one: Conversation) -> dict[str, Attribute | None]:
    """The item of a session, without its version."""
    session = one.session
    end = session.expires_at
    item: dict[str, Attribute | None] = {
        **key_of(one.owner_id, session_key(one.session_id)),
        "tenant": one.scope.tenant,
        "user": one.scope.user,
        "sessionId": str(one.session_id),
        "name": session.name,
        "nameTurn": session.name_turn,
        "metadata": json_text(session.metadata),
        "databases": json_text(session.databases),
        "tags": json_text(session.tags),
        "createdAt": time_text(session.created_at),
        "updatedAt": time_text(session.updated_at),
        "lastAccessed": time_text(session.last_accessed_at),
        BY_TIME: f"{SESSIONS_BY_TIME}{time_text(session.updated_at)}",
        "expiresAt": None if end is None else time_text(end),
        "ttl": None if end is None else int((end + SWEEP_AFTER).timestamp()),
        "messageCount": session.message_count,
        "turnCount": session.turn_count,
        "summary": session.summary,
        "summaryDetails": _summary_text(one.summary),
        "incarnation": one.incarnation,
        "isBeingErased": one.is_being_erased or None,
        "conversation": _packed(json_text(_state(one))),
        **_work(one),
    }
    if size_of(item) > _MAX_ITEM:
        raise InvalidInput("session", "has more metadata and branches than an item can hold")
    return item


def _packed(text: str) -> Attribute:
    """Compress the state of a long conversation: each KB of an item is paid at every change."""
    return text if len(text) <= _PLAIN else zlib.compress(text.encode())


def _unpacked(stored: Attribute) -> Attribute:
    return zlib.decompress(stored).decode() if isinstance(stored, bytes) else stored


def _work(one: Conversation) -> dict[str, Attribute]:
    """Where the session waits: for answers, or for the background work alone."""
    if one.is_being_erased or not (one.pending_since or one.due):
        return {}
    if one.pending_since:
        kind, since = PENDING, min(one.pending_since.values())
    else:
        kind, since = DUE, one.session.updated_at
    return {WORK_QUEUE: queue_of(kind, one.owner_id), WORK_DUE: time_text(since)}


def _state(one: Conversation) -> dict[str, Any]:
    state = {
        "sequence": one.last_sequence,
        "turn": one.last_turn,
        "activeTurn": one.active_turn,
        "deleted": [*one.deleted],
        "inactive": [*one.inactive],
        "turns": to_runs({turn: STATUSES.index(status) for turn, status in one.turns.items()}),
        "turnStarts": to_runs(one.turn_starts),
        "late": one.late,
        "pendingSince": {turn: time_text(since) for turn, since in one.pending_since.items()},
        "parents": to_runs(one.parents),
        "due": to_runs(one.due),
        "indexed": to_runs(one.indexed),
        "learnt": to_runs(one.learnt),
    }
    return {name: value for name, value in state.items() if value not in (None, [], {})}


async def read_conversation(item: Mapping[str, Attribute]) -> Conversation:
    """Read the item of a session; that of a long one in a thread."""
    if int(item["messageCount"]) <= _LONG:
        return conversation_from(item)
    return await asyncio.to_thread(conversation_from, item)


def conversation_from(item: Mapping[str, Attribute]) -> Conversation:
    """Read the item of a session."""
    state = json_from(_unpacked(item["conversation"]))
    statuses = from_runs(state.get("turns", ()))
    since: Mapping[str, str] = state.get("pendingSince", {})
    summary = _summary_from(item)
    return Conversation(
        scope=stored_scope(item),
        session=_session_from(item, summary),
        incarnation=str(item["incarnation"]),
        version=int(item[VERSION]),
        last_sequence=state.get("sequence", 0),
        last_turn=state.get("turn", 0),
        active_turn=state.get("activeTurn"),
        deleted=Ranges(state.get("deleted", ())),
        inactive=Ranges(state.get("inactive", ())),
        turns={turn: STATUSES[number] for turn, number in statuses.items()},
        turn_starts=from_runs(state.get("turnStarts", ())),
        late={int(turn): numbers for turn, numbers in state.get("late", {}).items()},
        pending_since={int(turn): time_from(text) for turn, text in since.items()},
        parents=from_runs(state.get("parents", ())),
        due=from_runs(state.get("due", ())),
        indexed=from_runs(state.get("indexed", ())),
        learnt=from_runs(state.get("learnt", ())),
        summary=summary,
        is_being_erased=bool(item.get("isBeingErased")),
    )


def stored_scope(item: Mapping[str, Attribute]) -> Scope:
    """The owner that an item names, for background work."""
    return Scope(tenant=str(item["tenant"]), user=str(item["user"]), is_stored=True)


def _session_from(item: Mapping[str, Attribute], summary: Summary | None) -> Session:
    name, name_turn = item.get("name"), item.get("nameTurn")
    return Session(
        session_id=UUID(str(item["sessionId"])),
        name=None if name is None else str(name),
        metadata=json_from(item.get("metadata")),
        databases=tuple(json_from(item["databases"])),
        tags=tuple(json_from(item["tags"])),
        created_at=time_from(item["createdAt"]),
        updated_at=time_from(item["updatedAt"]),
        last_accessed_at=time_from(item["lastAccessed"]),
        expires_at=optional_time(item.get("expiresAt")),
        message_count=int(item["messageCount"]),
        turn_count=int(item["turnCount"]),
        summary=None if summary is None else summary.text,
        summary_tables=() if summary is None else summary.tables,
        name_turn=None if name_turn is None else int(name_turn),
    )


def _summary_text(summary: Summary | None) -> str | None:
    if summary is None:
        return None
    return json_text(
        {
            "first": summary.first_sequence,
            "last": summary.last_sequence,
            "tables": summary.tables,
            "method": summary.method,
            "createdAt": time_text(summary.created_at),
        }
    )


def _summary_from(item: Mapping[str, Attribute]) -> Summary | None:
    if "summaryDetails" not in item:
        return None
    details = json_from(item["summaryDetails"])
    return Summary(
        text=str(item.get("summary", "")),
        first_sequence=details["first"],
        last_sequence=details["last"],
        tables=tuple(details["tables"]),
        method=details["method"],
        created_at=time_from(details["createdAt"]),
    )


def message_items(one: Conversation, message: Message) -> list[dict[str, Attribute | None]]:
    """The item of a message, and further ones where it is too large for one."""
    item: dict[str, Attribute | None] = {
        **key_of(one.owner_id, message_key(one.session_id, one.incarnation, message.sequence)),
        "messageId": str(message.message_id),
        "sequence": message.sequence,
        "turnNumber": message.turn_number,
        "role": message.role.value,
        "content": message.content,
        "timestamp": time_text(message.created_at),
        BY_TIME: message_time_key(message),
        "metadata": json_text(message.metadata) if message.metadata else None,
        "details": json_text(details) if (details := message.details.to_json()) else None,
    }
    if size_of(item) <= _MAX_ITEM:
        return [item]
    texts = {name: item.pop(name) for name in ("content", "metadata", "details")}
    whole = json_text({name: text for name, text in texts.items() if text is not None})
    starts = range(0, len(whole), _PART_CHARACTERS)
    parts: list[dict[str, Attribute | None]] = [
        {
            **key_of(
                one.owner_id, message_key(one.session_id, one.incarnation, message.sequence, at)
            ),
            "part": whole[start : start + _PART_CHARACTERS],
        }
        for at, start in enumerate(starts, start=1)
    ]
    return [{**item, "parts": len(parts)}, *parts]


def message_time_key(message: Message) -> str:
    """Where a message is among all messages of its owner by time."""
    moment = time_text(message.created_at)
    return f"{MESSAGES_BY_TIME}{moment}#{message.session_id}#{message.sequence:012d}"


def messages_from(one: Conversation, items: Iterable[Item]) -> Iterator[Message]:
    """Read messages in any order; parts of large ones come together with them."""
    parts: dict[str, str] = {}
    mains: list[Item] = []
    for item in items:
        if "part" in item:
            parts[str(item[SORT])] = str(item["part"])
        else:
            mains.append(item)
    for item in mains:
        yield _message_from(one, item, parts)


def _message_from(one: Conversation, item: Item, parts: Mapping[str, str]) -> Message:
    sequence, turn = int(item["sequence"]), item.get("turnNumber")
    texts: Mapping[str, Any] = item
    if "parts" in item:
        names = (f"{item[SORT]!s}#{part:04d}" for part in range(1, int(item["parts"]) + 1))
        texts = json_from("".join(parts[name] for name in names))
    return Message(
        message_id=UUID(str(item["messageId"])),
        session_id=one.session_id,
        sequence=sequence,
        turn_number=None if turn is None else int(turn),
        role=Role(str(item["role"])),
        content=str(texts["content"]),
        metadata=json_from(texts.get("metadata")),
        details=AnswerDetails.stored(json_from(texts.get("details"))),
        created_at=time_from(item["timestamp"]),
        is_active=sequence not in one.inactive,
    )


def pending_before(one: Conversation, moment: datetime) -> list[int]:
    """The turns that have waited for an answer since that time or longer."""
    return [
        turn
        for turn, since in one.pending_since.items()
        if since <= moment and one.turns.get(turn) is TurnStatus.PENDING
    ]
