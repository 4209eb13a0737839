"""A user's messages across sessions in PostgreSQL."""

from datetime import datetime
from uuid import UUID

from recollect.domain.audit import AuditAction
from recollect.domain.message import Message
from recollect.domain.paging import HistoryPosition, Order, Page, PageRequest
from recollect.domain.scope import Scope
from recollect.engines.postgres.audit import record
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.deletion import remove_message, remove_messages
from recollect.engines.postgres.queries import query
from recollect.engines.postgres.rows import message_from

_START = (None, None, None)


class PostgresHistoryStore:
    """Reads and clears messages whichever session they are in."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, scope: Scope, page: PageRequest) -> Page[Message]:
        """The owner's messages by time; within one session in the order of the sequence."""
        name = _LISTS[page.order]
        position = page.position(HistoryPosition) or _START
        async with self._database.owned_by(scope.owner_id) as connection:
            rows = await connection.fetch(
                query(name), scope.owner_id, *position, page.limit + 1, page.offset
            )
        messages = map(message_from, rows)
        return page.page(
            [(m, HistoryPosition(m.created_at, m.session_id, m.sequence)) for m in messages]
        )

    async def count(self, scope: Scope) -> int:
        """How many messages the owner has."""
        async with self._database.owned_by(scope.owner_id) as connection:
            count: int = await connection.fetchval(query("count_history"), scope.owner_id)
        return count

    async def delete(self, scope: Scope, message_id: UUID, *, now: datetime) -> bool:
        """Delete one message, in whichever session; whether there was one."""
        return await remove_message(self._database, scope, message_id, None, now=now)

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        """Delete all the owner's messages and say how many; the sessions stay."""
        return await self._remove(
            scope, "delete_messages", None, AuditAction.HISTORY_CLEARED, now=now
        )

    async def trim(self, scope: Scope, *, keep_last: int, now: datetime) -> int:
        """Delete all but the newest messages and say how many."""
        return await self._remove(
            scope, "trim_messages", keep_last, AuditAction.HISTORY_TRIMMED, now=now
        )

    async def _remove(
        self, scope: Scope, statement: str, argument: object, action: AuditAction, *, now: datetime
    ) -> int:
        async with self._database.owned_by(scope.owner_id) as connection:
            await connection.fetch(query("lock_sessions"), scope.owner_id, None)
            count = await remove_messages(connection, scope, statement, argument)
            await record(connection, scope, action, scope.user, count=count, now=now)
        return count


_LISTS = {Order.DESC: "list_history_newest_first", Order.ASC: "list_history_oldest_first"}
