"""Rows of the database as values of the domain, and back."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

import orjson
from asyncpg import Record

from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import (
    NO_DETAILS,
    AnswerDetails,
    Message,
    NewMessage,
    Role,
    Visibility,
    frozen,
)
from recollect.domain.conversation.session import Session
from recollect.domain.identity.accounts import (
    ApiKey,
    AuditAction,
    AuditEntry,
    KeyScope,
    MemoryPolicy,
)
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject, json_characters
from recollect.offloading import AT_ONCE, off_loop
from recollect.ports.conversations import StoredWindow
from recollect.ports.work import Job, JobKind

_OF_ROW: Final = 20
"""A row without JSON takes as long to read as so many characters of it: 1 µs."""
_ROLES: Final = {str(role): role for role in Role}  # a third of the time of Role(…)


def to_json(value: JsonObject) -> str:
    """JSON text as PostgreSQL takes it."""
    return orjson.dumps(value, default=dict).decode()


async def json_text(value: JsonObject) -> str:
    """The same, made in a thread where it is long."""
    if not value:
        return "{}"
    characters = json_characters(value, most=AT_ONCE)
    return await off_loop(partial(to_json, value), characters=characters)


async def read_session(row: Mapping[str, Any]) -> Session:
    """A row of `sessions`; long JSON in it is parsed in a thread."""
    return await off_loop(partial(_session_from, row), characters=len(row["metadata"]))


async def read_sessions(rows: Sequence[Record]) -> list[Session]:
    """Rows of `sessions`; long JSON in them is parsed in a thread."""
    characters = sum(len(row["metadata"]) for row in rows)
    return await off_loop(lambda: [_session_from(row) for row in rows], characters=characters)


def _session_from(row: Mapping[str, Any]) -> Session:
    return Session(
        session_id=row["session_id"],
        name=row["name"],
        name_turn=row["name_turn"],
        metadata=orjson.loads(row["metadata"]),
        databases=tuple(row["databases"]),
        tags=tuple(row["tags"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        last_accessed_at=row["last_accessed_at"],
        expires_at=row["expires_at"],
        message_count=row["message_count"],
        turn_count=row["turn_count"],
        summary=row["summary"],
        summary_tables=tuple(row["summary_tables"] or ()),
    )


async def read_messages(rows: Sequence[Record]) -> tuple[Message, ...]:
    """Rows of `messages`; long JSON in them is parsed in a thread."""
    if reading_effort(rows) <= AT_ONCE:
        return _messages_from(rows)
    return await asyncio.to_thread(_messages_from, rows)


def reading_effort(rows: Sequence[Record]) -> int:
    """How much there is to parse in rows of `messages`, in characters of JSON."""
    length = sum(len(row["metadata"]) + len(row["details"] or "") for row in rows)
    return length + _OF_ROW * len(rows)


def _messages_from(rows: Iterable[Record]) -> tuple[Message, ...]:
    return tuple(map(message_from, rows))


def message_from(row: Record) -> Message:
    """A row of `messages`."""
    metadata, details = row["metadata"], row["details"]
    message = _UnfrozenMessage()
    message.message_id = row["message_id"]
    message.session_id = row["session_id"]
    message.sequence = row["sequence"]
    message.turn_number = row["turn_number"]
    message.role = _ROLES[row["role"]]
    message.content = row["content"]
    message.metadata = {} if metadata == "{}" else orjson.loads(metadata)
    message.details = NO_DETAILS if details is None else AnswerDetails.stored(orjson.loads(details))
    message.created_at = row["created_at"]
    message.is_active = row.get("is_active", True)  # statements that name columns read no other
    message.visibility = Visibility.ALL
    return frozen(message, Message)


def stored_message(
    new: NewMessage,
    session_id: UUID,
    *,
    sequence: int,
    turn_number: int | None,
    only_database: str | None,
    created_at: datetime,
) -> Message:
    """A message as an append has stored it."""
    message = _UnfrozenMessage()
    message.message_id = new.message_id
    message.session_id = session_id
    message.sequence = sequence
    message.turn_number = turn_number
    message.role = new.role
    message.content = new.content
    message.metadata = new.metadata
    message.details = new.details.placed_in(only_database)
    message.created_at = created_at
    message.is_active = True
    message.visibility = Visibility.ALL
    return frozen(message, Message)


class _UnfrozenMessage:
    """The slots of `Message`, open until they are filled."""

    __slots__ = Message.__slots__
    message_id: UUID
    session_id: UUID
    sequence: int
    turn_number: int | None
    role: Role
    content: str
    metadata: JsonObject
    details: AnswerDetails
    created_at: datetime
    is_active: bool
    visibility: Visibility


async def read_window(rows: Sequence[Record]) -> StoredWindow:
    """Rows of the statement `window`: one a message, or one without, each with the session.

    Long JSON in them is parsed in a thread.
    """
    messages = [row for row in reversed(rows) if row["sequence"] is not None]
    characters = reading_effort(messages) + len(rows[0]["session_metadata"])
    return await off_loop(partial(_window_from, rows[0], messages), characters=characters)


def _window_from(first: Record, messages: Sequence[Record]) -> StoredWindow:
    session = {**first, "metadata": first["session_metadata"]}
    session["created_at"] = first["session_created_at"]
    session["summary_tables"] = first["tables"]
    return StoredWindow(
        session=_session_from(session),
        summary=None if first["summary"] is None else _window_summary(first),
        messages=_messages_from(messages),
    )


def _window_summary(row: Mapping[str, Any]) -> Summary:
    return Summary(
        text=row["summary"],
        first_sequence=row["first_sequence"],
        last_sequence=row["summary_end"],
        tables=tuple(row["tables"]),
        method=row["method"],
        created_at=row["summarized_at"],
    )


def summary_from(row: Record) -> Summary:
    """A row of `summaries`."""
    return Summary(
        text=row["text"],
        first_sequence=row["first_sequence"],
        last_sequence=row["last_sequence"],
        tables=tuple(row["tables"]),
        method=row["method"],
        created_at=row["created_at"],
    )


def job_payload(scope: Scope, session_id: UUID) -> str:
    """What a worker must know to do a job for an owner."""
    return to_json({"tenant": scope.tenant, "user": scope.user, "session_id": str(session_id)})


def job_from(row: Record) -> Job:
    """A row of `jobs`."""
    payload = orjson.loads(row["payload"])
    return Job(
        job_id=row["job_id"],
        kind=JobKind(row["kind"]),
        scope=Scope.stored(tenant=payload["tenant"], user=payload["user"], actor="worker"),
        session_id=UUID(payload["session_id"]),
        attempts=row["attempts"],
        scheduled_at=row["scheduled_at"],
    )


def api_key_from(row: Record) -> ApiKey:
    """A row of `api_keys`."""
    return ApiKey(
        key_id=row["key_id"],
        tenant=row["tenant_id"],
        user=row["user_id"],
        scopes=frozenset(KeyScope(scope) for scope in row["scopes"]),
        name=row["name"],
        secret_hash=row["secret_hash"],
        created_at=row["created_at"],
        revoked_at=row["revoked_at"],
        memory=MemoryPolicy(row["memory"]),
    )


def audit_entry_from(row: Record) -> AuditEntry:
    """A row of `audit`."""
    return AuditEntry(
        action=AuditAction(row["action"]),
        target=row["target"],
        count=row["count"],
        actor=row["actor"],
        transaction_id=row["transaction_id"],
        at=row["at"],
    )
