"""Rows of the database as values of the domain, and back."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from functools import partial
from typing import Any, Final

import orjson
from asyncpg import Record

from recollect.concurrency import AT_ONCE, off_loop
from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import (
    NO_DETAILS,
    AnswerDetails,
    Message,
    Role,
    Visibility,
    frozen,
)
from recollect.domain.conversation.session import Session, TurnStatus
from recollect.domain.identity.accounts import is_halting
from recollect.domain.identity.scope import Interface, Scope, TenantScope
from recollect.domain.recall.entry import EntriesSeen, EntriesState
from recollect.domain.text import JsonObject, json_characters
from recollect.domain.transfer.records import MessageRecord, SessionRecord, TurnRecord
from recollect.ports.conversations import StoredWindow

_OF_ROW: Final = 20
"""Characters of JSON that take as long to read as a row without any: 1 µs."""
_SUMMARY: Final = tuple(field.name for field in fields(Summary))
_EMPTY_DETAILS: Final = (None, "{}")
_ROLES: Final = {str(role): role for role in Role}  # a third of the time of Role(…)
_STATUSES: Final = {str(status): status for status in TurnStatus}


def worker_scope(tenant: str, user: str) -> Scope:
    """Return the scope in which a worker serves a stored owner."""
    return Scope(
        tenant=tenant, user=user, actor="worker", interface=Interface.WORKER, is_stored=True
    )


def owner_scope(tenant: str, user: str) -> Scope | TenantScope:
    """Return the same for a user, or for the tenant itself, which has no user."""
    if user:
        return worker_scope(tenant, user)
    return TenantScope(tenant=tenant, actor="worker", interface=Interface.WORKER, is_stored=True)


def to_json(value: JsonObject) -> str:
    """JSON text as PostgreSQL takes it."""
    return orjson.dumps(value, default=dict).decode()


async def json_text(value: JsonObject) -> str:
    """The same, made in a thread where it is long."""
    if not value:
        return "{}"
    characters = json_characters(value, most=AT_ONCE)
    return await off_loop(partial(to_json, value), characters=characters)


async def read_sessions(rows: Sequence[Mapping[str, Any]]) -> list[Session]:
    """Rows of `sessions`; long JSON in them is parsed in a thread."""
    characters = sum(len(row["metadata"]) for row in rows)
    return await off_loop(lambda: [_session_from(row) for row in rows], characters=characters)


async def read_session_records(rows: Sequence[Record]) -> tuple[SessionRecord, ...]:
    """Rows of sessions with all columns of their summaries; long JSON is parsed in a thread."""
    characters = sum(len(row["metadata"]) for row in rows)
    return await off_loop(lambda: tuple(map(_session_record, rows)), characters=characters)


def _session_record(row: Record) -> SessionRecord:
    return SessionRecord(
        session=_session_from(row),
        last_sequence=row["last_sequence"],
        last_turn=row["last_turn"],
        summary=None
        if row["summary"] is None
        else _summary_in({**row, "tables": row["summary_tables"]}),
    )


async def read_message_records(rows: Sequence[Record]) -> tuple[MessageRecord, ...]:
    """Rows of messages with the columns of their turns; long JSON is parsed in a thread."""
    characters = reading_effort(rows)
    return await off_loop(lambda: tuple(map(_message_record, rows)), characters=characters)


def _message_record(row: Record) -> MessageRecord:
    turn = None
    if row["turn_number"] is not None:
        turn = TurnRecord(
            number=row["turn_number"],
            status=_STATUSES[row["status"]],
            follows=row["parent_sequence"],
            is_learnt=row["is_learnt"],
        )
    return MessageRecord(message=message_from(row), turn=turn)


async def read_session(row: Mapping[str, Any]) -> Session:
    """A row of `sessions`; long JSON in it is parsed in a thread."""
    return (await read_sessions([row]))[0]


def _session_from(
    row: Mapping[str, Any],
    *,
    metadata: str = "metadata",
    created_at: str = "created_at",
    summary_tables: str = "summary_tables",
) -> Session:
    """The session in a row, which may have other names for some columns."""
    return Session(
        session_id=row["session_id"],
        name=row["name"],
        metadata=orjson.loads(row[metadata]),
        databases=tuple(row["databases"] or ()),
        tags=tuple(row["tags"] or ()),
        created_at=row[created_at],
        updated_at=row["updated_at"],
        last_accessed_at=row["last_accessed_at"],
        expires_at=row["expires_at"],
        message_count=row["message_count"],
        turn_count=row["turn_count"],
        summary=row["summary"],
        summary_tables=tuple(row[summary_tables] or ()),
        name_turn=row["name_turn"],
    )


async def read_messages(rows: Sequence[Record]) -> tuple[Message, ...]:
    """Rows of `messages`; long JSON in them is parsed in a thread."""
    if reading_effort(rows) <= AT_ONCE:
        return tuple(map(message_from, rows))
    return await asyncio.to_thread(lambda: tuple(map(message_from, rows)))


def reading_effort(rows: Sequence[Record]) -> int:
    """How much there is to parse in rows of `messages`, in characters of JSON."""
    length = sum(len(row["metadata"]) + len(row["details"] or "") for row in rows)
    return length + _OF_ROW * len(rows)


def message_from(row: Record) -> Message:
    """A row of `messages`."""
    metadata, details = row["metadata"], row["details"]
    message: Any = _OpenMessage()
    message.message_id = row["message_id"]
    message.session_id = row["session_id"]
    message.sequence = row["sequence"]
    message.turn_number = row["turn_number"]
    message.role = _ROLES[row["role"]]
    message.content = row["content"]
    message.metadata = {} if metadata == "{}" else orjson.loads(metadata)
    message.details = (
        NO_DETAILS if details in _EMPTY_DETAILS else AnswerDetails.stored(orjson.loads(details))
    )
    message.created_at = row["created_at"]
    message.is_active = row.get("is_active", True)  # statements that name columns read no other
    message.visibility = Visibility.ALL
    return frozen(message, Message)


class _OpenMessage:
    """The slots of `Message`, open until they are filled.

    Ten messages take 17 µs this way and 50 µs as frozen dataclasses, where reading the rows takes
    50: see docs/decisions/0029-what-the-driver-does-not-do.md.
    """

    __slots__ = Message.__slots__


async def read_window(rows: Sequence[Record], *, now: datetime) -> StoredWindow:
    """Rows of the statement `read_window` of `now`: the session, then its messages, newest first.

    Long JSON in them is parsed in a thread.
    """
    session, messages = rows[0], rows[:0:-1]
    characters = reading_effort(messages) + len(session["session_metadata"])
    read = partial(_window_from, session, messages, now=now)
    return await off_loop(read, characters=characters)


def _window_from(first: Record, messages: Sequence[Record], *, now: datetime) -> StoredWindow:
    entries = EntriesSeen(at=now, state=entries_state(first), has_speakers=first["has_speakers"])
    return StoredWindow(
        session=_session_from(
            first,
            metadata="session_metadata",
            created_at="session_created_at",
            summary_tables="tables",
        ),
        summary=None if first["summary"] is None else _summary_in(first),
        messages=tuple(map(message_from, messages)),
        entries=entries,
        has_facts=first["has_facts"],
        is_halted=is_halting(first["mode"] or ""),
    )


def entries_state(row: Record) -> EntriesState:
    """The state of an owner's entries in a row."""
    return EntriesState(row["last_number"], row["changes"], frozenset(row["expired"] or ()))


def _summary_in(row: Mapping[str, Any]) -> Summary:
    """The summary in a row of `read_window`."""
    summary = {
        **row,
        "text": row["summary"],
        "last_sequence": row["summary_end"],
        "created_at": row["summarized_at"],
    }
    return summary_from(summary)


def summary_from(row: Mapping[str, Any]) -> Summary:
    """A row of `summaries`."""
    columns = {name: row[name] for name in _SUMMARY}
    return Summary(**{**columns, "tables": tuple(row["tables"])})
