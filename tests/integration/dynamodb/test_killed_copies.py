"""A copy into DynamoDB that is killed while it writes goes on, and nothing differs at the end.

With `RECOLLECT_KILLS=30` it is killed at as many series of writes, and processes of the command are
killed as often, too.
"""

import asyncio
import json
import os
import random
import signal
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI, Request, Response

from conformance.contracts.facts_shared import a_fact, an_edit
from conformance.contracts.transfer_shared import fill
from recollect.composition.copying import build_copy
from recollect.domain.facts.fact import FactRecord
from recollect.domain.identity.audit import AuditPolicy
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.data_keys import memory_table
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.in_memory import in_memory_stores
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import postgres_stores
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.privacy.copying import CopyReport
from recollect.services.services import ServiceDependencies
from recollect.system import RandomIds, SystemClock
from support.doubles.dynamodb import DynamoDouble, a_double
from support.dynamodb import a_client, a_table
from support.encryption import owner_keys
from support.examples import a_message, a_scope, a_tenant_scope, an_api_key, append, start_session
from support.servers.http_servers import serving
from support.servers.programs import start_program
from support.timeouts import PATIENCE
from support.transfers import essence, exported, transfer_services

KILLS = int(os.environ.get("RECOLLECT_KILLS", "0"))
WRITES = {"BatchWriteItem", "DeleteItem", "PutItem", "TransactWriteItems", "UpdateItem"}


async def fill_with_much(stores: Stores, tenant: str) -> list[Scope]:
    """Users with more messages and facts than one transaction takes, and a message of two items."""
    ann, bob = (Scope(tenant=tenant, user=name) for name in ("ann", "bob"))
    await fill(stores, ann)
    session = await start_session(stores, bob)
    talk = [a_message(("user", "assistant")[n % 2], f"said {n}") for n in range(60)]
    await append(stores, bob, session.session_id, *talk, a_message("user", "x" * 390_000))
    edits = [an_edit(a_fact(f"The user owns boat number {n}.")) for n in range(60)]
    records = [FactRecord(fact=edit.fact, history=(edit.change,)) for edit in edits]
    await stores.imports.add_facts(bob, records)
    keys = a_tenant_scope(tenant)
    await stores.api_keys.add(keys, an_api_key(keys))
    return [ann, bob]


class Killed(BaseException):
    """The process that copies ends at once."""


class KilledClient:
    """Requests of a process that is killed at one of its writes, before or after it is done."""

    region = "nowhere"

    def __init__(self, double: DynamoDouble, chance: random.Random) -> None:
        self._double = double
        self._left = chance.randrange(2, 12)
        self._is_done_before = chance.random() < 0.5

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self._left -= operation in WRITES
        if self._left > 0:
            return await self._double.call(operation, request)
        if self._left == 0 and self._is_done_before:
            await self._double.call(operation, request)
        raise Killed


@pytest.mark.parametrize("seed", range(1, 2 + KILLS))
async def test_a_copy_that_is_killed_at_its_writes_ends_with_nothing_differing(seed: int) -> None:
    chance, source, tenant = random.Random(seed), in_memory_stores(), f"tenant-{UUID(int=seed)}"  # noqa: S311  # no secret
    scopes = await fill_with_much(source, tenant)
    table, kills = a_double(keys=owner_keys()), 0
    double: Any = table.client
    while True:
        client: Any = KilledClient(double, chance)
        try:
            await copied(source, memory_table(client, table.name, owner_keys()), tenant)
        except Killed:
            kills += 1
        else:
            break
    assert kills
    report = await copied(source, table, tenant)
    assert (report.users, report.differing, report.memory.messages.added) == (2, 0, 0)
    assert report.api_keys.known == 1
    before, after = transfer_services(source), transfer_services(stores_of(table))
    for scope in scopes:
        assert essence(await exported(after, scope)) == essence(await exported(before, scope))


def stores_of(table: Table) -> Stores:
    return dynamo_stores(table, SystemClock())


async def copied(source: Stores, table: Table, tenant: str) -> CopyReport:
    needs = ServiceDependencies(clock=SystemClock(), ids=RandomIds(), counter_for=token_counter_for)
    copying = build_copy(source, stores_of(table), needs, AuditPolicy())
    return await copying.of_all(tenant=tenant, progress=lambda _: None)


class KillingProxy:
    """Hands requests on to a server, and kills who sends them at a write of theirs."""

    def __init__(self, url: str) -> None:
        self._client = httpx.AsyncClient(base_url=url, timeout=PATIENCE)
        self.left = 0
        """Writes until the kill."""
        self.pid = 0
        self.app = FastAPI()
        self.app.add_api_route("/", self._answer, methods=["POST"])

    async def _answer(self, request: Request) -> Response:
        body = await request.body()
        is_write = request.headers["x-amz-target"].rpartition(".")[2] in WRITES
        is_last = is_write and self.left == 1
        self.left -= is_write and self.left > 0
        is_done_before = random.random() < 0.5  # noqa: S311  # no secret
        if is_last and not is_done_before:
            os.kill(self.pid, signal.SIGKILL)
            return Response(status_code=500)
        names = ("authorization", "content-type", "x-amz-date", "x-amz-target")
        headers = {name: request.headers[name] for name in names}
        answer = await self._client.post("/", content=body, headers=headers)
        if is_last:
            os.kill(self.pid, signal.SIGKILL)
        return Response(answer.content, answer.status_code)


@pytest.mark.skipif(KILLS == 0, reason="takes minutes; set RECOLLECT_KILLS")
async def test_processes_of_the_command_are_killed_while_they_write(
    dynamodb_url: str, shared_home: Path, database: Database
) -> None:
    tenant = a_scope().tenant
    await fill_with_much(postgres_stores(database, SystemClock()), tenant)
    proxy, kills = KillingProxy(dynamodb_url), 0
    async with a_client(dynamodb_url) as client, serving(proxy.app) as address:
        words = ["copy", "--from", f"embedded:{shared_home}", "--tenant", tenant, "--json"]
        while kills < KILLS:
            async with a_table(client) as table:
                to = f"dynamodb://{table.name}?endpoint={address}&region=us-east-1"
                while (said := await said_unless_killed(proxy, *words, "--to", to)) is None:
                    kills += 1
                report = json.loads(said)
                assert (report["users"], report["differing"]) == (2, 0)


async def said_unless_killed(proxy: KillingProxy, *words: str) -> str | None:
    """Run the command, and return what it says; None if it is killed at one of its writes."""
    proxy.left = random.randrange(1, 12)  # noqa: S311  # no secret
    code, said = await run_until_killed(proxy, *words)
    assert code in {0, -signal.SIGKILL}, said
    return said if code == 0 else None


async def run_until_killed(proxy: KillingProxy, *words: str) -> tuple[int, str]:
    """Run the command to its end, or to where it is killed; its exit code, and what it says."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        program = start_program("recollect", *words, env=dict(os.environ), streams=(None, out, err))
        proxy.pid = program.pid
        code = await asyncio.to_thread(program.wait, PATIENCE)
        for stream in (out, err):
            stream.seek(0)
        return code, (out.read() or err.read()).decode()
