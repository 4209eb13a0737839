"""What follows the entries by itself: words, counts, and traces for other stores."""

import asyncio
import random
from collections.abc import Sequence
from uuid import UUID

import asyncpg
import pytest_asyncio

from conformance.contracts.recall_shared import EAST, NORTH, Log, index_of, search
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import IndexedEntry
from recollect.ports import Stores
from support.examples import a_scope, seconds_on

_CHANCE = random.Random(5)  # noqa: S311  # the same course of events on every run
_WORDS = ["skis", "sledge", "snow", "ice", "hut", "lift", "pass", "glove", "scarf", "cap"]

INCONSISTENT_COUNTS = """
WITH words AS (
    SELECT word.term, entry.number, word.count, entry.length
    FROM recall_entries AS entry
    CROSS JOIN LATERAL unnest(entry.terms, entry.counts) AS word (term, count)
    WHERE entry.owner_id = $1
), kept AS (
    SELECT term, number, count, length FROM recall_words WHERE owner_id = $1
), models AS (
    SELECT coalesce(model, '') AS model, count(*) AS entries FROM recall_entries
    WHERE owner_id = $1 GROUP BY 1
)
SELECT 'words' FROM (TABLE words EXCEPT TABLE kept) AS missing
UNION ALL SELECT 'more words' FROM (TABLE kept EXCEPT TABLE words) AS left_over
UNION ALL SELECT 'models' FROM (
    TABLE models EXCEPT SELECT model, entries FROM recall_models WHERE owner_id = $1
) AS missing
UNION ALL SELECT 'more models' FROM (
    SELECT model, entries FROM recall_models WHERE owner_id = $1 EXCEPT TABLE models
) AS left_over
UNION ALL SELECT 'size' FROM (
    SELECT count(*), coalesce(sum(length), 0)::bigint FROM recall_entries WHERE owner_id = $1
    EXCEPT SELECT entries, length FROM recall_owners WHERE owner_id = $1
) AS wrong
"""


@pytest_asyncio.fixture
async def admin(admin_dsn: str) -> asyncpg.Connection:
    connection = await asyncpg.connect(
        admin_dsn, server_settings={"search_path": "recollect, public"}
    )
    yield connection
    await connection.close()


async def inconsistent_counts(admin: asyncpg.Connection, scope: Scope) -> Sequence[asyncpg.Record]:
    found: Sequence[asyncpg.Record] = await admin.fetch(INCONSISTENT_COUNTS, scope.owner_id)
    return found


def random_text() -> str:
    return " ".join(_CHANCE.choices(_WORDS, k=_CHANCE.randint(1, 8)))


async def make_random_change(stores: Stores, logs: list[Log], said: list[IndexedEntry]) -> None:
    """One thing by chance that changes what is indexed."""
    log = _CHANCE.choice(logs)
    match _CHANCE.randrange(8):
        case 0 | 1 | 2:
            vector = _CHANCE.choice([EAST, None])
            said.append(await log.say(random_text(), vector))
        case 3 if said:
            one = _CHANCE.choice(said)
            await index_of(stores).embed(log.scope, [(one.entry, NORTH)], model="another:3")
        case 4 if log.messages:
            gone = _CHANCE.choice(log.messages).message_id
            await stores.messages.delete(log.scope, log.session_id, gone, now=seconds_on(1))
        case 5:
            await stores.history.trim(log.scope, keep_last=9, now=seconds_on(1))
        case 6 if len(logs) > 1:
            logs.remove(log)
            await stores.sessions.delete(log.scope, log.session_id, now=seconds_on(1))
        case _:
            logs.append(await Log.start(stores, log.scope))


async def test_stored_word_counts_match_the_entries_after_any_changes(
    stores: Stores, admin: asyncpg.Connection
) -> None:
    logs = [await Log.start(stores)]
    said: list[IndexedEntry] = []
    for _ in range(60):
        await make_random_change(stores, logs, said)
    assert said
    assert await inconsistent_counts(admin, logs[0].scope) == []


async def test_the_counts_are_right_when_many_write_for_one_owner_at_once(
    stores: Stores, admin: asyncpg.Connection
) -> None:
    scope = a_scope()
    logs = [await Log.start(stores, scope) for _ in range(6)]

    async def write(log: Log) -> None:
        for _ in range(4):
            one = await log.say(random_text())
            await index_of(stores).embed(scope, [(one.entry, NORTH)], model="another:3")
        await stores.history.trim(scope, keep_last=10, now=seconds_on(1))

    await asyncio.gather(*map(write, logs))
    assert await inconsistent_counts(admin, scope) == []


async def test_the_counts_are_right_when_sessions_of_several_owners_are_cleaned_up(
    stores: Stores, admin: asyncpg.Connection
) -> None:
    scopes = [a_scope(), a_scope()]
    for scope in scopes:
        kept = await Log.start(stores, scope)
        await kept.say("skis and a sledge")
    numbers: list[UUID] = []
    for scope in scopes:
        log = await Log.start(stores, scope)
        await log.say("skis in the snow")
        numbers.append(log.session_id)
    await admin.execute(
        "UPDATE sessions SET expires_at = '1949-01-01' WHERE session_id = ANY($1)", numbers
    )
    assert await stores.expired.delete(now=_LONG_AGO, limit=100) >= len(numbers)
    for scope in scopes:
        assert len(await search(stores, scope)) == 1
        assert await inconsistent_counts(admin, scope) == []


async def test_deleting_an_entry_with_an_outside_vector_records_it_for_removal(
    stores: Stores, admin: asyncpg.Connection
) -> None:
    log = await Log.start(stores)
    here, elsewhere = await log.say("here"), await log.say("elsewhere")
    number = await admin.fetchval(
        "UPDATE recall_entries SET kept_in = 'chroma' WHERE owner_id = $1 AND sequence = $2 "
        "RETURNING number",
        log.scope.owner_id,
        elsewhere.entry.sequence,
    )
    await stores.sessions.delete(log.scope, log.session_id, now=seconds_on(1))
    traces = await admin.fetch(
        "SELECT kept_in, session_id, number FROM recall_removals WHERE owner_id = $1",
        log.scope.owner_id,
    )
    assert [tuple(trace) for trace in traces] == [("chroma", log.session_id, number)]
    assert here.entry.sequence != elsewhere.entry.sequence


_LONG_AGO = seconds_on(0).replace(year=1949, month=6)
