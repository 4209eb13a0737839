"""Vectors in a store outside follow the database, whatever goes wrong between the two."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

import asyncpg
import pytest
import pytest_asyncio

from conformance.contracts.recall_shared import EAST, MODEL, NORTH, Log, search
from recollect.composition import build_services
from recollect.domain.vectors import Vector
from recollect.engines.opensearch import OpenSearchClient, OpenSearchVectorStore
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.engines.postgres.migrations import migrate
from recollect.errors import VectorStoreUnavailable
from recollect.interfaces.worker import work_forever
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.recall import EntryKey, RecallIndex
from recollect.services.recall.outside_index import (
    Differences,
    OutsideIndex,
    Removals,
    VectorStoreCheck,
    stored_name,
)
from recollect.services.services import ServiceDependencies, Services
from recollect.system import RandomIds, SystemClock
from recollect.testing import FixedClock, WordEmbedder
from support.doubles.opensearch import OpenSearchDouble, running_opensearch
from support.examples import a_message, a_scope, append, seconds_on, start_session
from support.recall.outside_index import outside_index
from support.timeouts import PATIENCE

STORED = stored_name(MODEL, len(EAST))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """An index with its vectors in a collection of its own."""

    stores: Stores
    index: OutsideIndex
    removals: Removals

    @classmethod
    def on(
        cls, database: Database, vectors: OpenSearchVectorStore, *, clock: FixedClock | None = None
    ) -> "Outside":
        stores, index = outside_index(
            database, vectors, kept_in=f"opensearch/{uuid4()}", clock=clock
        )
        return cls(
            stores=stores, index=index, removals=Removals(entries=index.entries, vectors=vectors)
        )

    async def keys(self, owner_id: UUID, *, stored: str = STORED) -> frozenset[EntryKey]:
        return await self.index.vectors.keys(owner_id, model=stored)


@pytest_asyncio.fixture(scope="module")
async def own_dsn(admin_dsn: str) -> AsyncIterator[str]:
    """A database of its own, since what is outdated is asked for all owners."""
    name = f"outside_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    dsn = admin_dsn.replace("@/postgres?", f"@/{name}?")
    await migrate(dsn)
    yield dsn
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest_asyncio.fixture(scope="module")
async def own_database(own_dsn: str) -> AsyncIterator[Database]:
    async with open_external(own_dsn, max_connections=4) as database:
        yield database


@pytest_asyncio.fixture(scope="module")
async def cluster() -> AsyncIterator[OpenSearchDouble]:
    async with running_opensearch() as double:
        yield double


@pytest_asyncio.fixture
async def client(cluster: OpenSearchDouble) -> AsyncIterator[OpenSearchClient]:
    opened = OpenSearchClient(cluster.url)
    yield opened
    cluster.fails_with, cluster.keeps_deleted = None, False
    await opened.aclose()


@pytest.fixture
def vectors(client: OpenSearchClient) -> OpenSearchVectorStore:
    return OpenSearchVectorStore(client, collection=f"tests-{uuid4().hex[:8]}")


@pytest.fixture
def outside(own_database: Database, vectors: OpenSearchVectorStore) -> Outside:
    return Outside.on(own_database, vectors)


async def cosines(index: RecallIndex, log: Log) -> dict[str, float | None]:
    """What a search for the east finds by meaning, or by the word 'said'."""
    found = await search(log.stores, log.scope, "said")
    return {one.entry.text: one.meanings[one.own] for one in found}


async def embed_again(index: RecallIndex, log: Log) -> int:
    """What reindexing does, for one owner alone."""
    found = await index.outdated(model=MODEL, limit=100_000)
    of_owner = [entry for scope, entry in found if scope.owner_id == log.scope.owner_id]
    await index.embed(log.scope, [(entry, EAST) for entry in of_owner], model=MODEL)
    return len(of_owner)


async def test_vectors_of_deleted_messages_are_removed_once_the_store_is_back(
    outside: Outside, cluster: OpenSearchDouble, own_dsn: str
) -> None:
    scope = a_scope()
    kept, cut, dropped, expired = [await Log.start(outside.stores, scope) for _ in range(4)]
    await kept.say("said and kept")
    for log in (cut, dropped, expired):
        await log.say("said and gone")
    assert len(await outside.keys(scope.owner_id)) == 4

    cluster.fails_with = 503
    first = cut.messages[0].message_id
    await outside.stores.messages.delete(scope, cut.session_id, first, now=seconds_on(1))
    await outside.stores.sessions.delete(scope, dropped.session_id, now=seconds_on(1))
    await _clean_up(outside.stores, expired, own_dsn)
    with pytest.raises(VectorStoreUnavailable):
        await outside.removals.do_some()
    assert await outside.removals.waiting() == 3

    cluster.fails_with = None
    assert await outside.removals.do_all() == 3
    assert {key.session_id for key in await outside.keys(scope.owner_id)} == {kept.session_id}
    assert await outside.removals.waiting() == 0


async def test_a_removal_that_the_store_rejects_is_tried_again(
    outside: Outside, cluster: OpenSearchDouble
) -> None:
    log = await Log.start(outside.stores)
    await log.say("said")
    await outside.stores.sessions.delete(log.scope, log.session_id, now=seconds_on(1))

    cluster.keeps_deleted = True
    with pytest.raises(VectorStoreUnavailable, match="still has"):
        await outside.removals.do_all()
    assert await outside.removals.waiting() == 1

    cluster.keeps_deleted = False
    assert await outside.removals.do_all() == 1
    assert await outside.keys(log.scope.owner_id) == frozenset()


async def test_a_late_removal_does_not_delete_vectors_indexed_again(outside: Outside) -> None:
    log = await Log.start(outside.stores)
    said = await log.say("said")
    await log.index([said])
    await log.index([said])
    assert await outside.removals.do_all() == 2
    assert await cosines(outside.index, log) == {"said": pytest.approx(1, abs=1e-3)}
    assert len(await outside.keys(log.scope.owner_id)) == 1


async def test_while_the_store_is_away_entries_are_found_by_words_and_embedded_later(
    own_database: Database, vectors: OpenSearchVectorStore, cluster: OpenSearchDouble
) -> None:
    clock = FixedClock()
    outside = Outside.on(own_database, vectors, clock=clock)
    log = await Log.start(outside.stores)
    cluster.fails_with = 503
    await log.say("said first")
    cluster.requests.clear()
    await log.say("said at once after that")
    assert cluster.requests == [], "a store that was away a moment ago is left alone"
    found = await search(log.stores, log.scope, "said", None)
    assert len(found) == 2
    with pytest.raises(VectorStoreUnavailable):
        await search(log.stores, log.scope, "said")
    with pytest.raises(VectorStoreUnavailable):
        await embed_again(outside.index, log)

    cluster.fails_with = None
    clock.move(timedelta(minutes=1))
    await log.say("said later")
    assert await embed_again(outside.index, log) == 2
    assert len(await cosines(outside.index, log)) == 3
    assert None not in (await cosines(outside.index, log)).values()


class Killed(BaseException):
    """The process dies."""


class DyingStore(OpenSearchVectorStore):
    """Keeps what it is given, and then the process dies."""

    async def put(self, owner_id: UUID, vectors: Mapping[EntryKey, Vector], *, model: str) -> None:
        await super().put(owner_id, vectors, model=model)
        raise Killed


@pytest.mark.parametrize("then", ["embedded again", "deleted"])
async def test_a_kill_between_writing_to_store_and_database_loses_and_orphans_nothing(
    own_database: Database, client: OpenSearchClient, then: str
) -> None:
    dying = DyingStore(client, collection=f"tests-{uuid4().hex[:8]}")
    outside = Outside.on(own_database, dying)
    log = await Log.start(outside.stores)
    with pytest.raises(Killed):
        await log.say("said")
    assert len(await outside.keys(log.scope.owner_id)) == 1
    assert await cosines(outside.index, log) == {"said": None}

    if then == "deleted":
        await outside.stores.sessions.delete(log.scope, log.session_id, now=seconds_on(1))
        await outside.removals.do_all()
        assert await outside.keys(log.scope.owner_id) == frozenset()
    else:
        with pytest.raises(Killed):
            await embed_again(outside.index, log)
        living = OpenSearchVectorStore(client, collection=dying._prefix)
        outside.index.vectors = living
        assert await embed_again(outside.index, log) == 1
        assert await cosines(outside.index, log) == {"said": pytest.approx(1, abs=1e-3)}
        assert len(await outside.keys(log.scope.owner_id)) == 1


async def test_a_vector_whose_entry_was_deleted_while_it_was_sent_is_removed(
    own_database: Database, client: OpenSearchClient
) -> None:
    class SlowStore(OpenSearchVectorStore):
        async def put(
            self, owner_id: UUID, vectors: Mapping[EntryKey, Vector], *, model: str
        ) -> None:
            await outside.stores.sessions.delete(log.scope, log.session_id, now=seconds_on(1))
            await outside.removals.do_all()
            await super().put(owner_id, vectors, model=model)

    slow = SlowStore(client, collection=f"tests-{uuid4().hex[:8]}")
    outside = Outside.on(own_database, slow)
    log = await Log.start(outside.stores)
    await log.say("said")
    assert len(await outside.keys(log.scope.owner_id)) == 1

    assert await outside.removals.do_all() == 1
    assert await outside.keys(log.scope.owner_id) == frozenset()


async def test_another_store_is_filled_and_the_one_before_is_emptied(
    own_database: Database, client: OpenSearchClient
) -> None:
    """From the database to one store, to another, back, and home again."""
    stores = postgres_stores(own_database, SystemClock())
    log = await Log.start(stores)
    await log.say("said")
    await log.say("said to the north", NORTH, model="another:3")
    one, two = (
        Outside.on(
            own_database, OpenSearchVectorStore(client, collection=f"tests-{uuid4().hex[:8]}")
        )
        for _ in range(2)
    )
    owner = log.scope.owner_id
    everything = {
        "said": pytest.approx(1, abs=1e-3),
        "said to the north": pytest.approx(1, abs=1e-3),
    }
    for outside in (one, two, one):
        log.stores = outside.stores
        assert await cosines(outside.index, log) == {"said": None, "said to the north": None}
        assert await embed_again(outside.index, log) == 2
        assert await cosines(outside.index, log) == everything
        assert len(await outside.keys(owner)) == 2
    assert await two.removals.do_all() == 2
    assert await two.keys(owner) == frozenset()
    assert await one.removals.do_all() == 0, "what came back is not to go any more"
    assert len(await one.keys(owner)) == 2

    log.stores = stores
    assert stores.recall is not None
    assert await embed_again(stores.recall, log) == 2
    assert await cosines(stores.recall, log) == everything
    assert await one.removals.do_all() == 2
    assert await one.keys(owner) == frozenset()


async def test_reconciling_adds_missing_vectors_and_removes_orphaned_ones(
    outside: Outside, vectors: OpenSearchVectorStore
) -> None:
    embedder = WordEmbedder(dimensions=3, model=MODEL)
    check = VectorStoreCheck(index=outside.index, embedder=embedder)
    log, stranger = await Log.start(outside.stores), uuid4()
    await log.say("said and kept")
    await log.say("said and lost")
    owner = log.scope.owner_id
    lost = max(await outside.keys(owner))
    await vectors.remove(owner, [lost])
    stray = EntryKey(session_id=uuid4(), number=77)
    await vectors.put(owner, {stray: EAST}, model=STORED)
    await vectors.put(stranger, {stray: EAST}, model=STORED)

    assert await check.do_all() == Differences(missing=1, surplus=2)

    assert await outside.keys(stranger) == frozenset()
    assert len(await outside.keys(owner)) == 1
    assert (await cosines(outside.index, log))["said and lost"] is None
    assert await embed_again(outside.index, log) == 1
    assert len(await outside.keys(owner)) == 2
    assert await check.do_all() == Differences()


async def test_other_models_are_forgotten_once_nothing_is_theirs_any_more(
    outside: Outside, vectors: OpenSearchVectorStore
) -> None:
    check = VectorStoreCheck(index=outside.index, embedder=WordEmbedder(dimensions=3, model=MODEL))
    log, old = await Log.start(outside.stores), stored_name("another:3", 3)
    await log.say("said", model="another:3")
    assert not await check.forget_other_models()
    assert len(await outside.keys(log.scope.owner_id, stored=old)) == 1

    await _embed_all(outside.index)
    assert await check.forget_other_models()
    assert await outside.keys(log.scope.owner_id, stored=old) == frozenset()
    assert len(await outside.keys(log.scope.owner_id)) == 1


async def test_a_worker_fills_and_empties_the_store_by_itself(
    own_database: Database, vectors: OpenSearchVectorStore
) -> None:
    stores = postgres_stores(own_database, SystemClock(), kept_in=f"opensearch/{uuid4()}")
    around = ServiceDependencies(
        clock=SystemClock(),
        ids=RandomIds(),
        counter_for=token_counter_for,
        embedder=WordEmbedder(dimensions=3, model=MODEL),
        vectors=vectors,
    )
    services, scope = build_services(stores, around), a_scope()
    session = await start_session(stores, scope)
    said = (a_message(content="Where do kiwis grow?"), a_message("assistant", "In New Zealand."))
    await append(stores, scope, session.session_id, *said)

    async def has(count: int) -> None:
        while True:
            if len(await vectors.keys(scope.owner_id, model=STORED)) == count:
                return
            await asyncio.sleep(0.05)

    worker = asyncio.create_task(work_forever(services, cleanup_every=timedelta(days=1)))
    try:
        async with asyncio.timeout(PATIENCE):
            await has(1)
            while await _waiting(services):  # noqa: ASYNC110  # the database knows a moment later
                await asyncio.sleep(0.05)
            found = await services.recall.search(scope, "Where do they grow?")
            assert [item.session_id for item in found.items] == [session.session_id]
            assert found.items[0].semantic is not None
            assert found.warnings == ()
            await services.sessions.delete(scope, session.session_id)
            await has(0)
    finally:
        worker.cancel()
        with suppress(asyncio.CancelledError):
            await worker


async def _waiting(services: Services) -> int:
    """How many entries of the test's own database have no vector in the store, for all it knows."""
    assert services.reindexing is not None
    return await services.reindexing.waiting()


async def _embed_all(index: RecallIndex) -> None:
    for scope, entry in await index.outdated(model=MODEL, limit=100_000):
        await index.embed(scope, [(entry, EAST)], model=MODEL)


async def _clean_up(stores: Stores, log: Log, dsn: str) -> None:
    """Let a session expire before all others, and delete it as the clean-up does."""
    admin = await asyncpg.connect(dsn, server_settings={"search_path": "recollect, public"})
    await admin.execute(
        "UPDATE sessions SET expires_at = '1949-01-01' WHERE session_id = $1", log.session_id
    )
    await admin.close()
    assert await stores.expired.delete(now=seconds_on(0).replace(year=1949, month=6), limit=99)
