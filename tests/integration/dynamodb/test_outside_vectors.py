"""Vectors of a memory on DynamoDB that are in a store outside go with their entries."""

from collections.abc import Mapping
from uuid import UUID

import pytest

from conformance.contracts.recall_shared import EAST, MODEL, Log, search
from recollect.domain.vectors import Vector
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.opensearch import OpenSearchClient, OpenSearchVectorStore
from recollect.ports.recall import EntryKey
from recollect.services.recall.outside_index import Removals, stored_name
from recollect.system import SystemClock
from support.doubles.opensearch import running_opensearch
from support.examples import seconds_on
from support.recall.outside_index import with_outside_index


class Killed(BaseException):
    """The process dies."""


class DyingStore(OpenSearchVectorStore):
    """Stores what it is given, and then the process dies, the first time."""

    has_died = False

    async def put(self, owner_id: UUID, vectors: Mapping[EntryKey, Vector], *, model: str) -> None:
        await super().put(owner_id, vectors, model=model)
        if not self.has_died:
            self.has_died = True
            raise Killed


async def test_a_vector_is_neither_lost_by_a_kill_nor_left_behind_by_a_deletion(
    table: Table,
) -> None:
    clock = SystemClock()
    async with running_opensearch() as cluster, OpenSearchClient(cluster.url) as client:
        vectors = DyingStore(client, collection="tests")
        engine = dynamo_stores(table, clock, kept_in="opensearch/tests")
        stores, index = with_outside_index(engine, vectors, clock)
        removals = Removals(entries=index.entries, vectors=vectors)
        log = await Log.start(stores)
        with pytest.raises(Killed):
            await log.say("said")
        ((_, entry),) = await index.outdated(model=MODEL, limit=9)
        await index.embed(log.scope, [(entry, EAST)], model=MODEL)
        (found,) = await search(stores, log.scope, "other words", EAST)
        assert found.meanings == (pytest.approx(1, abs=1e-3),)
        await log.index([await log.say("said again")])
        assert await removals.do_all() == 1, "what was indexed again has another vector"
        stored = stored_name(MODEL, len(EAST))
        assert len(await vectors.keys(log.scope.owner_id, model=stored)) == 2
        await stores.sessions.delete(log.scope, log.session_id, now=seconds_on(1))
        assert await removals.waiting() == 2
        assert await removals.do_all() == 2
        assert await vectors.keys(log.scope.owner_id, model=stored) == frozenset()
