"""PostgreSQL with its vectors in another store keeps what every recall index promises."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio

from conformance.contracts.recall_whole import WholeRecallContract
from recollect.engines.chroma import open_chroma
from recollect.engines.opensearch import OpenSearchClient, OpenSearchVectorStore
from recollect.engines.postgres.connection.database import Database
from recollect.ports import Stores
from support.doubles.opensearch import running_opensearch
from support.recall.outside_index import outside_index


@pytest.fixture(scope="module")
def chroma_stores(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Stores:
    vectors = open_chroma(str(tmp_path_factory.mktemp("chroma")), collection="tests")
    return outside_index(database, vectors, kept_in=f"chroma/{uuid4()}")[0]


@pytest_asyncio.fixture(scope="module")
async def opensearch_stores(database: Database) -> AsyncIterator[Stores]:
    async with running_opensearch() as cluster:
        client = OpenSearchClient(cluster.url)
        vectors = OpenSearchVectorStore(client, collection="tests")
        yield outside_index(database, vectors, kept_in=f"opensearch/{uuid4()}")[0]
        await client.aclose()


class TestPostgresWithChroma(WholeRecallContract):
    @pytest.fixture
    def stores(self, chroma_stores: Stores) -> Stores:
        return chroma_stores


class TestPostgresWithOpenSearch(WholeRecallContract):
    @pytest.fixture
    def stores(self, opensearch_stores: Stores) -> Stores:
        return opensearch_stores
