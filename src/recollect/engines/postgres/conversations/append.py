"""Storing messages in a session: in one statement where possible, else in a transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from asyncpg import PostgresError, Record

from recollect.concurrency import AT_ONCE, off_loop
from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.conversation.message import (
    NO_DETAILS,
    Message,
    NewMessage,
    Role,
    json_to_store,
)
from recollect.domain.conversation.session import (
    answered_turns,
    name_from_question,
    split_into_parts,
    turn_offsets,
)
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database, Transaction
from recollect.engines.postgres.rows import read_session, to_json
from recollect.errors import MessageNotFound
from recollect.ports.conversations import Appended
from recollect.ports.jobs import JobKind, job_id_for

_REPLIES: Final = "append_replies"
_PART: Final = 500
"""The most messages of one statement: encoding 10,000 would hold the event loop for 70 ms."""
_NOT_ACTIVE: Final = "RC404"  # what turn_answered() raises


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where messages go, when, and what comes with them."""

    scope: Scope
    session_id: UUID
    read_at: datetime
    """By which a session must not have expired."""
    now: datetime
    expires_at: datetime | None = None
    """The end that a session with an end moves to."""
    compaction: CompactionPolicy | None = None


async def append(
    database: Database, target: Target, messages: Sequence[NewMessage], *, reply_to: UUID | None
) -> Appended | None:
    """Store the messages one after the other; None, and none of them, if there is no session."""
    part = _Part(target, messages, _Answered(is_latest=reply_to is None, message_id=reply_to))
    is_one_statement = len(list(split_into_parts(messages, size=_PART))) == 1
    if is_one_statement and (reply_to is None or part.statement == _REPLIES):
        # What nearly every request sends: one round trip.
        try:
            parameters = await part.parameters()
            owner_id = target.scope.owner_id
            rows = await database.write(part.statement, owner_id=owner_id, **parameters)
            return await part.appended(rows)
        except PostgresError as error:
            if error.sqlstate != _NOT_ACTIVE:
                raise
    async with database.transaction(target.scope.owner_id) as transaction:
        stored = await append_within(transaction, target, messages, reply_to=reply_to)
    return Appended(messages=stored, is_new=True) if stored else None


