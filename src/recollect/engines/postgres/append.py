"""Appending messages to a session, inside a transaction of their owner."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from asyncpg import Connection

from recollect.domain.compaction import CompactionPolicy
from recollect.domain.job import JobKind, job_id_for
from recollect.domain.message import NO_DETAILS, Message, NewMessage, Role
from recollect.domain.scope import Scope
from recollect.domain.session import name_from_question
from recollect.domain.turn import split_before_first_question, turn_offsets
from recollect.engines.postgres.queries import query
from recollect.engines.postgres.rows import job_payload, to_json
from recollect.errors import MessageNotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendTimes:
    """The times that matter to an append."""

    said_at: datetime
    read_at: datetime
    """By which a session must not have expired."""
    expires_at: datetime | None
    """The end that a session with an end moves to."""


async def append(
    connection: Connection,
    scope: Scope,
    session_id: UUID,
    messages: Sequence[NewMessage],
    *,
    reply_to: UUID | None,
    when: AppendTimes,
    compaction: CompactionPolicy | None,
) -> tuple[Message, ...]:
    """Store the messages one after the other; none of them if there is no session."""
    answers = _LATEST
    if reply_to is not None:
        answers = await _turn_of(connection, scope, session_id, reply_to)
    stored: list[Message] = []
    for part in split_before_first_question(messages):
        stored += await _append_part(
            connection, scope, session_id, part, answers=answers, when=when, compaction=compaction
        )
    return tuple(stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """Which turn a reply without a question before it belongs to."""

    is_latest: bool
    turn_number: int | None = None


_LATEST = _Answered(is_latest=True)


async def _turn_of(
    connection: Connection, scope: Scope, session_id: UUID, message_id: UUID
) -> _Answered:
    row = await connection.fetchrow(
        query("turn_of_message"), scope.owner_id, session_id, message_id
    )
    if row is None:
        raise MessageNotFound(message_id)
    return _Answered(is_latest=False, turn_number=row["turn_number"])


async def _append_part(
    connection: Connection,
    scope: Scope,
    session_id: UUID,
    messages: Sequence[NewMessage],
    *,
    answers: _Answered,
    when: AppendTimes,
    compaction: CompactionPolicy | None,
) -> list[Message]:
    offsets = list(turn_offsets(messages))
    rows = await connection.fetch(
        query("append_messages"),
        scope.owner_id,
        session_id,
        [message.message_id for message in messages],
        [message.role for message in messages],
        [message.content for message in messages],
        [to_json(message.metadata) for message in messages],
        [_details_json(message) for message in messages],
        offsets,
        max((offset for offset in offsets if offset), default=0),
        answers.is_latest,
        answers.turn_number,
        _session_name(messages),
        when.said_at,
        when.expires_at,
        when.read_at,
        None if compaction is None else compaction.trigger,
        job_id_for(JobKind.COMPACT, session_id),
        job_payload(scope, session_id),
    )
    return [
        Message(
            message_id=message.message_id,
            session_id=session_id,
            sequence=row["sequence"],
            turn_number=row["turn_number"],
            role=message.role,
            content=message.content,
            metadata=message.metadata,
            details=message.details,
            created_at=row["created_at"],
        )
        # No rows, and so no messages, when there is no such session.
        for message, row in zip(messages, rows, strict=bool(rows))
    ]


def _session_name(messages: Sequence[NewMessage]) -> str | None:
    questions = (message.content for message in messages if message.role is Role.USER)
    first = next(questions, None)
    return None if first is None else name_from_question(first)


def _details_json(message: NewMessage) -> str | None:
    return None if message.details is NO_DETAILS else to_json(message.details.to_json())
