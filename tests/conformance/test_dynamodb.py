"""The contracts on DynamoDB: a selection, or with RECOLLECT_DYNAMODB=all every one of them."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from conformance.contracts.engine import EngineContract
from conformance.contracts.expiry import ExpiredSessionsContract
from conformance.contracts.indexing import IndexingContract
from conformance.contracts.message_retrying import MessageRetryingContract
from conformance.contracts.recall_whole import WholeRecallContract
from conformance.contracts.states import StateStoreContract
from conformance.contracts.whole_turns import TurnStoreContract
from conformance.contracts.windows import WindowContract
from recollect.engines.chroma import open_chroma
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.client import DynamoClient
from recollect.ports import Stores
from recollect.system import SystemClock
from support.dynamodb import a_client, a_table, dynamodb_server
from support.recall.outside_index import with_outside_index


@pytest.fixture(scope="module")
def dynamodb_url() -> Iterator[str]:
    with dynamodb_server() as address:
        yield address


@pytest_asyncio.fixture(scope="module")
async def dynamodb_client(dynamodb_url: str) -> AsyncIterator[DynamoClient]:
    async with a_client(dynamodb_url) as client:
        yield client


@pytest_asyncio.fixture
async def stores(dynamodb_client: DynamoClient) -> AsyncIterator[Stores]:
    async with a_table(dynamodb_client) as table:
        yield dynamo_stores(table, SystemClock())


if os.environ.get("RECOLLECT_DYNAMODB") == "all":

    class TestDynamo(EngineContract, WholeRecallContract):
        class TestIndexing(IndexingContract):
            pass

    class TestDynamoWithChroma(WholeRecallContract):
        @pytest_asyncio.fixture
        async def stores(
            self, dynamodb_client: DynamoClient, tmp_path: Path
        ) -> AsyncIterator[Stores]:
            vectors, clock = open_chroma(str(tmp_path), collection="tests"), SystemClock()
            async with a_table(dynamodb_client) as table:
                engine = dynamo_stores(table, clock, kept_in="chroma/tests")
                yield with_outside_index(engine, vectors, clock)[0]

else:

    class TestDynamo:
        """What depends most on the engine: numbers, windows, turns, expiry, one transaction."""

        class TestMessageRetrying(MessageRetryingContract):
            pass

        class TestWindows(WindowContract):
            # Its 1,005 messages take a minute on a server that copies the table at every write.
            test_a_covering_window_has_at_most_the_maximum_number_of_messages = None  # type: ignore[assignment]

        class TestWholeTurns(TurnStoreContract):
            pass

        class TestExpiredSessions(ExpiredSessionsContract):
            pass

        class TestStates(StateStoreContract):
            pass
