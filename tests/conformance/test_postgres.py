from dataclasses import replace

import pytest

from conformance.contracts.engine import EngineContract
from conformance.contracts.indexing import IndexingContract
from conformance.contracts.recall_whole import WholeRecallContract
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.recall.entry_cache import CachedRecallIndex
from recollect.engines.postgres.recall.index import PostgresRecallIndex
from recollect.ports import Stores
from recollect.system import SystemClock


class TestPostgres(EngineContract, WholeRecallContract):
    """On the real role, with the fixture `stores` that all tests share."""

    class TestIndexing(IndexingContract):
        pass


class TestPostgresWithManyEntries(WholeRecallContract):
    """As if every owner had so many entries that vectors are searched in two stages."""

    @pytest.fixture
    def stores(self, stores: Stores, database: Database) -> Stores:
        index = PostgresRecallIndex(database, SystemClock(), exact_up_to=0)
        return replace(stores, recall=index)


class TestPostgresWithCachedEntries(WholeRecallContract):
    """As if every owner had searched before, so that entries are cached."""

    @pytest.fixture
    def stores(self, stores: Stores, database: Database) -> Stores:
        cached = CachedRecallIndex(database, SystemClock(), from_first_search=True)
        return replace(stores, recall=cached)


class TestPostgresWithCachedVectors(WholeRecallContract):
    """As if every owner had many entries and had searched before."""

    @pytest.fixture
    def stores(self, stores: Stores, database: Database) -> Stores:
        clock = SystemClock()
        cached = CachedRecallIndex(database, clock, exact_up_to=0, from_first_search=True)
        return replace(stores, recall=cached)
