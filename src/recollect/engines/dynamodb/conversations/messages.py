"""Messages of one session: appended, read from the end, listed and deleted."""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from typing import Final, Unpack
from uuid import UUID

from recollect.domain.conversation.message import Message, NewMessage
from recollect.domain.conversation.paging import MessagePosition, Order, Page, PageRequest
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.audit import AuditAction, OwnedEntry
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.append import append
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.purging import purge
from recollect.engines.dynamodb.conversations.session_items import messages_from, read_conversation
from recollect.engines.dynamodb.conversations.store import DynamoStore, is_session, tail_range
from recollect.engines.dynamodb.privacy.audit_chain import add_entries
from recollect.engines.dynamodb.table.items import Item
from recollect.engines.dynamodb.table.keys import SORT, messages_prefix
from recollect.engines.dynamodb.table.transaction import Transaction
from recollect.ports.conversations import (
    MAX_WINDOW,
    Appended,
    SessionStart,
    StoredWindow,
    WriteTerms,
)

_WINDOW_READ: Final = 60
"""Items that a window is first read from: the messages after a usual summary, and the session."""
_SPARE: Final = 3
"""Items read beside those wanted: the session, and a question that has no answer yet."""

IsWanted = Callable[[Conversation, Message], bool]


class DynamoMessages(DynamoStore):
    """Implements `recollect.ports.conversations.MessageStore`."""

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
        async def attempt() -> Appended | None:
            return await append(
                self.data, scope, session_id, messages, reply_to=reply_to, start=start, **terms
            )

        async with self.table.alone(scope.owner_id, session_id):
            return await self.table.repeated(attempt)

    async def last(
        self, scope: Scope, session_id: UUID, *, count: int
    ) -> tuple[Message, ...] | None:
        tail = _Tail(self, scope, session_id, limit=count + _SPARE)
        newest: list[Message] = []
        async for message in tail.messages():
            if message.is_active:
                newest.append(message)
            if len(newest) == count:
                break
        return None if tail.conversation is None else tuple(reversed(newest))

    async def window(
        self, scope: Scope, session_id: UUID, *, count: int, covers_all: bool
    ) -> StoredWindow | None:
        limit = max(count + _SPARE, _WINDOW_READ) if covers_all else count + _SPARE
        tail = _Tail(self, scope, session_id, limit=limit)
        newest: list[Message] = []
        async for message in tail.messages():
            one = tail.conversation
            assert one is not None  # noqa: S101  # it comes before its messages
            is_covered = not covers_all or message.sequence <= one.summarized_through
            if len(newest) >= MAX_WINDOW or (len(newest) >= count and is_covered):
                break
            if message.is_active and _is_answered(one, message):
                newest.append(message)
        if tail.conversation is None:
            return None
        return StoredWindow(
            session=tail.conversation.session,
            summary=tail.conversation.summary,
            messages=tuple(reversed(newest)),
        )

    async def list(
        self, scope: Scope, session_id: UUID, page: PageRequest, *, include_inactive: bool = False
    ) -> Page[Message] | None:
        after = page.position(MessagePosition)
        one = await self.data.visible(scope, session_id)
        if one is None:
            return None
        is_descending, bounds = page.order is Order.DESC, {}
        if after is not None:
            bounds = {"through": after[0] - 1} if is_descending else {"after": after[0]}
        rows: list[tuple[Message, MessagePosition]] = []
        async for message in self.data.messages(
            one, **bounds, is_descending=is_descending, limit=page.offset + page.limit + 1
        ):
            if message.is_active or include_inactive:
                rows.append((message, MessagePosition(message.sequence)))
            if len(rows) > page.offset + page.limit:
                break
        return page.page(rows[page.offset :])

    async def delete(
        self, scope: Scope, session_id: UUID, message_id: UUID, *, now: datetime
    ) -> bool:
        entry = OwnedEntry.of(scope, AuditAction.MESSAGE_DELETED, message_id, at=now)
        removed = await remove_messages(
            self,
            scope,
            session_id,
            lambda messages: [one for one in messages if one.message_id == message_id],
            lambda count: entry if count else None,
        )
        return bool(removed)

    async def clear(self, scope: Scope, session_id: UUID, *, now: datetime) -> int | None:
        action = AuditAction.MESSAGES_CLEARED
        return await remove_messages(
            self,
            scope,
            session_id,
            lambda messages: messages,
            lambda count: OwnedEntry.of(scope, action, session_id, count=count, at=now),
        )

    async def turn_status(
        self, scope: Scope, session_id: UUID, turn_number: int
    ) -> TurnStatus | None:
        one = await self.data.visible(scope, session_id)
        return None if one is None else one.turns.get(turn_number)

    async def fail_turn(self, scope: Scope, session_id: UUID, turn_number: int) -> bool:
        async def change(one: Conversation, _: Transaction) -> bool:
            if one.turns.get(turn_number) is TurnStatus.PENDING:
                one.set_status(turn_number, TurnStatus.FAILED)
            return turn_number in one.turns

        return bool(await self.data.change(scope, session_id, change))


async def remove_messages(
    store: DynamoStore,
    scope: Scope,
    session_id: UUID,
    choose: Callable[[list[Message]], list[Message]],
    entry_of: Callable[[int], OwnedEntry | None],
    *,
    sees_hidden: bool = False,
) -> int | None:
    """Delete the chosen ones of a session's messages; return how many, or None without one."""
    markers: list[Item] = []

    async def change(one: Conversation, transaction: Transaction) -> int:
        markers.clear()
        messages = await store.data.all_messages(one)
        removed = choose(messages)
        if removed:
            markers.append(await store.data.remove(one, removed, transaction))
        entry = entry_of(len(removed))
        if entry is not None:
            await add_entries(store.table, transaction, [entry])
        return len(removed)

    removed = await store.data.change(scope, session_id, change, sees_hidden=sees_hidden)
    for marker in markers:
        await purge(store.table, marker)
    return removed


class _Tail:
    """Reads a session and its messages backwards, in one request where that is enough."""

    def __init__(self, store: DynamoStore, scope: Scope, session_id: UUID, *, limit: int) -> None:
        self._store = store
        self._scope = scope
        self._session_id = session_id
        self._limit = limit
        self.conversation: Conversation | None = None
        """None until the first item was read, and if there is no such session."""

    async def messages(self) -> AsyncIterator[Message]:
        first, last = tail_range(self._session_id)
        prefix, group = "", []
        async for item in self._store.table.items(
            self._scope.owner_id, first, last, is_descending=True, limit=self._limit
        ):
            if self.conversation is None:
                self.conversation = await self._opened(item)
                if self.conversation is None:
                    return
                prefix = messages_prefix(self._session_id, self.conversation.incarnation)
                continue
            if not str(item[SORT]).startswith(prefix):
                continue  # of an incarnation that is being deleted
            group.append(item)
            if "part" not in item:
                for message in messages_from(self.conversation, group):
                    if self.conversation.has(message.sequence):
                        yield message
                group = []

    async def _opened(self, item: Item) -> Conversation | None:
        if not is_session(item):
            return None
        one = await read_conversation(item)
        return one if one.is_visible(self._store.clock.now()) else None


def _is_answered(one: Conversation, message: Message) -> bool:
    turn = message.turn_number
    return turn is None or one.turns[turn] is TurnStatus.COMPLETE
