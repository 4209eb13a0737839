"""Appending messages to a session, in the name of their owner."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from asyncpg import Connection, Record

from recollect.domain.compaction import CompactionPolicy
from recollect.domain.job import JobKind, job_id_for
from recollect.domain.message import NO_DETAILS, Message, NewMessage, Role
from recollect.domain.scope import Scope
from recollect.domain.session import name_from_question
from recollect.domain.turn import answered_turns, split_before_first_question, turn_offsets
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.queries import query
from recollect.engines.postgres.rows import job_payload, to_json
from recollect.engines.postgres.switching import switch_messages
from recollect.errors import MessageNotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendTimes:
    """The times that matter to an append."""

    said_at: datetime
    read_at: datetime
    """By which a session must not have expired."""
    expires_at: datetime | None
    """The end that a session with an end moves to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where messages go, and what comes with them."""

    scope: Scope
    session_id: UUID
    when: AppendTimes
    compaction: CompactionPolicy | None


async def append(
    database: Database,
    target: Target,
    messages: Sequence[NewMessage],
    *,
    reply_to: UUID | None,
) -> tuple[Message, ...]:
    """Store the messages one after the other; none of them if there is no session."""
    owner_id = target.scope.owner_id
    parts = list(split_before_first_question(messages))
    if reply_to is None and len(parts) == 1:
        # What nearly every request sends: one statement, one round trip.
        part = _Part(target, messages, _LATEST)
        return part.stored(await database.write("append_messages", owner_id, *part.arguments()))
    async with database.owned_by(owner_id) as connection:
        return await append_within(connection, target, messages, reply_to=reply_to)


async def append_within(
    connection: Connection,
    target: Target,
    messages: Sequence[NewMessage],
    *,
    reply_to: UUID | None,
) -> tuple[Message, ...]:
    """Do the same as a part of a transaction."""
    answers = _LATEST
    if reply_to is not None:
        answers = await _turn_of(connection, target, reply_to)
    stored: tuple[Message, ...] = ()
    for said in split_before_first_question(messages):
        part = _Part(target, said, answers)
        rows = await connection.fetch(
            query("append_messages"), target.scope.owner_id, *part.arguments()
        )
        stored += part.stored(rows)
    return stored if answers.is_active else await _hidden(connection, target, stored, answers)


async def _hidden(
    connection: Connection, target: Target, stored: tuple[Message, ...], answers: "_Answered"
) -> tuple[Message, ...]:
    """Take the replies out of the active branch, which what they answer is not on."""
    replies = [message for message in stored if message.turn_number == answers.turn_number]
    if replies:
        await switch_messages(
            connection,
            *(target.scope, target.session_id),
            hidden=[reply.message_id for reply in replies],
            first=replies[0].sequence,
        )
    return tuple(replace(m, is_active=False) if m in replies else m for m in stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """Which turn a reply without a question before it belongs to."""

    is_latest: bool
    turn_number: int | None = None
    is_active: bool = True
    """Whether the message that is answered is on the active branch."""


_LATEST = _Answered(is_latest=True)


async def _turn_of(connection: Connection, target: Target, message_id: UUID) -> _Answered:
    """The turn to be answered; nobody switches branches of the session from now on."""
    row = await connection.fetchrow(
        query("turn_of_message"), target.scope.owner_id, target.session_id, message_id
    )
    if row is None:
        raise MessageNotFound(message_id)
    return _Answered(is_latest=False, turn_number=row["turn_number"], is_active=row["is_active"])


class _Part:
    """Messages that one statement stores: replies to an earlier question, or whole turns."""

    __slots__ = ("_answers", "_messages", "_offsets", "_target")

    def __init__(self, target: Target, messages: Sequence[NewMessage], answers: _Answered) -> None:
        self._target = target
        self._messages = messages
        self._answers = answers
        self._offsets = list(turn_offsets(messages))

    def arguments(self) -> tuple[object, ...]:
        """What the statement takes after the owner."""
        target, messages = self._target, self._messages
        when, compaction = target.when, target.compaction
        turns = answered_turns(messages, self._offsets)
        return (
            target.session_id,
            [message.message_id for message in messages],
            [message.role for message in messages],
            [message.content for message in messages],
            [to_json(message.metadata) for message in messages],
            [_details_json(message) for message in messages],
            self._offsets,
            max(turns, default=0),
            list(turns),
            list(turns.values()),
            self._answers.is_latest,
            self._answers.turn_number,
            _session_name(messages),
            when.said_at,
            when.expires_at,
            when.read_at,
            *((None, None, None) if compaction is None else _job(target, compaction)),
        )

    def stored(self, rows: Sequence[Record]) -> tuple[Message, ...]:
        """The messages as they are now; none when there was no such session."""
        if not rows:
            return ()
        sequence_before, turn_before, answered_turn, created_at = rows[0]
        return tuple(
            Message(
                message_id=message.message_id,
                session_id=self._target.session_id,
                sequence=sequence,
                turn_number=turn_before + offset
                if offset
                else answered_turn
                if offset == 0
                else None,
                role=message.role,
                content=message.content,
                metadata=message.metadata,
                details=message.details,
                created_at=created_at,
            )
            for sequence, (message, offset) in enumerate(
                zip(self._messages, self._offsets, strict=True), start=sequence_before + 1
            )
        )


def _job(target: Target, compaction: CompactionPolicy) -> tuple[int, UUID, str]:
    return (
        compaction.trigger,
        job_id_for(JobKind.COMPACT, target.session_id),
        job_payload(target.scope, target.session_id),
    )


def _session_name(messages: Sequence[NewMessage]) -> str | None:
    questions = (message.content for message in messages if message.role is Role.USER)
    first = next(questions, None)
    return None if first is None else name_from_question(first)


def _details_json(message: NewMessage) -> str | None:
    return None if message.details is NO_DETAILS else to_json(message.details.to_json())
