"""What the background writes to a session that somebody talks in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import pytest

from conformance.contracts.recall_shared import EAST, Log, index_of
from conformance.contracts.shared import LEASE, an_empty_queue, long_ago
from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.conversation.message import Message
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.conversations.messages import lock_sessions, remove
from recollect.engines.postgres.sql import statement
from recollect.ports import Stores
from support.examples import (
    a_summary,
    append,
    messages_of,
    put_summary,
    seconds_on,
    start_session,
)

from .test_append import has_to_wait_for


@asynccontextmanager
async def deleted_meanwhile(
    database: Database, scope: Scope, session_id: UUID, message: Message
) -> AsyncIterator[list[asyncio.Task[object]]]:
    """Somebody deletes a message, and for that holds its session; the tasks given wait for it."""
    waiting: list[asyncio.Task[object]] = []
    async with database.transaction(scope.owner_id) as transaction:
        locked = await lock_sessions(transaction, session_id, now=seconds_on(0))
        yield waiting
        while not await has_to_wait_for(transaction.connection):  # noqa: ASYNC110  # another process waits
            await asyncio.sleep(0.01)
        await remove(transaction, "delete_message", locked, message_id=message.message_id)


async def test_messages_deleted_while_their_indexing_waits_are_not_indexed(
    stores: Stores, database: Database
) -> None:
    log = await Log.start(stores)
    kept, gone = [await log.say(text, EAST) for text in ("skis", "sledge")]
    index, turns = index_of(stores), [kept.entry.turn_number, gone.entry.turn_number]
    async with deleted_meanwhile(database, log.scope, log.session_id, log.messages[-1]) as waiting:
        replacing = index.replace(log.scope, log.session_id, turns, [kept, gone])
        waiting.append(asyncio.create_task(replacing))
    await asyncio.gather(*waiting)
    assert await log.texts() == ["skis"]


async def test_concurrent_indexing_of_one_turn_stores_its_entry_once(stores: Stores) -> None:
    log = await Log.start(stores)
    one = await log.say("skis", EAST)
    index, turns = index_of(stores), [one.entry.turn_number]
    writing = [index.replace(log.scope, log.session_id, turns, [one]) for _ in range(8)]
    await asyncio.gather(*writing)
    assert await log.texts() == ["skis"]


async def test_a_summary_of_messages_deleted_while_it_waited_is_not_stored(
    stores: Stores, database: Database, scope: Scope
) -> None:
    session = await start_session(stores, scope)
    messages = await append(stores, scope, session.session_id, *messages_of("user", "assistant"))
    async with deleted_meanwhile(database, scope, session.session_id, messages[0]) as waiting:
        putting = stores.summaries.put(
            scope, session.session_id, a_summary(through=2), replaces=0, added=2
        )
        waiting.append(asyncio.create_task(putting))
    assert await asyncio.gather(*waiting) == [False]


async def test_a_worker_holds_nothing_between_two_round_trips(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each write is a statement of its own: nobody waits for a worker that has no time."""
    log = await Log.start(stores)
    one = await log.say("skis", EAST)
    scope, policy = log.scope, CompactionPolicy(trigger=1, keep=0)
    async with an_empty_queue(stores):
        talk = await start_session(stores, scope, now=long_ago(0))
        messages = messages_of("user", "assistant")
        await append(stores, scope, talk.session_id, *messages, now=long_ago(1), compaction=policy)
        await put_summary(stores, scope, talk.session_id, a_summary(through=1), replaces=0)
        due = await stores.indexing.due(scope, talk.session_id, limit=9)
        with monkeypatch.context() as patched:
            patched.setattr(Database, "owned_by", refused)
            patched.setattr(Database, "working", refused)
            job = await stores.jobs.take(now=long_ago(2), lease=LEASE)
            assert job is not None
            await stores.jobs.finish(job)
            await index_of(stores).replace(scope, log.session_id, [one.entry.turn_number], [one])
            assert due
            await stores.indexing.done(scope, talk.session_id, due)
            summary = a_summary(through=2)
            assert await stores.summaries.put(scope, talk.session_id, summary, replaces=1, added=1)
            assert await stores.indexing.due(scope, talk.session_id, limit=9) == ()
            assert await stores.jobs.take(now=long_ago(3), lease=LEASE) is None


def refused(*_: object, **__: object) -> None:
    raise AssertionError("a transaction of several round trips was begun")


@pytest.mark.parametrize("name", ["finish_due", "finish_job"])
async def test_marking_work_as_finished_commits_asynchronously(
    database: Database, scope: Scope, name: str
) -> None:
    given: dict[str, dict[str, object]] = {
        "finish_due": {
            "session_id": uuid4(),
            "turn_numbers": [1],
            "changes": [1],
            "is_indexed": False,
            "stays_due": False,
        },
        "finish_job": {"job_id": uuid4(), "scheduled_at": seconds_on(0)},
    }
    async with database.owned_by(scope.owner_id) as connection:
        await connection.fetch(*statement(name, owner_id=scope.owner_id, **given[name]))
        assert await connection.fetchval("SHOW synchronous_commit") == "off"
    async with database.owned_by(scope.owner_id) as connection:
        assert await connection.fetchval("SHOW synchronous_commit") == "on"
