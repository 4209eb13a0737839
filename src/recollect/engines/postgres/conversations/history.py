"""A user's messages across sessions in PostgreSQL."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import HistoryPosition, Order, Page, PageRequest
from recollect.domain.identity.accounts import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.accounts import record
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.conversations.deletion import lock_sessions, remove
from recollect.engines.postgres.rows import read_messages
from recollect.engines.postgres.sql import statement
from recollect.ports.runtime import Clock

_START = (None, None, None)


class PostgresHistoryStore:
    """Reads and clears messages whichever session they are in."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def list(self, scope: Scope, page: PageRequest) -> Page[Message]:
        """The owner's messages by time; those of one time and session by their numbers."""
        time, session_id, sequence = page.position(HistoryPosition) or _START
        async with self._database.owned_by(scope.owner_id) as connection:
            rows = await connection.fetch(
                *statement(
                    _LISTS[page.order],
                    owner_id=scope.owner_id,
                    after_time=time,
                    after_session=session_id,
                    after_sequence=sequence,
                    limit=page.limit + 1,
                    offset=page.offset,
                    now=self._clock.now(),
                )
            )
        messages = await read_messages(rows)
        return page.page(
            [(m, HistoryPosition(m.created_at, m.session_id, m.sequence)) for m in messages]
        )

    async def of_turns(
        self, scope: Scope, turns: Collection[tuple[UUID, int]]
    ) -> tuple[Message, ...]:
        """All messages of these turns, each given by session and number, in no order."""
        async with self._database.owned_by(scope.owner_id) as connection:
            rows = await connection.fetch(
                *statement(
                    "messages_of_turns",
                    owner_id=scope.owner_id,
                    session_ids=[session_id for session_id, _ in turns],
                    turn_numbers=[number for _, number in turns],
                    now=self._clock.now(),
                )
            )
        return await read_messages(rows)

    async def count(self, scope: Scope) -> int:
        """How many messages the owner has."""
        async with self._database.owned_by(scope.owner_id) as connection:
            count: int = await connection.fetchval(
                *statement("count_history", owner_id=scope.owner_id, now=self._clock.now())
            )
        return count

    async def delete(self, scope: Scope, message_id: UUID, *, now: datetime) -> bool:
        """Delete one message, in whichever session; whether there was one."""
        async with self._database.owned_by(scope.owner_id) as connection:
            locked = await lock_sessions(connection, scope, None, now=self._clock.now())
            count = await remove(connection, scope, "delete_message", locked, message_id=message_id)
            if count:
                action = AuditAction.MESSAGE_DELETED
                await record(connection, scope, action, message_id, count=count, now=now)
        return bool(count)

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        """Delete all the owner's messages and say how many; the sessions stay."""
        async with self._database.owned_by(scope.owner_id) as connection:
            locked = await lock_sessions(connection, scope, None, now=self._clock.now())
            count = await remove(connection, scope, "delete_messages", locked)
            action = AuditAction.HISTORY_CLEARED
            await record(connection, scope, action, scope.user, count=count, now=now)
        return count

    async def trim(self, scope: Scope, *, keep_last: int, now: datetime) -> int:
        """Delete all but the newest messages and say how many."""
        async with self._database.owned_by(scope.owner_id) as connection:
            locked = await lock_sessions(connection, scope, None, now=self._clock.now())
            count = await remove(connection, scope, "trim_messages", locked, keep_last=keep_last)
            action = AuditAction.HISTORY_TRIMMED
            await record(connection, scope, action, scope.user, count=count, now=now)
        return count


_LISTS = {Order.DESC: "list_history_newest_first", Order.ASC: "list_history_oldest_first"}
