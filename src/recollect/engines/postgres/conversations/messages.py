"""Messages of a session and of an owner's history in PostgreSQL."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, Unpack
from uuid import UUID

from asyncpg import ForeignKeyViolationError, UniqueViolationError

from recollect.domain.conversation.message import Message, NewMessage
from recollect.domain.conversation.paging import (
    HistoryPosition,
    MessagePosition,
    Order,
    Page,
    PageRequest,
)
from recollect.domain.conversation.session import TurnStatus, name_from_question
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.audit import record
from recollect.engines.postgres.connection.database import PostgresStore, Transaction
from recollect.engines.postgres.conversations.append import Target, append, append_within
from recollect.engines.postgres.conversations.sessions import create_session
from recollect.engines.postgres.rows import read_messages, read_window
from recollect.errors import IdAlreadyUsed, MessageNotFound
from recollect.ports.conversations import (
    MAX_WINDOW,
    Appended,
    SessionStart,
    StoredWindow,
    WriteTerms,
)

_IDS_AT_ONCE: Final = 500  # reading more messages at once would hold the event loop


class _DeletingStore(PostgresStore):
    async def _delete(
        self,
        scope: Scope,
        session_id: UUID | None,
        deletion: str,
        action: AuditAction,
        target: object,
        *,
        now: datetime,
        **parameters: object,
    ) -> int | None:
        """Delete messages of a session, or of all; how many, or None without a session. Audited."""
        async with self._database.transaction(scope.owner_id) as transaction:
            locked = await lock_sessions(transaction, session_id, now=self._clock.now())
            if session_id is not None and not locked:
                return None
            count = await remove(transaction, deletion, locked, **parameters)
            if count or action is not AuditAction.MESSAGE_DELETED:
                await record(transaction, scope, action, target, count=count, now=now)
        return count


class PostgresMessageStore(_DeletingStore):
    """Keeps messages and turns in the tables of those names."""

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
        read_at = self._clock.now()
        target = Target(scope=scope, session_id=session_id, read_at=read_at, **terms)
        try:
            appended = await append(self._database, target, messages, reply_to=reply_to)
            if appended is None and start is not None:
                appended = await self._start(target, start, messages)
        except UniqueViolationError:
            return await self._find_repeated(scope, session_id, messages)
        except (ForeignKeyViolationError, MessageNotFound):
            # What it replies to is gone; a retry finds itself stored all the same.
            if await self._stored(scope, messages):
                return await self._find_repeated(scope, session_id, messages)
            if not await self._exists(scope, session_id):
                await self._refuse_erased(scope, session_id)
                return None
            raise MessageNotFound(reply_to) from None
        if appended is None:
            await self._refuse_erased(scope, session_id)
        return appended

    async def last(
        self, scope: Scope, session_id: UUID, *, count: int
    ) -> tuple[Message, ...] | None:
        session = self._session(scope, session_id)
        rows = await self._database.read("last_messages", **session, count=count)
        if not rows and not await self._exists(scope, session_id):
            return None
        return await read_messages(rows[::-1])

    async def window(
        self, scope: Scope, session_id: UUID, *, count: int, covers_all: bool
    ) -> StoredWindow | None:
        session = self._session(scope, session_id)
        rows = await self._database.read(
            "read_window",
            **session,
            count=count,
            covers_all=covers_all,
            max_count=MAX_WINDOW,
        )
        return await read_window(rows, now=session["now"]) if rows else None

    async def list(
        self,
        scope: Scope,
        session_id: UUID,
        page: PageRequest,
        *,
        include_inactive: bool = False,
    ) -> Page[Message] | None:
        (sequence,) = page.position(MessagePosition) or (None,)
        rows = await self._database.read(
            "list_messages",
            **self._session(scope, session_id),
            newest_first=page.order is Order.DESC,
            after_sequence=sequence,
            limit=page.limit + 1,
            offset=page.offset,
            include_inactive=include_inactive,
        )
        if not rows and not await self._exists(scope, session_id):
            return None
        messages = await read_messages(rows)
        return page.page([(m, MessagePosition(m.sequence)) for m in messages])

    async def delete(
        self, scope: Scope, session_id: UUID, message_id: UUID, *, now: datetime
    ) -> bool:
        action = AuditAction.MESSAGE_DELETED
        count = await self._delete(
            scope, session_id, "delete_message", action, message_id, message_id=message_id, now=now
        )
        return bool(count)

    async def clear(self, scope: Scope, session_id: UUID, *, now: datetime) -> int | None:
        action = AuditAction.MESSAGES_CLEARED
        return await self._delete(scope, session_id, "delete_messages", action, session_id, now=now)

    async def turn_status(
        self, scope: Scope, session_id: UUID, turn_number: int
    ) -> TurnStatus | None:
        session = self._session(scope, session_id)
        rows = await self._database.run("turn_status", **session, turn_number=turn_number)
        return TurnStatus(rows[0]["status"]) if rows else None

    async def fail_turn(self, scope: Scope, session_id: UUID, turn_number: int) -> bool:
        session = self._session(scope, session_id)
        return bool(await self._database.run("fail_turn", **session, turn_number=turn_number))

    async def _start(
        self, target: Target, start: SessionStart, messages: Sequence[NewMessage]
    ) -> Appended | None:
        """Start the session and store its first messages: both, or None and neither."""
        async with self._database.transaction(target.scope.owner_id) as transaction:
            await create_session(
                transaction,
                target.scope,
                start.session,
                now=target.now,
                read_at=target.read_at,
                expires_at=start.expires_at,
            )
            stored = await append_within(transaction, target, messages, reply_to=None)
        return Appended(messages=stored, is_new=True) if stored else None

    async def _exists(self, scope: Scope, session_id: UUID) -> bool:
        return bool(await self._database.read("get_session", **self._session(scope, session_id)))

    async def _find_repeated(
        self, scope: Scope, session_id: UUID, messages: Sequence[NewMessage]
    ) -> Appended:
        """The messages that a retry sends again; refused if they are not the same."""
        stored = await self._stored(scope, messages)
        for message in messages:
            first = stored.get(message.message_id)
            if first is None or first.session_id != session_id or not first.repeats(message):
                taken = message.message_id if first else next(iter(stored), message.message_id)
                raise IdAlreadyUsed(taken)
        return Appended(
            messages=tuple(stored[message.message_id] for message in messages), is_new=False
        )

    async def _stored(self, scope: Scope, messages: Sequence[NewMessage]) -> dict[UUID, Message]:
        ids = [message.message_id for message in messages]
        stored: dict[UUID, Message] = {}
        async with self._database.transaction(scope.owner_id) as transaction:
            for first in range(0, len(ids), _IDS_AT_ONCE):
                some = ids[first : first + _IDS_AT_ONCE]
                rows = await transaction.rows("messages_by_id", message_ids=some)
                stored |= {message.message_id: message for message in await read_messages(rows)}
        return stored


class PostgresHistoryStore(_DeletingStore):
    """Reads and clears messages whichever session they are in."""

    async def list(self, scope: Scope, page: PageRequest) -> Page[Message]:
        time, session_id, sequence = page.position(HistoryPosition) or (None, None, None)
        rows = await self._database.run(
            "list_history",
            owner_id=scope.owner_id,
            newest_first=page.order is Order.DESC,
            after_time=time,
            after_session=session_id,
            after_sequence=sequence,
            limit=page.limit + 1,
            offset=page.offset,
            now=self._clock.now(),
        )
        messages = await read_messages(rows)
        return page.page(
            [(m, HistoryPosition(m.created_at, m.session_id, m.sequence)) for m in messages]
        )

    async def of_turns(
        self, scope: Scope, turns: Collection[tuple[UUID, int]]
    ) -> tuple[Message, ...]:
        rows = await self._database.run(
            "messages_of_turns",
            owner_id=scope.owner_id,
            session_ids=[session_id for session_id, _ in turns],
            turn_numbers=[number for _, number in turns],
            now=self._clock.now(),
        )
        return await read_messages(rows)

    async def count(self, scope: Scope) -> int:
        ((count,),) = await self._database.run(
            "count_history", owner_id=scope.owner_id, now=self._clock.now()
        )
        return int(count)

    async def delete(self, scope: Scope, message_id: UUID, *, now: datetime) -> bool:
        action = AuditAction.MESSAGE_DELETED
        count = await self._delete(
            scope, None, "delete_message", action, message_id, message_id=message_id, now=now
        )
        return bool(count)

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        action, owner = AuditAction.HISTORY_CLEARED, scope.owner_id
        return await self._delete(scope, None, "delete_messages", action, owner, now=now) or 0

    async def trim(self, scope: Scope, *, keep_last: int, now: datetime) -> int:
        action = AuditAction.HISTORY_TRIMMED
        count = await self._delete(
            scope, None, "trim_messages", action, scope.owner_id, keep_last=keep_last, now=now
        )
        return count or 0


async def lock_sessions(
    transaction: Transaction, session_id: UUID | None, *, now: datetime
) -> list[UUID]:
    """Lock one session, or all of the owner's, against writers; those that have not expired."""
    rows = await transaction.rows("lock_sessions", session_id=session_id, now=now)
    return [row["session_id"] for row in rows]


