"""Reads conversations from the table, changes them as they were read, and deletes them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.identity.audit import RETENTION, AuditAction, OwnedEntry
from recollect.domain.identity.scope import Interface, Scope, TenantScope
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.purging import purge, put_purge
from recollect.engines.dynamodb.conversations.session_items import (
    messages_from,
    read_conversation,
    written_conversation,
)
from recollect.engines.dynamodb.privacy.audit_chain import add_entries, tenant_id
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Item, time_text
from recollect.engines.dynamodb.table.keys import (
    LAST,
    OWNER,
    PARTITION,
    SORT,
    WORK_DUE,
    WORK_QUEUE,
    key_of,
    known_session_key,
    message_key,
    messages_prefix,
    name_of,
    queue_of,
    session_key,
)
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.dynamodb.table.transaction import VERSION, Transaction
from recollect.errors import ErasureUnderWay
from recollect.ports.privacy.transfer import OwnerPlace
from recollect.ports.runtime import Clock

OWNERS: Final = "owner"
"""The queue of all owners, each due at its tenant and owner."""
EXPIRY: Final = "expiry"
"""The queue of sessions that may have expired, each due at the end that it had once."""
NOT_ERASED: Final = "attribute_not_exists(isBeingErased)"
_PAGE: Final = 200

Result = TypeVar("Result")


class DynamoStore:
    """A store on the table that all stores of an engine share."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self.table = table
        self.clock = clock
        self.data = Conversations(table, clock)
        self.sealed_data = Conversations(table.sealed, clock)
        """Conversations without names, metadata and summaries, for what needs their states alone;
        they cannot be stored."""


