"""The contracts on DynamoDB: all of them on a double, some on a server, or all there, too.

`RECOLLECT_DYNAMODB=all` runs every contract on the server, which takes minutes.
"""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from conformance.contracts.engine import EngineContract
from conformance.contracts.indexing import IndexingContract
from conformance.contracts.message_retrying import MessageRetryingContract
from conformance.contracts.recall_whole import WholeRecallContract
from conformance.contracts.states import StateStoreContract
from recollect.engines.chroma import open_chroma
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.client import DynamoClient
from recollect.ports import Stores
from recollect.system import SystemClock
from support.doubles.dynamodb import a_double
from support.dynamodb import a_client, a_table, dynamodb_server
from support.recall.outside_index import with_outside_index


@pytest.fixture
def stores() -> Stores:
    return dynamo_stores(a_double(), SystemClock())


class TestDynamo(EngineContract, WholeRecallContract):
    class TestIndexing(IndexingContract):
        pass


@pytest.fixture(scope="module")
def dynamodb_url() -> Iterator[str]:
    with dynamodb_server() as address:
        yield address


@pytest_asyncio.fixture(scope="module")
async def dynamodb_client(dynamodb_url: str) -> AsyncIterator[DynamoClient]:
    async with a_client(dynamodb_url) as client:
        yield client


class OnServer:
    """A table of a server for each test."""

    @pytest_asyncio.fixture
    async def stores(self, dynamodb_client: DynamoClient) -> AsyncIterator[Stores]:
        async with a_table(dynamodb_client) as table:
            yield dynamo_stores(table, SystemClock())


if os.environ.get("RECOLLECT_DYNAMODB") == "all":

    class TestDynamoOnServer(OnServer, EngineContract, WholeRecallContract):
        class TestIndexing(IndexingContract):
            pass

    class TestDynamoWithChroma(WholeRecallContract):
        @pytest.fixture
        def stores(self, tmp_path: Path) -> Stores:
            vectors, clock = open_chroma(str(tmp_path), collection="tests"), SystemClock()
            engine = dynamo_stores(a_double(), clock, kept_in="chroma/tests")
            return with_outside_index(engine, vectors, clock)[0]

else:

    class TestDynamoOnServer(OnServer):
        """Whatever is sent over HTTP: reads, conditions, transactions, indexes."""

        class TestMessageRetrying(MessageRetryingContract):
            pass

        class TestStates(StateStoreContract):
            pass