async def remove(
    transaction: Transaction, deletion: str, sessions: Sequence[UUID], **parameters: object
) -> int:
    """Delete messages of locked sessions by a statement; how many there were.

    Turns, summaries, the index, counters and names follow.
    """
    rows = await transaction.rows(deletion, session_ids=sessions, **parameters)
    touched = [row["session_id"] for row in rows]
    first_gone = [row["first_gone"] for row in rows]
    await transaction.rows("delete_empty_turns", session_ids=touched)
    for stale in ("delete_stale_summaries", "delete_stale_entries"):
        await transaction.rows(stale, session_ids=touched, first_gone=first_gone)
    await transaction.rows("recount_sessions", session_ids=touched)
    await name_anew(transaction, touched)
    return sum(row["count"] for row in rows)


async def name_anew(transaction: Transaction, sessions: Sequence[UUID]) -> None:
    """Name sessions whose question is gone after the first one left, or not at all."""
    rows = await transaction.rows("unname_sessions", session_ids=sessions)
    names = [
        (row["session_id"], name, row["turn_number"])
        for row in rows
        if row["question"] is not None and (name := name_from_question(row["question"]))
    ]
    if names:
        await transaction.rows(
            "name_sessions",
            session_ids=[session_id for session_id, _, _ in names],
            names=[name for _, name, _ in names],
            turn_numbers=[turn_number for _, _, turn_number in names],
        )
