"""Deletes from the table what is deleted for readers already.

A deletion is one small transaction: it changes the session's item, and leaves a note of the items
that have to go. They go right after it; where the process is killed in between, the note leads a
worker to them.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final
from uuid import UUID

from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.ranges import Ranges
from recollect.engines.dynamodb.recall.removals import put_removals
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Item, json_from, json_text
from recollect.engines.dynamodb.table.keys import (
    ENTRIES,
    LAST,
    SORT,
    WORK_DUE,
    WORK_QUEUE,
    entry_prefix,
    key_of,
    message_id_key,
    message_key,
    messages_prefix,
    owner_of,
    purge_key,
    queue_of,
)
from recollect.engines.dynamodb.table.table import Table, in_parts
from recollect.engines.dynamodb.table.transaction import Transaction

PURGES: Final = "purge"
CHANGES: Final = "changes"
"""The counter of changes of an owner's entries."""
_AT_ONCE: Final = 100
_POINTERS_AT_ONCE: Final = 20


def put_purge(transaction: Transaction, one: Conversation, sequences: Sequence[int]) -> Item:
    """Note that messages, or without numbers everything of a conversation, have to go."""
    marker: Item = {
        **key_of(one.owner_id, purge_key(one.session_id, one.incarnation, one.next_change)),
        "sessionId": str(one.session_id),
        "incarnation": one.incarnation,
        "ranges": json_text([*Ranges.of(sequences)]),
        WORK_QUEUE: queue_of(PURGES, one.owner_id),
        WORK_DUE: "0",
    }
    transaction.put(marker)
    return marker


async def purge(table: Table, marker: Item) -> None:
    """Delete what a note names, and then the note; it may be repeated."""
    owner_id, session_id = owner_of(marker), UUID(str(marker["sessionId"]))
    incarnation = str(marker["incarnation"])
    gone = Ranges(json_from(marker["ranges"]))
    if not gone:
        prefix = messages_prefix(session_id, incarnation)
        await _purge_messages(table, owner_id, prefix, prefix + LAST)
    for first, last in gone:
        keys = (message_key(session_id, incarnation, number) for number in (first, last))
        begin, end = keys
        await _purge_messages(table, owner_id, begin, end + "$")
    await _purge_entries(table, owner_id, entry_prefix(session_id, incarnation), gone)
    await table.delete(marker)


async def _purge_messages(table: Table, owner_id: UUID, first: str, last: str) -> None:
    keys: list[Item] = []
    async for item in table.sealed.items(owner_id, first, last):
        keys.append(item)
        if len(keys) >= _AT_ONCE:
            await _delete_messages(table, owner_id, keys)
            keys = []
    await _delete_messages(table, owner_id, keys)


async def _delete_messages(table: Table, owner_id: UUID, items: Sequence[Item]) -> None:
    """Delete messages; those first that tell where they are, so that it can be repeated."""
    pointers = [_delete_pointer(table, owner_id, one) for one in items if "messageId" in one]
    for part in in_parts(pointers, _POINTERS_AT_ONCE):
        await asyncio.gather(*part)
    await table.delete_all(items)


async def _delete_pointer(table: Table, owner_id: UUID, message: Item) -> None:
    """Delete where a message was, unless another message has its id by now."""
    sort = message_id_key(UUID(str(message["messageId"])))
    with suppress(ConditionFailed):
        await table.delete_if(key_of(owner_id, sort), "place = :place", {":place": message[SORT]})


async def _purge_entries(table: Table, owner_id: UUID, prefix: str, gone: Ranges) -> None:
    """Delete the recall entries of a conversation that have one of the messages, or all."""
    entries = [
        item
        async for item in table.sealed.items(owner_id, prefix)
        if not gone or any(number in gone for number in json_from(item["sequences"]))
    ]
    if entries:
        await put_removals(table, entries)
        await table.delete_all(entries)
        await note_changed_entries(table, owner_id)


async def note_changed_entries(table: Table, owner_id: UUID) -> None:
    """Let every process read the owner's entries anew."""
    transaction = table.transaction()
    count_entries_change(transaction, owner_id)
    await table.write(transaction)


def count_entries_change(transaction: Transaction, owner_id: UUID) -> None:
    """Note in a transaction that entries of the owner are deleted with it."""
    transaction.update(key_of(owner_id, ENTRIES), f"ADD {CHANGES} :one", {":one": 1})
