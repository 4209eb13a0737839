"""The messages of a session in PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from asyncpg import ForeignKeyViolationError, UniqueViolationError

from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.conversation.message import Message, NewMessage
from recollect.domain.conversation.paging import MessagePosition, Order, Page, PageRequest
from recollect.domain.conversation.turns import TurnStatus
from recollect.domain.identity.accounts import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.accounts import record
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.conversations.append import Target, append, append_within
from recollect.engines.postgres.conversations.deletion import lock_sessions, remove
from recollect.engines.postgres.conversations.sessions import create_session
from recollect.engines.postgres.rows import read_messages, read_window
from recollect.engines.postgres.sql import statement
from recollect.errors import IdAlreadyUsed, MessageNotFound
from recollect.ports.conversations import MAX_WINDOW, Appended, SessionStart, StoredWindow
from recollect.ports.runtime import Clock

_START = (None,)
_PART = 500


class PostgresMessageStore:
    """Keeps messages and turns in the tables of those names."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def append(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        reply_to: UUID | None = None,
        now: datetime,
        expires_at: datetime | None = None,
        compaction: CompactionPolicy | None = None,
        start: SessionStart | None = None,
    ) -> Appended | None:
        """Store the messages one after the other, all or none; None if there is no session."""
        target = Target(
            scope=scope,
            session_id=session_id,
            said_at=now,
            read_at=self._clock.now(),
            expires_at=expires_at,
            compaction=compaction,
        )
        try:
            stored = await append(self._database, target, messages, reply_to=reply_to)
            if not stored and start is not None:
                stored = await self._start(target, start, messages)
        except UniqueViolationError:
            return await self._find_repeated(scope, session_id, messages)
        except (ForeignKeyViolationError, MessageNotFound):
            # What it replies to is gone; a retry finds itself stored all the same.
            if await self._stored(scope, messages):
                return await self._find_repeated(scope, session_id, messages)
            if not await self._is_there(scope, session_id):
                return None
            raise MessageNotFound(reply_to) from None
        return Appended(messages=stored, is_new=True) if stored else None

    async def last(
        self, scope: Scope, session_id: UUID, *, count: int
    ) -> tuple[Message, ...] | None:
        """The last messages, oldest first; None if there is no session."""
        rows = await self._database.read(
            "last_messages",
            owner_id=scope.owner_id,
            session_id=session_id,
            count=count,
            now=self._clock.now(),
        )
        if not rows and not await self._is_there(scope, session_id):
            return None
        return await read_messages(rows[::-1])

    async def window(
        self, scope: Scope, session_id: UUID, *, count: int, covers_all: bool
    ) -> StoredWindow | None:
        """The session, its summary and its last messages, oldest first; None without a session."""
        rows = await self._database.read(
            "read_window",
            owner_id=scope.owner_id,
            session_id=session_id,
            count=count,
            covers_all=covers_all,
            max_count=MAX_WINDOW,
            now=self._clock.now(),
        )
        return await read_window(rows) if rows else None

    async def list(
        self,
        scope: Scope,
        session_id: UUID,
        page: PageRequest,
        *,
        include_inactive: bool = False,
    ) -> Page[Message] | None:
        """The session's messages by sequence number; None if there is no session."""
        (sequence,) = page.position(MessagePosition) or _START
        rows = await self._database.read(
            _LISTS[page.order],
            owner_id=scope.owner_id,
            session_id=session_id,
            after_sequence=sequence,
            limit=page.limit + 1,
            offset=page.offset,
            now=self._clock.now(),
            include_inactive=include_inactive,
        )
        if not rows and not await self._is_there(scope, session_id):
            return None
        messages = await read_messages(rows)
        return page.page([(m, MessagePosition(m.sequence)) for m in messages])

    async def delete(
        self, scope: Scope, session_id: UUID, message_id: UUID, *, now: datetime
    ) -> bool:
        """Delete one message; whether there was one in that session."""
        async with self._database.owned_by(scope.owner_id) as connection:
            locked = await lock_sessions(connection, scope, session_id, now=self._clock.now())
            count = await remove(connection, scope, "delete_message", locked, message_id=message_id)
            if count:
                action = AuditAction.MESSAGE_DELETED
                await record(connection, scope, action, message_id, count=count, now=now)
        return bool(count)

    async def clear(self, scope: Scope, session_id: UUID, *, now: datetime) -> int | None:
        """Delete all messages of the session and say how many; None if there is none."""
        async with self._database.owned_by(scope.owner_id) as connection:
            locked = await lock_sessions(connection, scope, session_id, now=self._clock.now())
            if not locked:
                return None
            count = await remove(connection, scope, "delete_messages", locked)
            action = AuditAction.MESSAGES_CLEARED
            await record(connection, scope, action, session_id, count=count, now=now)
        return count

    async def turn_status(
        self, scope: Scope, session_id: UUID, turn_number: int
    ) -> TurnStatus | None:
        """How far the turn has come, or None if there is no such turn."""
        async with self._database.owned_by(scope.owner_id) as connection:
            status = await connection.fetchval(
                *statement(
                    "turn_status",
                    owner_id=scope.owner_id,
                    session_id=session_id,
                    turn_number=turn_number,
                    now=self._clock.now(),
                )
            )
        return None if status is None else TurnStatus(status)

    async def fail_turn(self, scope: Scope, session_id: UUID, turn_number: int) -> bool:
        """Mark a turn as failed if it is pending; whether there is such a turn."""
        async with self._database.owned_by(scope.owner_id) as connection:
            found = await connection.fetchval(
                *statement(
                    "fail_turn",
                    owner_id=scope.owner_id,
                    session_id=session_id,
                    turn_number=turn_number,
                    now=self._clock.now(),
                )
            )
        return found is True

    async def _start(
        self, target: Target, start: SessionStart, messages: Sequence[NewMessage]
    ) -> tuple[Message, ...]:
        """Start the session and store its first messages: both or neither."""
        async with self._database.owned_by(target.scope.owner_id) as connection:
            await create_session(
                connection,
                target.scope,
                start.session,
                now=target.said_at,
                read_at=target.read_at,
                expires_at=start.expires_at,
            )
            return await append_within(connection, target, messages, reply_to=None)

    async def _is_there(self, scope: Scope, session_id: UUID) -> bool:
        now = self._clock.now()
        return bool(
            await self._database.read(
                "get_session", owner_id=scope.owner_id, session_id=session_id, now=now
            )
        )

    async def _find_repeated(
        self, scope: Scope, session_id: UUID, messages: Sequence[NewMessage]
    ) -> Appended:
        """The messages that a retry sends again; refused if they are not the same."""
        stored = await self._stored(scope, messages)
        for message in messages:
            found = stored.get(message.message_id)
            if found is None or found.session_id != session_id or not found.repeats(message):
                taken = message.message_id if found else next(iter(stored), message.message_id)
                raise IdAlreadyUsed(taken)
        return Appended(
            messages=tuple(stored[message.message_id] for message in messages), is_new=False
        )

    async def _stored(self, scope: Scope, messages: Sequence[NewMessage]) -> dict[UUID, Message]:
        ids = [message.message_id for message in messages]
        stored: dict[UUID, Message] = {}
        async with self._database.owned_by(scope.owner_id) as connection:
            for first in range(0, len(ids), _PART):  # reading all at once would hold the loop
                some = ids[first : first + _PART]
                rows = await connection.fetch(
                    *statement("messages_by_id", owner_id=scope.owner_id, message_ids=some)
                )
                stored |= {found.message_id: found for found in await read_messages(rows)}
        return stored


_LISTS = {Order.DESC: "list_messages_newest_first", Order.ASC: "list_messages_oldest_first"}
