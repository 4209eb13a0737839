"""Tables of a server with DynamoDB's interface."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from uuid import uuid4

from recollect.engines.dynamodb.table.client import DynamoClient
from recollect.engines.dynamodb.table.provisioning import create_table, delete_table
from recollect.engines.dynamodb.table.table import Table
from support.servers.moto_server import CREDENTIALS, moto_server


@contextmanager
def dynamodb_server() -> Iterator[str]:
    """The address of `RECOLLECT_DYNAMODB_URL`, or of a server that is started for the tests."""
    os.environ.update(CREDENTIALS)
    given = os.environ.get("RECOLLECT_DYNAMODB_URL")
    if given:
        yield given
        return
    with moto_server() as address:
        yield address


@asynccontextmanager
async def a_client(address: str) -> AsyncIterator[DynamoClient]:
    """Connections to the server."""
    async with DynamoClient(region="us-east-1", endpoint=address) as client:
        yield client


@asynccontextmanager
async def a_table(client: DynamoClient) -> AsyncIterator[Table]:
    """A table that nobody else has, deleted afterwards: the server copies it at every write."""
    name = f"memory-{uuid4()}"
    await create_table(client, name, poll_seconds=0.05)
    yield Table(client, name)
    await delete_table(client, name)
