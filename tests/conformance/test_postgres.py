from dataclasses import replace

import pytest

from conformance.contracts.engine import EngineContract
from conformance.contracts.indexing import IndexingContract
from conformance.contracts.recall_whole import WholeRecallContract
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.recall.index import PostgresRecallIndex
from recollect.ports.stores import Stores
from recollect.system import SystemClock


class TestPostgres(EngineContract, WholeRecallContract):
    """On the real role, with the fixture `stores` that all tests share."""

    class TestIndexing(IndexingContract):
        pass


class TestPostgresWithManyEntries(WholeRecallContract):
    """As if every owner had so many entries that not all of them are scored."""

    @pytest.fixture
    def stores(self, stores: Stores, database: Database) -> Stores:
        index = PostgresRecallIndex(database, SystemClock(), scored_at_once=0, signs_bytes=0)
        return replace(stores, recall=index)


class TestPostgresWithEntriesAtHand(WholeRecallContract):
    """As if every owner had searched before, so that entries are kept in the process."""

    @pytest.fixture
    def stores(self, stores: Stores, database: Database) -> Stores:
        index = PostgresRecallIndex(database, SystemClock(), keeps_at_once=True)
        return replace(stores, recall=index)


class TestPostgresWithSignsAtHand(WholeRecallContract):
    """As if every owner had many entries and had searched before."""

    @pytest.fixture
    def stores(self, stores: Stores, database: Database) -> Stores:
        index = PostgresRecallIndex(database, SystemClock(), scored_at_once=0, keeps_at_once=True)
        return replace(stores, recall=index)
