"""Erasures in PostgreSQL: every table and vector store, beside writers and other processes.

`tests/acceptance/test_erased_tenant.py` has a whole tenant, and kills the workers.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from asyncpg.transaction import Transaction

from recollect.domain.erasure.erasure import Counts, Erasure
from recollect.domain.identity.scope import Scope
from recollect.engines.opensearch import OpenSearchClient, OpenSearchVectorStore
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import postgres_stores
from recollect.engines.postgres.recall.entry_cache import CachedRecallIndex
from recollect.errors import ErasureUnderWay, InvalidReceipt, VectorStoreUnavailable
from recollect.interfaces.worker import work_forever
from recollect.ports import Stores
from recollect.ports.privacy.erasure import Erasable
from recollect.services.services import Services
from recollect.system import SystemClock
from support.doubles.opensearch import OpenSearchDouble, running_opensearch
from support.erasures import dump, erasing_services, fill_everything
from support.examples import a_message, a_scope, a_session, append, start_session
from support.timeouts import PATIENCE

LEFT_ON_PURPOSE = {
    *("audit", "audit_chains", "api_keys", "tenant_settings", "erasures", "receipt_keys", "owners"),
    "ended_visits",
}


@pytest.fixture(scope="module")
def own_stores(own_database: Database) -> Stores:
    return postgres_stores(own_database, SystemClock())


@pytest.fixture(scope="module")
def own_services(own_stores: Stores) -> Services:
    return erasing_services(own_stores)


async def erased(services: Services, scope: Scope) -> dict[str, Any]:
    return dict(await services.erasing.complete(await services.erasing.begin(scope)))


async def test_a_table_that_somebody_adds_is_erased_and_verified(
    own_services: Services, administrator: asyncpg.Connection
) -> None:
    scope = a_scope()
    await administrator.execute(
        "CREATE TABLE recollect.notes (owner_id uuid NOT NULL, note text NOT NULL);"
        "CREATE INDEX ON recollect.notes (owner_id);"
        "GRANT SELECT, DELETE ON recollect.notes TO recollect_app"
    )
    try:
        await administrator.execute("INSERT INTO recollect.notes VALUES ($1, 'x')", scope.owner_id)
        receipt = await erased(own_services, scope)
        assert receipt["erased"]["database"]["notes"] == 1
        assert receipt["verification"]["remaining"]["database"]["notes"] == 0
        assert not await administrator.fetch("SELECT FROM recollect.notes")
    finally:
        await administrator.execute("DROP TABLE recollect.notes")


@dataclass(frozen=True, slots=True)
class _EmptiedByAnother:
    """A place that another process has emptied, which commits right before it is verified."""

    place: Erasable
    other: Transaction

    @property
    def name(self) -> str:
        return self.place.name

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:
        return await self.place.erase_some(erasure, limit=limit)

    async def remaining(self, erasure: Erasure) -> Counts:
        await self.other.commit()
        return await self.place.remaining(erasure)


async def test_a_receipt_tells_what_another_process_has_erased_until_the_end(
    own_services: Services, own_stores: Stores, administrator: asyncpg.Connection
) -> None:
    scope = a_scope()
    session = await start_session(own_stores, scope)
    await append(own_stores, scope, session.session_id, a_message())
    begun = await own_services.erasing.begin(scope)
    await administrator.execute("SET search_path TO recollect, public")
    other = administrator.transaction()
    await other.start()
    await administrator.fetchval(
        "SELECT erase_rows($1, $2, NULL, 1000)", scope.owner_id, begun.erasure_id
    )
    database, *others = own_services.erasing.places
    places = [_EmptiedByAnother(database, other), *others]

    receipt = await replace(own_services.erasing, places=places).complete(begun)

    assert receipt["erased"]["database"]["messages"] == 1


async def test_what_erasures_leave_is_what_they_are_known_to_leave(
    administrator: asyncpg.Connection,
) -> None:
    """Whoever adds a table that is not erased says so here, and in data-protection.md."""
    await administrator.execute("SET search_path TO recollect, public")
    rows = await administrator.fetch("SELECT name, is_verified FROM tables_of_owners()")
    assert {row["name"] for row in rows if not row["is_verified"]} == LEFT_ON_PURPOSE
    known = {row["name"] for row in rows} | {"schema_revision"}
    assert known == set(await dump(administrator)), "a table has no owner"


async def test_whoever_writes_meanwhile_is_refused_and_leaves_nothing_behind(
    own_services: Services, own_stores: Stores, administrator: asyncpg.Connection
) -> None:
    scope, marker = a_scope(), f"marker-{uuid4().hex}"
    session_id = await fill_everything(own_services, own_stores, scope, marker)
    is_over, refused = asyncio.Event(), 0

    async def write() -> None:
        nonlocal refused
        while not is_over.is_set():
            said = [a_message(content=f"I like {marker}.") for _ in range(3)]
            try:
                await own_services.messages.append(scope, session_id, said[:1])
                new, _ = await own_services.sessions.start(scope, a_session())
                await own_services.messages.append(scope, new.session_id, said[1:])
                await own_services.facts.add(scope, f"Likes {uuid4()} and {marker}.")
            except ErasureUnderWay:
                refused += 1
                await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for _ in range(6):
            group.create_task(write())
        await asyncio.sleep(0.2)
        begun = await own_services.erasing.begin(scope)
        while not refused:  # noqa: ASYNC110  # the writers run beside
            await asyncio.sleep(0.01)
        is_over.set()
    await own_services.erasing.complete(begun)
    assert marker not in str(await dump(administrator))
    assert await own_services.history.count(scope) == 0


async def test_cached_entries_are_dropped_in_every_process(
    own_services: Services, own_stores: Stores, own_database: Database
) -> None:
    """Each process has an index of its own, which a search keeps filled."""
    elsewhere = postgres_stores(own_database, SystemClock())
    other = erasing_services(elsewhere)
    scope, marker = a_scope(), f"marker{uuid4().hex}"
    await fill_everything(own_services, own_stores, scope, marker)
    index = elsewhere.recall
    assert isinstance(index, CachedRecallIndex)
    for _ in range(2):
        assert (await other.recall.search(scope, f"live in {marker}")).items
    assert index._owners._owners[scope.owner_id].entries is not None
    await erased(own_services, scope)
    assert await other.cache_eviction.do_some() >= 1
    assert scope.owner_id not in index._owners._owners
    assert await other.cache_eviction.do_some() == 0, "once"


@pytest_asyncio.fixture
async def cluster() -> AsyncIterator[OpenSearchDouble]:
    async with running_opensearch() as double:
        yield double


async def test_a_vector_store_that_is_away_keeps_an_erasure_waiting(
    own_database: Database, cluster: OpenSearchDouble, administrator: asyncpg.Connection
) -> None:
    store = f"opensearch/{uuid4()}"
    stores = postgres_stores(own_database, SystemClock(), kept_in=store)
    scope, other, marker = a_scope(), a_scope(), f"marker-{uuid4().hex}"
    async with OpenSearchClient(cluster.url) as client:
        vectors = OpenSearchVectorStore(client, collection="tests")
        services = erasing_services(stores, vectors=vectors)
        session_id = await fill_everything(services, stores, scope, marker)
        await fill_everything(services, stores, other, "Gent")
        number, others = await vectors.count(scope.owner_id), await vectors.count(other.owner_id)
        assert number > 0
        cluster.fails_with = 503
        begun = await services.erasing.begin(scope)
        with pytest.raises(VectorStoreUnavailable):
            await services.erasing.complete(begun)
        await services.erasing.do_some()
        waiting = await services.erasing.get(scope, begun.erasure_id)
        assert (waiting.state, waiting.receipt) == ("under_way", None)
        assert "OpenSearch" in str(waiting.waits_for)
        with pytest.raises(ErasureUnderWay):
            await services.messages.append(scope, session_id, [a_message()])
        cluster.fails_with = None
        worker = asyncio.create_task(work_forever(services, cleanup_every=timedelta(days=1)))
        async with asyncio.timeout(PATIENCE):
            while not waiting.is_done:
                waiting = await services.erasing.get(scope, begun.erasure_id)
                await asyncio.sleep(0.02)
        worker.cancel()
        with suppress(asyncio.CancelledError):
            await worker
        receipt = waiting.receipt or {}
        assert receipt["erased"]["vectors"] == {store: number}  # type: ignore[index, call-overload]  # JSON
        assert receipt["verification"]["remaining"]["vectors"] == {store: 0}  # type: ignore[index, call-overload]  # JSON
        assert await vectors.count(scope.owner_id) == 0
        assert await vectors.count(other.owner_id) == others
        assert str(scope.owner_id) not in str(cluster.indices)
    assert marker not in str(await dump(administrator))


async def test_one_session_goes_from_a_vector_store_too(
    own_database: Database, cluster: OpenSearchDouble
) -> None:
    store = f"opensearch/{uuid4()}"
    stores, scope = postgres_stores(own_database, SystemClock(), kept_in=store), a_scope()
    async with OpenSearchClient(cluster.url) as client:
        vectors = OpenSearchVectorStore(client, collection="tests")
        services = erasing_services(stores, vectors=vectors)
        gone = await fill_everything(services, stores, scope, "Utrecht")
        await fill_everything(services, stores, scope, "Gent")
        number = await vectors.count(scope.owner_id)
        begun = await services.erasing.begin(scope, session_id=gone)
        receipt = await services.erasing.complete(begun)
        removed = receipt["erased"]["vectors"][store]  # type: ignore[index, call-overload]  # JSON
        assert await vectors.count(scope.owner_id) == number - removed > 0


async def test_a_store_that_is_no_longer_set_keeps_it_waiting_until_it_is_said_to_be_gone(
    own_database: Database, cluster: OpenSearchDouble
) -> None:
    store, scope = f"opensearch/{uuid4()}", a_scope()
    stores = postgres_stores(own_database, SystemClock(), kept_in=store)
    async with OpenSearchClient(cluster.url) as client:
        vectors = OpenSearchVectorStore(client, collection="tests")
        services = erasing_services(stores, vectors=vectors)
        await fill_everything(services, stores, scope, "Utrecht")
    without = erasing_services(postgres_stores(own_database, SystemClock()))
    begun = await without.erasing.begin(scope)
    for _ in range(3):
        await without.erasing.do_some()
    waiting = await without.erasing.get(scope, begun.erasure_id)
    assert "recall_removals" in str(waiting.waits_for)
    assert await without.erasing.forget_store(store) > 0
    await without.erasing.complete(begun)


async def test_receipts_are_signed_with_the_key_that_is_set(own_stores: Stores) -> None:
    first, second = (erasing_services(own_stores, receipt_key=key) for key in (b"a" * 32, None))
    receipt = await erased(first, a_scope())
    assert await first.erasing.check(receipt) == receipt
    with pytest.raises(InvalidReceipt, match="another key"):
        await second.erasing.check(receipt)
    again = erasing_services(own_stores)
    stored = await erased(second, a_scope())
    assert await again.erasing.check(stored) == stored, "the stored key is the same for all"


async def test_the_clean_up_leaves_what_is_being_erased_to_the_erasure(
    own_services: Services, own_stores: Stores
) -> None:
    scope = a_scope()
    session = await start_session(own_stores, scope)
    await append(own_stores, scope, session.session_id, a_message())
    begun = await own_services.erasing.begin(scope)
    assert await own_services.retention.clean_up() == 0
    receipt = await own_services.erasing.complete(begun)
    assert receipt["erased"]["database"]["messages"] == 1  # type: ignore[index, call-overload]  # JSON
