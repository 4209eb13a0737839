"""Requests are signed, and sent again while DynamoDB is busy; over real HTTP."""

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
import pytest_asyncio
from fastapi import FastAPI, Request, Response

from recollect.engines.dynamodb.table import client as client_module
from recollect.engines.dynamodb.table.client import (
    ConditionFailed,
    DynamoClient,
    RequestRefused,
    TableMissing,
)
from recollect.engines.dynamodb.table.keys import key_of
from recollect.engines.dynamodb.table.table import Table
from recollect.errors import ConfigurationError, DatabaseUnavailable
from support.examples import a_scope
from support.servers.http_servers import serving
from support.servers.moto_server import CREDENTIALS

PREFIX = "com.amazonaws.dynamodb.v20120810#"


class Script:
    """Answers requests with what it is given, one after the other, and notes them."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, dict[str, Any]]] = []
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.authorizations: list[str] = []

    def refuse(self, code: str, status: int = 400, **more: object) -> None:
        self.answers.append((status, {"__type": PREFIX + code, **more}))

    async def answer(self, request: Request) -> Response:
        self.requests.append((request.headers["x-amz-target"], await request.json()))
        self.authorizations.append(request.headers["authorization"])
        status, body = self.answers.pop(0) if self.answers else (200, {})
        return Response(orjson.dumps(body), status, media_type="application/x-amz-json-1.0")


@pytest.fixture
def script() -> Script:
    return Script()


@pytest_asyncio.fixture
async def table(script: Script, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Table]:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    app = FastAPI()
    app.add_api_route("/", script.answer, methods=["POST"])
    async with serving(app) as address, DynamoClient(region=None, endpoint=address) as client:
        yield Table(client, "memory")


async def test_a_transaction_is_sent_again_with_its_token_while_it_is_in_conflict(
    table: Table, script: Script
) -> None:
    script.refuse("ThrottlingException")
    script.refuse("InternalServerError", 500)
    reasons = [{"Code": "None"}, {"Code": "TransactionConflict"}]
    script.refuse("TransactionCanceledException", CancellationReasons=reasons)
    transaction = table.transaction()
    for sort in ("b", "c"):
        transaction.put({"userId": "a", "sessionKey": sort})
    await table.write(transaction)
    assert [target for target, _ in script.requests] == ["DynamoDB_20120810.TransactWriteItems"] * 4
    assert len({body["ClientRequestToken"] for _, body in script.requests}) == 1
    assert all("/us-east-1/dynamodb/aws4_request" in one for one in script.authorizations)


async def test_what_can_never_succeed_is_not_sent_again(table: Table, script: Script) -> None:
    reasons = [{"Code": "ConditionalCheckFailed"}, {"Code": "TransactionConflict"}]
    script.refuse("TransactionCanceledException", CancellationReasons=reasons)
    script.refuse("ValidationException", message="a text of a user")
    script.refuse("ResourceNotFoundException")
    with pytest.raises(ConditionFailed) as failed:
        await table.client.call("TransactWriteItems", {})
    assert failed.value.failed == (0,)
    with pytest.raises(RequestRefused) as refused:
        await table.client.call("PutItem", {})
    assert "user" not in str(refused.value)
    with pytest.raises(TableMissing):
        await table.client.call("GetItem", {})
    assert len(script.requests) == 3


async def test_what_a_batch_leaves_is_sent_again(table: Table, script: Script) -> None:
    owner = a_scope().owner_id
    left = {
        "memory": [{"DeleteRequest": {"Key": {"userId": {"S": "a"}, "sessionKey": {"S": "1"}}}}]
    }
    script.answers += [(200, {"UnprocessedItems": left}), (200, {})]
    await table.delete_all([key_of(owner, "1"), key_of(owner, "2")])
    assert [len(body["RequestItems"]["memory"]) for _, body in script.requests] == [2, 1]
    script.requests.clear()
    found = {"userId": {"S": "a"}, "sessionKey": {"S": "1"}}
    waiting = {"memory": {"Keys": [found], "ConsistentRead": True}}
    script.answers += [
        (200, {"Responses": {"memory": []}, "UnprocessedKeys": waiting}),
        (200, {"Responses": {"memory": [found]}}),
    ]
    assert await table.get_many([key_of(owner, "1")]) == {
        ("a", "1"): {"userId": "a", "sessionKey": "1"}
    }
    assert len(script.requests) == 2


async def test_a_database_that_stays_busy_is_unavailable(
    table: Table, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_PATIENCE_SECONDS", 0.05)
    for _ in range(20):
        script.refuse("ProvisionedThroughputExceededException")
    with pytest.raises(DatabaseUnavailable, match="busy"):
        await table.client.call("GetItem", {})


def test_without_a_region_or_credentials_it_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in CREDENTIALS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(ConfigurationError, match="MEMORY_DYNAMODB_REGION"):
        DynamoClient(region=None, endpoint=None)
    with pytest.raises(ConfigurationError, match="AWS_ACCESS_KEY_ID"):
        DynamoClient(region="eu-west-1", endpoint=None)