async def append_within(
    transaction: Transaction,
    target: Target,
    messages: Sequence[NewMessage],
    *,
    reply_to: UUID | None,
) -> tuple[Message, ...]:
    """Do the same as a part of a transaction."""
    answers = _LATEST if reply_to is None else await _turn_of(transaction, target, reply_to)
    stored: list[Message] = []
    turn = answers
    for some in split_into_parts(messages, size=_PART):
        part = _Part(target, some, turn)
        stored += part.stored(await transaction.rows(part.statement, **await part.parameters()))
        if part.statement != _REPLIES:
            turn = _LATEST  # the question that was stored last
    if answers.is_active:
        return tuple(stored)
    # What they answer is not on the active branch: neither are the replies.
    replies = [message for message in stored if message.turn_number == answers.turn_number]
    if replies:
        hidden, first = [reply.message_id for reply in replies], replies[0].sequence
        await switch_messages(transaction, target.session_id, hidden=hidden, first=first)
    return tuple(replace(m, is_active=False) if m in replies else m for m in stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """Which turn a reply without a question before it belongs to."""

    is_latest: bool
    message_id: UUID | None = None
    """That of this message, if it is on the active branch."""
    turn_number: int | None = None
    is_active: bool = True
    """Whether the message that is answered is on the active branch."""


_LATEST = _Answered(is_latest=True)


async def _turn_of(transaction: Transaction, target: Target, message_id: UUID) -> _Answered:
    """The turn to be answered; nobody switches branches of the session from now on."""
    session_id = target.session_id
    rows = await transaction.rows("turn_of_message", session_id=session_id, message_id=message_id)
    if not rows:
        raise MessageNotFound(message_id)
    return _Answered(is_latest=False, **rows[0])


class _Part:
    """Messages that one statement stores: replies to an earlier question, or whole turns.

    Every array takes the driver and the server time: an empty one is left out.
    """

    def __init__(self, target: Target, messages: Sequence[NewMessage], answers: _Answered) -> None:
        self._target = target
        self._messages = messages
        self._answers = answers
        self._offsets = list(turn_offsets(messages))
        self.statement = "append_turns" if messages[0].role is Role.USER else _REPLIES

    async def parameters(self) -> dict[str, object]:
        """The statement's parameters; much JSON is written in a thread."""
        characters = json_to_store(self._messages, most=AT_ONCE)
        return await off_loop(self._parameters, characters=characters)

    def _parameters(self) -> dict[str, object]:
        target, messages = self._target, self._messages
        times = [message.created_at for message in messages]
        return {
            "session_id": target.session_id,
            "message_ids": [message.message_id for message in messages],
            "roles": [message.role for message in messages],
            "contents": [message.content for message in messages],
            **_json_of(messages),
            "turn_offsets": self._offsets,
            "message_times": times if any(times) else None,
            "now": target.now,
            "expires_at": target.expires_at,
            "read_at": target.read_at,
            **_compaction_job(target),
            **self._turns(),
        }

    def _turns(self) -> dict[str, object]:
        if self.statement == _REPLIES:
            answers = self._answers
            return {
                "answers_latest": answers.is_latest,
                "turn_number": answers.turn_number,
                "reply_to": answers.message_id,
            }
        answered = answered_turns(self._messages, self._offsets)
        return {
            "answered_turns": list(answered.values()),
            "session_name": name_from_question(self._messages[0].content),
        }

    async def appended(self, rows: Sequence[Record]) -> Appended | None:
        """The messages, and the session if it was told along; None when there was none."""
        if not rows:
            return None
        session = await read_session(rows[0]) if self.statement == _REPLIES else None
        return Appended(messages=self.stored(rows), is_new=True, session=session)

    def stored(self, rows: Sequence[Record]) -> tuple[Message, ...]:
        """The messages as they are now; none when there was no such session."""
        if not rows:
            return ()
        row = rows[0]
        sequence, turn = row["sequence_before"], row["turn"]
        return tuple(
            Message(
                message_id=message.message_id,
                session_id=self._target.session_id,
                sequence=sequence + number,
                turn_number=None if turn is None or offset is None else turn + offset,
                role=message.role,
                content=message.content,
                metadata=message.metadata,
                details=message.details.placed_in(row["only_database"]),
                created_at=message.created_at or row["updated_at"],
            )
            for number, (message, offset) in enumerate(
                zip(self._messages, self._offsets, strict=True), start=1
            )
        )


def _json_of(messages: Sequence[NewMessage]) -> dict[str, object]:
    """Metadata and details as JSON, and which details lack the session's database."""
    metadata = [to_json(message.metadata) if message.metadata else None for message in messages]
    given = [message.details for message in messages]
    details = [None if one is NO_DETAILS else to_json(one.to_json()) for one in given]
    lacking = [one.lacks_database for one in given]
    return {
        "metadata": metadata if any(metadata) else None,
        "details": details if any(details) else None,
        "lack_database": lacking if any(lacking) else None,
    }


def _compaction_job(target: Target) -> dict[str, object]:
    """The job that compacts the session, queued where its policy's trigger is passed."""
    if target.compaction is None:
        return {"compaction_trigger": None, "job_id": None, "job_payload": None}
    scope, session_id = target.scope, str(target.session_id)
    return {
        "compaction_trigger": target.compaction.trigger,
        "job_id": job_id_for(JobKind.COMPACT, target.session_id),
        "job_payload": to_json(
            {"tenant": scope.tenant, "user": scope.user, "session_id": session_id}
        ),
    }


async def switch_messages(
    transaction: Transaction,
    session_id: UUID,
    *,
    shown: Sequence[UUID] = (),
    hidden: Sequence[UUID] = (),
    first: int,
) -> None:
    """Show some messages of a locked session and hide others; `first` is the lowest sequence.

    A summary that covers another branch is deleted.
    """
    ids = [session_id]
    await transaction.rows("switch_messages", session_id=session_id, shown=shown, hidden=hidden)
    await transaction.rows("delete_stale_summaries", session_ids=ids, first_gone=[first])
    await transaction.rows("recount_sessions", session_ids=ids)
