from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from conformance.contracts.engine import EngineContract
from conformance.contracts.indexing import IndexingContract
from conformance.contracts.recall_whole import WholeRecallContract
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.client import DynamoClient
from recollect.ports import Stores
from recollect.system import SystemClock
from support.dynamodb import a_client, a_table, dynamodb_server


@pytest.fixture(scope="session")
def dynamodb_url() -> Iterator[str]:
    with dynamodb_server() as address:
        yield address


@pytest_asyncio.fixture(scope="session")
async def dynamodb_client(dynamodb_url: str) -> AsyncIterator[DynamoClient]:
    async with a_client(dynamodb_url) as client:
        yield client


@pytest_asyncio.fixture
async def stores(dynamodb_client: DynamoClient) -> AsyncIterator[Stores]:
    async with a_table(dynamodb_client) as table:
        yield dynamo_stores(table, SystemClock())


class TestDynamo(EngineContract, WholeRecallContract):
    class TestIndexing(IndexingContract):
        pass
