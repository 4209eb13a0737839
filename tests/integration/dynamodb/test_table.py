"""What the items of the table are, and what happens to them when processes meet or are killed."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from recollect.domain.conversation.paging import PageRequest, SessionSort
from recollect.domain.identity.audit import AuditAction, OwnedEntry
from recollect.engines.dynamodb.conversations import store as conversation_store
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Item
from recollect.engines.dynamodb.table.keys import SORT, session_key
from recollect.engines.dynamodb.table.table import Table
from recollect.errors import DatabaseUnavailable
from recollect.ports import Stores
from recollect.testing import FIRST_MOMENT, FixedClock
from support.examples import (
    a_message,
    a_scope,
    a_session,
    append,
    messages_of,
    start_conversation,
    start_session,
)

A_DAY = timedelta(days=1)


async def items_of(table: Table, owner_id: UUID) -> list[Item]:
    return [item async for item in table.items(owner_id, " ", "~")]


async def test_a_session_has_the_attributes_that_its_readers_look_for(
    stores: Stores, table: Table
) -> None:
    scope, ends = a_scope(), FIRST_MOMENT + 90 * A_DAY
    session = await start_session(stores, scope, expires_at=ends)
    await append(stores, scope, session.session_id, *messages_of("user", "assistant"))
    item = await table.get(scope.owner_id, session_key(session.session_id))
    assert item is not None
    assert item["userId"] == str(scope.owner_id)
    assert item["sessionId"] == str(session.session_id)
    assert item["createdAt"] == item["lastAccessed"] == "2026-01-01T12:00:00.000000Z"
    assert item["metadata"] == "{}"
    assert item["ttl"] == int((ends + 7 * A_DAY).timestamp())
    sorts = [str(one[SORT]) for one in await items_of(table, scope.owner_id)]
    of_session = [sort for sort in sorts if sort.startswith(str(session.session_id))]
    assert [sort.split("#")[1] for sort in of_session] == ["message", "message", "session"]


async def test_writers_of_several_processes_share_and_skip_no_number(table: Table) -> None:
    # Tables of their own share no lock: what keeps them apart are conditions alone.
    processes = [dynamo_stores(Table(table.client, table.name), FixedClock()) for _ in range(4)]
    scope = a_scope()
    session = await start_session(processes[0], scope)
    messages = [a_message(content=f"number {number}") for number in range(12)]

    async def write(stores: Stores, number: int) -> None:
        await append(stores, scope, session.session_id, messages[number])

    twice = [write(processes[n % 4], n) for n in range(12)]
    twice += [write(processes[(n + 1) % 4], n) for n in range(12)]
    await asyncio.gather(*twice)
    stored = await processes[0].messages.last(scope, session.session_id, count=99)
    assert stored is not None
    assert [message.sequence for message in stored] == [*range(1, 13)]
    assert {message.message_id for message in stored} == {one.message_id for one in messages}


async def test_two_processes_that_start_a_session_make_one(table: Table) -> None:
    processes = [dynamo_stores(Table(table.client, table.name), FixedClock()) for _ in range(4)]
    scope, session = a_scope(), a_session()
    started = await asyncio.gather(
        *(one.sessions.start(scope, session, now=FIRST_MOMENT) for one in processes)
    )
    assert sorted(is_new for _, is_new in started) == [False, False, False, True]


async def test_a_message_larger_than_an_item_is_stored_whole(stores: Stores, table: Table) -> None:
    scope = a_scope()
    session = await start_session(stores, scope)
    large = a_message(content="naïve 数据库 " * 70_000, metadata={"of": [1, 1.0]})
    (stored,) = await append(stores, scope, session.session_id, large)
    await append(stores, scope, session.session_id, a_message("assistant", "Short."))
    last = await stores.messages.last(scope, session.session_id, count=2)
    assert last is not None
    assert last[0] == stored
    assert last[0].content == large.content
    assert last[0].metadata == {"of": [1, 1.0]}
    window = await stores.messages.window(scope, session.session_id, count=1, covers_all=False)
    assert window is not None
    assert [message.content for message in window.messages] == ["Short."]
    assert await stores.messages.delete(
        scope, session.session_id, stored.message_id, now=FIRST_MOMENT
    )
    left = [item for item in await items_of(table, scope.owner_id) if "part" in item]
    assert left == []


async def test_a_deletion_that_is_killed_halfway_is_finished_by_the_clean_up(
    stores: Stores, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = a_scope()
    session_id, _ = await start_conversation(stores, scope)

    class Killed(Exception):
        pass

    async def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(conversation_store, "purge", killed)
        with pytest.raises(Killed):
            await stores.sessions.delete(scope, session_id, now=FIRST_MOMENT)
    assert await stores.sessions.get(scope, session_id) is None
    assert await stores.messages.last(scope, session_id, count=9) is None
    again, _ = await stores.sessions.start(scope, a_session(session_id), now=FIRST_MOMENT)
    await append(stores, scope, session_id, a_message(content="new"))
    await stores.expired.delete(now=FIRST_MOMENT, limit=100)
    texts = [item.get("content") for item in await items_of(table, scope.owner_id)]
    assert [text for text in texts if text is not None] == ["new"]
    assert again.message_count == 0


async def test_what_a_killed_writer_prepared_is_never_seen(stores: Stores, table: Table) -> None:
    scope = a_scope()
    session = await start_session(stores, scope)
    many = messages_of(*("user", "assistant") * 25)
    write, written = table.write, 0

    async def killed_later(transaction: Any) -> None:  # noqa: ANN401  # a transaction
        nonlocal written
        written += 1
        if written == 3:
            raise KeyboardInterrupt
        await write(transaction)

    table.write = killed_later  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        await append(stores, scope, session.session_id, *many)
    table.write = write  # type: ignore[method-assign]
    assert await stores.messages.last(scope, session.session_id, count=9) == ()
    (first,) = await append(stores, scope, session.session_id, a_message(content="mine"))
    assert first.sequence == 1
    stored = await append(stores, scope, session.session_id, *many)
    assert [message.sequence for message in stored] == [*range(2, 52)]


async def test_audit_entries_that_were_written_before_a_failure_come_once(
    stores: Stores, table: Table
) -> None:
    scope = a_scope()
    entries = [
        OwnedEntry.of(scope, AuditAction.MESSAGE_READ, number, at=FIRST_MOMENT)
        for number in range(150)
    ]
    write, written = table.write, 0

    async def fails_once(transaction: Any) -> None:  # noqa: ANN401  # a transaction
        nonlocal written
        written += 1
        if written == 2:
            raise DatabaseUnavailable("busy")
        await write(transaction)

    table.write = fails_once  # type: ignore[method-assign]
    with pytest.raises(DatabaseUnavailable):
        await stores.audit.append(entries)
    await stores.audit.append(entries)
    stored = await stores.audit.entries(scope, limit=999)
    assert [entry.target for entry in reversed(stored)] == [str(one) for one in range(150)]


async def test_a_session_that_is_used_ends_later_without_another_write_of_its_note(
    stores: Stores, clock: FixedClock
) -> None:
    scope = a_scope()
    session = await start_session(stores, scope, expires_at=FIRST_MOMENT + A_DAY)
    later = FIRST_MOMENT + 3 * A_DAY
    await stores.sessions.touch(scope, session.session_id, now=FIRST_MOMENT, expires_at=later)
    clock.move(2 * A_DAY)
    assert await stores.expired.delete(now=clock.now(), limit=9) == 0
    assert await stores.sessions.get(scope, session.session_id) is not None
    clock.move(2 * A_DAY)
    assert await stores.sessions.get(scope, session.session_id) is None
    assert await stores.expired.count(now=clock.now()) == 1
    assert await stores.expired.delete(now=clock.now(), limit=9) == 1


async def test_the_last_messages_and_a_page_of_sessions_cost_the_same_however_many_there_are(
    stores: Stores, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = a_scope()
    for _ in range(7):
        session_id, _ = await start_conversation(stores, scope, ("user", "assistant") * 8)
    requests: list[tuple[str, int]] = []
    call = table.client.call

    async def counted(operation: str, request: Any) -> Any:  # noqa: ANN401  # JSON
        answer = await call(operation, request)
        requests.append((operation, len(answer.get("Items", ()))))
        return answer

    monkeypatch.setattr(table.client, "call", counted)
    await stores.messages.last(scope, session_id, count=10)
    assert requests == [("Query", 13)]
    requests.clear()
    page = PageRequest(limit=3)
    listed = await stores.sessions.list(scope, page, sort=SessionSort.LAST_ACCESSED)
    assert len(listed.items) == 3
    assert all(items <= 5 for _, items in requests)


async def test_an_item_is_only_stored_on_top_of_what_was_read(table: Table) -> None:
    item: Item = {"userId": "somebody", "sessionKey": "@one"}
    await table.put(item, read=0)
    with pytest.raises(ConditionFailed):
        await table.put(item, read=0)
    await table.put(item, read=1)
    with pytest.raises(ConditionFailed):
        await table.delete(item, read=1)
