from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.table import Table
from recollect.ports import Stores
from recollect.testing import FixedClock
from support.doubles.dynamodb import a_double
from support.dynamodb import a_client, a_table, dynamodb_server


@pytest.fixture(scope="module")
def dynamodb_url() -> Iterator[str]:
    with dynamodb_server() as address:
        yield address


@pytest_asyncio.fixture
async def served_table(dynamodb_url: str) -> AsyncIterator[Table]:
    async with a_client(dynamodb_url) as client, a_table(client) as table:
        yield table


@pytest.fixture
def table() -> Table:
    return a_double(longest_wait=0.001)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def stores(table: Table, clock: FixedClock) -> Stores:
    return dynamo_stores(table, clock)