class Conversations:
    """The conversations of all owners."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self.table = table
        self.clock = clock

    async def stored(self, owner_id: UUID, session_id: UUID) -> Conversation | None:
        """Return a conversation, also one that has expired or is being erased."""
        item = await self.table.get(owner_id, session_key(session_id))
        return None if item is None else await read_conversation(item)

    async def stored_of_writer(self, scope: Scope, session_id: UUID) -> Conversation | None:
        """The same for who would start it; `ErasureUnderWay` while it or the owner is erased."""
        session = key_of(scope.owner_id, session_key(session_id))
        items = await self.table.get_many([session, key_of(scope.owner_id, OWNER)])
        if any(item.get("isBeingErased") for item in items.values()):
            raise ErasureUnderWay
        stored = items.get(name_of(session))
        return None if stored is None else await read_conversation(stored)

    async def visible(self, scope: Scope, session_id: UUID) -> Conversation | None:
        """Return a conversation that readers find, or None."""
        one = await self.stored(scope.owner_id, session_id)
        return one if one is not None and one.is_visible(self.clock.now()) else None

    async def many(self, owner_id: UUID, session_ids: Iterable[UUID]) -> dict[UUID, Conversation]:
        """Return conversations by their ids, whatever their state."""
        keys = [key_of(owner_id, session_key(session_id)) for session_id in session_ids]
        items = await self.table.get_many(keys)
        found = [await read_conversation(item) for item in items.values()]
        return {one.session_id: one for one in found}

    async def ids(self, owner_id: UUID) -> list[UUID]:
        """Return the ids of all conversations of an owner, in their order."""
        return [one async for one in self.ids_from(owner_id, UUID(int=0))]

    async def ids_from(
        self, owner_id: UUID, start: UUID, *, limit: int | None = None
    ) -> AsyncIterator[UUID]:
        """Yield the ids of an owner's conversations from one on; `limit` are read at once."""
        prefix = known_session_key_prefix()
        first, last = known_session_key(start), prefix + LAST
        async for item in self.table.items(owner_id, first, last, limit=limit):
            yield UUID(str(item[SORT]).removeprefix(prefix))

    async def of_owner(self, owner_id: UUID, *, hidden: bool = False) -> list[Conversation]:
        """Return the conversations of an owner by their ids; `hidden` ones too, if wanted."""
        found = await self.many(owner_id, await self.ids(owner_id))
        now = self.clock.now()
        chosen = (one for one in found.values() if hidden or one.is_visible(now))
        return sorted(chosen, key=lambda one: one.session_id)

    async def refuse_erased(self, owner_id: UUID, session_id: UUID | None = None) -> None:
        """Raise `ErasureUnderWay` while the owner, or the session, is being erased."""
        keys = [key_of(owner_id, OWNER)]
        if session_id is not None:
            keys.append(key_of(owner_id, session_key(session_id)))
        items = await self.table.get_many(keys)
        if any(item.get("isBeingErased") for item in items.values()):
            raise ErasureUnderWay

    async def messages(
        self,
        one: Conversation,
        *,
        after: int = 0,
        through: int | None = None,
        is_descending: bool = False,
        limit: int | None = None,
    ) -> AsyncIterator[Message]:
        """Yield the messages of all branches by number, within a range of numbers."""
        last = one.last_sequence if through is None else min(through, one.last_sequence)
        if last <= after:
            return
        first_key = message_key(one.session_id, one.incarnation, after + 1)
        last_key = message_key(one.session_id, one.incarnation, last) + "$"
        parts: list[Item] = []
        async for item in self.table.items(
            one.owner_id, first_key, last_key, is_descending=is_descending, limit=limit
        ):
            # Parts sort after their message: read backwards they come before it.
            if "part" in item and not is_descending:
                parts.append(item)
                continue
            if not is_descending and parts:
                for message in self._existing(one, parts):
                    yield message
                parts = []
            parts.append(item)
            if is_descending and "part" not in item:
                for message in self._existing(one, parts):
                    yield message
                parts = []
        for message in self._existing(one, parts):
            yield message

    def _existing(self, one: Conversation, items: Collection[Item]) -> list[Message]:
        return [message for message in messages_from(one, items) if one.has(message.sequence)]

    async def message_of(self, one: Conversation, item: Item) -> Message | None:
        """Return the message of an item, if the conversation has it."""
        sequence = int(item["sequence"])
        is_current = item[SORT] == message_key(one.session_id, one.incarnation, sequence)
        if not (is_current and one.has(sequence)):
            return None
        if "parts" not in item:
            return next(messages_from(one, [item]))
        found = [each async for each in self.messages(one, after=sequence - 1, through=sequence)]
        return found[0] if found else None

    async def all_messages(self, one: Conversation) -> list[Message]:
        """Return the messages of all branches by number."""
        return [message async for message in self.messages(one)]

    async def of_turns(self, one: Conversation, turns: Collection[int]) -> list[Message]:
        """Return the messages of some turns by number."""
        found = [
            message
            for first, last in one.sequences_of(turns)
            async for message in self.messages(one, after=first - 1, through=last)
        ]
        return [message for message in found if message.turn_number in turns]

    async def change(
        self,
        scope: Scope,
        session_id: UUID,
        change: Callable[[Conversation, Transaction], Awaitable[Result]],
        *,
        sees_hidden: bool = False,
    ) -> Result | None:
        """Change a conversation as it was read, again until nobody else did; None without one.

        `change` may add to the transaction. What it returns is returned once it is stored.
        """

        async def attempt() -> Result | None:
            one = await self.stored(scope.owner_id, session_id)
            if one is None or not (sees_hidden or one.is_visible(self.clock.now())):
                return None
            transaction = self.table.transaction()
            before = one.version
            result = await change(one, transaction)
            if one.version == before:
                await self.save(one, transaction)
                await self.table.write(transaction)
            return result

        async with self.table.alone(scope.owner_id, session_id):
            return await self.table.repeated(attempt)

    async def save(self, one: Conversation, transaction: Transaction) -> None:
        """Store a conversation on top of what was read."""
        transaction.put(await written_conversation(one), read=one.version)

    async def start(self, one: Conversation, transaction: Transaction) -> None:
        """Store a conversation that is not there."""
        await self.save(one, transaction)
        end = one.session.expires_at
        known = key_of(one.owner_id, known_session_key(one.session_id))
        waits = (
            {}
            if end is None
            else {WORK_QUEUE: queue_of(EXPIRY, one.owner_id), WORK_DUE: time_text(end)}
        )
        transaction.put({**known, "sessionId": str(one.session_id), **waits})
        self.claim_owner(one.scope, transaction)

    def claim_owner(self, scope: Scope | TenantScope, transaction: Transaction) -> None:
        """Note who an owner is; the transaction fails while the owner is being erased."""
        user = scope.user if isinstance(scope, Scope) else ""
        transaction.update(
            key_of(scope.owner_id, OWNER),
            "SET #tenant = :tenant, #user = :user, "
            f"createdAt = if_not_exists(createdAt, :now), {WORK_QUEUE} = :queue, "
            f"{WORK_DUE} = :due",
            {
                ":tenant": scope.tenant,
                ":user": user,
                ":now": time_text(self.clock.now()),
                ":queue": queue_of(OWNERS, scope.owner_id),
                ":due": owner_due(scope),
            },
            condition=NOT_ERASED,
            names={"#tenant": "tenant", "#user": "user"},
        )

    async def hide(self, one: Conversation) -> None:
        """Let nobody find a conversation any more, which is about to be erased.

        It is changed in place, without a look at its content, which may be unreadable.
        """
        with suppress(ConditionFailed):  # it is gone already
            await self.table.update(
                key_of(one.owner_id, session_key(one.session_id)),
                f"SET isBeingErased = :true REMOVE {WORK_QUEUE}, {WORK_DUE} ADD {VERSION} :one",
                {":true": True, ":one": 1},
                condition=f"attribute_exists({PARTITION})",
            )

    async def delete(self, one: Conversation, entry: OwnedEntry | None) -> None:
        """Delete a conversation as it was read with everything in it; raises `ConditionFailed`."""
        transaction = self.table.transaction()
        transaction.delete(key_of(one.owner_id, session_key(one.session_id)), read=one.version)
        transaction.delete(key_of(one.owner_id, known_session_key(one.session_id)))
        marker = put_purge(transaction, one, ())
        if entry is not None:
            await add_entries(self.table, transaction, [entry])
        await self.table.write(transaction)
        await purge(self.table, marker)

    async def delete_expired(self, one: Conversation, *, now: datetime) -> None:
        """Delete an expired conversation, and write so into its owner's audit log."""
        scope = replace(one.scope, actor=RETENTION, interface=Interface.WORKER, transaction_id="")
        entry = OwnedEntry.of(
            scope, AuditAction.SESSION_EXPIRED, one.session_id, count=one.stored_count, at=now
        )
        await self.delete(one, entry)

    async def remove(
        self, one: Conversation, removed: Collection[Message], transaction: Transaction
    ) -> Item:
        """Delete messages of a conversation for readers; return what `purge` deletes for good."""
        one.remove(removed, await self.all_messages(one))
        return put_purge(transaction, one, [message.sequence for message in removed])


def owner_due(scope: OwnerPlace) -> str:
    """Where an owner is in the queue of all owners: among those of the tenant."""
    return f"{tenant_id(scope.tenant)}#{scope.owner_id}"


def known_session_key_prefix() -> str:
    """What the items begin with that tell which sessions there are."""
    return "@session#"


def is_session(item: Item) -> bool:
    """Whether an item is a session, and not one of its messages."""
    return name_of(item)[1].endswith("#session")


def tail_range(session_id: UUID) -> tuple[str, str]:
    """The first and the last key of a session's messages and the session itself."""
    return messages_prefix(session_id), session_key(session_id)
