"""An owner's messages across all sessions, by their own times."""

from collections.abc import AsyncIterator, Collection, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import HistoryPosition, Order, Page, PageRequest
from recollect.domain.identity.audit import AuditAction, OwnedEntry
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.messages import remove_messages
from recollect.engines.dynamodb.conversations.session_items import MESSAGES_BY_TIME
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.privacy.audit_chain import add_entries
from recollect.engines.dynamodb.table.items import Item, time_text
from recollect.engines.dynamodb.table.keys import (
    BY_TIME,
    BY_TIME_INDEX,
    LAST,
    PARTITION,
    SORT,
    message_id_key,
)
from recollect.engines.dynamodb.table.table import in_parts

_AT_ONCE: Final = 500


class DynamoHistory(DynamoStore):
    """Implements `recollect.ports.conversations.HistoryStore`."""

    async def list(self, scope: Scope, page: PageRequest) -> Page[Message]:
        after = page.position(HistoryPosition)
        is_descending = page.order is Order.DESC
        wanted = page.offset + page.limit + 1
        rows: list[tuple[Message, HistoryPosition]] = []
        async for message in self._by_time(
            scope, after=after, is_descending=is_descending, limit=wanted
        ):
            if message.is_active:
                position = HistoryPosition(message.created_at, message.session_id, message.sequence)
                rows.append((message, position))
            if len(rows) == wanted:
                break
        return page.page(rows[page.offset :])

    async def of_turns(
        self, scope: Scope, turns: Collection[tuple[UUID, int]]
    ) -> tuple[Message, ...]:
        wanted: dict[UUID, set[int]] = {}
        for session_id, turn in turns:
            wanted.setdefault(session_id, set()).add(turn)
        found = await self.data.many(scope.owner_id, wanted)
        now = self.clock.now()
        messages: list[Message] = []
        for session_id, one in found.items():
            if one.is_visible(now):
                messages += await self.data.of_turns(one, wanted[session_id])
        return tuple(messages)

    async def count(self, scope: Scope) -> int:
        conversations = await self.data.of_owner(scope.owner_id)
        return sum(one.session.message_count for one in conversations)

    async def delete(self, scope: Scope, message_id: UUID, *, now: datetime) -> bool:
        pointer = await self.table.get(scope.owner_id, message_id_key(message_id))
        if pointer is None:
            return False
        entry = OwnedEntry.of(scope, AuditAction.MESSAGE_DELETED, message_id, at=now)
        removed = await remove_messages(
            self,
            scope,
            UUID(str(pointer["sessionId"])),
            lambda messages: [one for one in messages if one.message_id == message_id],
            lambda count: entry if count else None,
        )
        return bool(removed)

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        count = 0
        for one in await self.data.of_owner(scope.owner_id):
            if one.stored_count:
                count += await self._remove(scope, one.session_id, None)
        await self._audit(scope, AuditAction.HISTORY_CLEARED, count, now)
        return count

    async def trim(self, scope: Scope, *, keep_last: int, now: datetime) -> int:
        by_session: dict[UUID, set[UUID]] = {}
        number = 0
        async for message in self._by_time(scope, is_descending=True, limit=_AT_ONCE):
            number += 1
            if number > keep_last:
                by_session.setdefault(message.session_id, set()).add(message.message_id)
        count = 0
        for session_id, ids in by_session.items():
            count += await self._remove(scope, session_id, ids)
        await self._audit(scope, AuditAction.HISTORY_TRIMMED, count, now)
        return count

    async def _remove(self, scope: Scope, session_id: UUID, ids: Collection[UUID] | None) -> int:
        removed = await remove_messages(
            self,
            scope,
            session_id,
            lambda messages: [one for one in messages if ids is None or one.message_id in ids],
            lambda _: None,
        )
        return removed or 0

    async def _audit(self, scope: Scope, action: AuditAction, count: int, now: datetime) -> None:
        entry = OwnedEntry.of(scope, action, scope.owner_id, count=count, at=now)

        async def attempt() -> None:
            transaction = self.table.transaction()
            await add_entries(self.table, transaction, [entry])
            await self.table.write(transaction)

        await self.table.repeated(attempt)

    async def _by_time(
        self,
        scope: Scope,
        *,
        after: HistoryPosition | None = None,
        is_descending: bool,
        limit: int,
    ) -> AsyncIterator[Message]:
        """Yield the messages of all branches that readers find, by their times."""
        keys: list[Item] = []
        async for key in self._keys(
            scope, after=after, is_descending=is_descending, limit=min(limit, _AT_ONCE)
        ):
            keys.append(key)
            if len(keys) >= limit:
                for message in await self._read(scope, keys):
                    yield message
                keys = []
        for message in await self._read(scope, keys):
            yield message

    async def _keys(
        self, scope: Scope, *, after: HistoryPosition | None, is_descending: bool, limit: int
    ) -> AsyncIterator[Item]:
        first, last = MESSAGES_BY_TIME, MESSAGES_BY_TIME + LAST
        place = ""
        if after is not None:
            moment = time_text(after.created_at)
            place = f"{MESSAGES_BY_TIME}{moment}#{after.session_id}#{after.sequence:012d}"
            first, last = (first, place) if is_descending else (place, last)
        values: dict[str, Any] = {":first": first, ":last": last}
        async for key in self.table.indexed(
            BY_TIME_INDEX,
            (PARTITION, str(scope.owner_id)),
            f" AND {BY_TIME} BETWEEN :first AND :last",
            values,
            is_descending=is_descending,
            limit=limit,
        ):
            if key[BY_TIME] != place:
                yield key

    async def _read(self, scope: Scope, keys: Collection[Item]) -> Sequence[Message]:
        """The messages of keys, in their order, as far as their sessions still have them."""
        sessions = {UUID(str(key[SORT]).partition("#")[0]) for key in keys}
        found = await self.data.many(scope.owner_id, sessions)
        now, messages = self.clock.now(), []
        for part in in_parts(keys, _AT_ONCE):
            items = await self.table.get_many(part)
            for key in part:
                item = items.get((str(scope.owner_id), str(key[SORT])))
                one = found.get(UUID(str(key[SORT]).partition("#")[0]))
                if item is None or one is None or not one.is_visible(now):
                    continue
                if message := await self.data.message_of(one, item):
                    messages.append(message)
        return messages
