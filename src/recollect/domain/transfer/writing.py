"""What an export has of an owner, as JSON."""

from datetime import datetime
from typing import Final

from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import NO_DETAILS, Visibility
from recollect.domain.identity.accounts import ApiKey, UserState
from recollect.domain.identity.audit import AuditEntry
from recollect.domain.profile.profile import ProfileItem
from recollect.domain.recall.entry import Entry
from recollect.domain.text import JsonObject, JsonValue
from recollect.domain.transfer.records import MessageRecord, SessionRecord, TurnRecord

_VISIBILITIES: Final = {one: one.name.lower() for one in Visibility}


def profile_item(item: ProfileItem) -> JsonObject:
    """A value of the profile."""
    return {
        "key": item.key,
        "value": item.value,
        "version": item.version,
        "created_at": _time(item.created_at),
        "updated_at": _time(item.updated_at),
    }


def state(user_state: UserState) -> JsonObject:
    """The mode of the user."""
    return {"mode": user_state.mode, "updated_at": _time(user_state.updated_at)}


def api_key(key: ApiKey) -> JsonObject:
    """A key as its owner knows it: nothing that opens anything."""
    return {
        "key_id": str(key.key_id),
        "name": key.name,
        "scopes": sorted(key.scopes),
        "memory": str(key.memory),
        "created_at": _time(key.created_at),
        "revoked_at": _time(key.revoked_at),
    }


def session(record: SessionRecord) -> dict[str, JsonValue]:
    """A session without its messages."""
    one = record.session
    return {
        "session_id": str(one.session_id),
        "name": one.name,
        "name_turn": one.name_turn,
        "metadata": one.metadata,
        "databases": list(one.databases),
        "tags": list(one.tags),
        "created_at": _time(one.created_at),
        "updated_at": _time(one.updated_at),
        "last_accessed_at": _time(one.last_accessed_at),
        "expires_at": _time(one.expires_at),
        "last_sequence": record.last_sequence,
        "last_turn": record.last_turn,
        "summary": None if record.summary is None else _summary(record.summary),
    }


def _summary(summary: Summary) -> JsonObject:
    return {
        "text": summary.text,
        "first_sequence": summary.first_sequence,
        "last_sequence": summary.last_sequence,
        "tables": list(summary.tables),
        "method": summary.method,
        "created_at": _time(summary.created_at),
    }


def message(record: MessageRecord) -> JsonObject:
    """A message of any branch."""
    one = record.message
    return {
        "message_id": str(one.message_id),
        "session_id": str(one.session_id),
        "sequence": one.sequence,
        "role": str(one.role),
        "content": one.content,
        "metadata": one.metadata,
        "details": {} if one.details is NO_DETAILS else one.details.to_json(),
        "created_at": _time(one.created_at),
        "is_active": one.is_active,
        "visibility": _VISIBILITIES[one.visibility],
        "turn": None if record.turn is None else _turn(record.turn),
    }


def _turn(turn: TurnRecord) -> JsonObject:
    return {
        "number": turn.number,
        "status": str(turn.status),
        "follows": turn.follows,
        "is_learnt": turn.is_learnt,
    }


def recall_entry(entry: Entry) -> JsonObject:
    """What recall finds, without its vector."""
    return {
        "session_id": str(entry.session_id),
        "turn_number": entry.turn_number,
        "sequence": entry.sequence,
        "message_ids": [str(message_id) for message_id in entry.message_ids],
        "text": entry.text,
        "said_at": _time(entry.said_at),
        "speaker": entry.speaker,
        "tables": list(entry.tables),
    }


def audit_entry(entry: AuditEntry) -> JsonObject:
    """A line of the audit log."""
    return {
        "action": str(entry.action),
        "target": entry.target,
        "count": entry.count,
        "items": [str(item) for item in entry.items],
        "actor": entry.actor,
        "interface": str(entry.interface),
        "transaction_id": entry.transaction_id,
        "at": _time(entry.at),
    }


def _time(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    text = moment.isoformat()
    return text[:-6] + "Z" if text.endswith("+00:00") else text
