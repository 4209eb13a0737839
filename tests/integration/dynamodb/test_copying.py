"""A memory that goes from PostgreSQL to DynamoDB and on is the same in every place."""

import asyncio
import json
from itertools import pairwise
from pathlib import Path

from typer.testing import CliRunner

from conformance.contracts.transfer_shared import fill
from recollect.composition.copying import build_copy
from recollect.domain.identity.audit import AuditPolicy
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.in_memory import in_memory_stores
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import postgres_stores
from recollect.interfaces.cli.main import app
from recollect.models.tokens import token_counter_for
from recollect.services.services import ServiceDependencies
from recollect.system import RandomIds, SystemClock
from support.examples import a_scope, a_tenant_scope, an_api_key
from support.transfers import essence, exported, transfer_services


async def test_a_memory_is_the_same_in_every_engine(table: Table, database: Database) -> None:
    clock, scope = SystemClock(), a_scope()
    needs = ServiceDependencies(clock=clock, ids=RandomIds(), counter_for=token_counter_for)
    places = postgres_stores(database, clock), dynamo_stores(table, clock), in_memory_stores()
    await fill(places[0], scope)
    archived = a_scope(scope.tenant, user="carol")
    for owner in (scope, archived):
        is_noted = await places[0].archive_notes.add(
            owner, "folder:/archive", now=clock.now(), claims_owner=True
        )
        assert is_noted
    tenant = a_tenant_scope(scope.tenant)
    await places[0].api_keys.add(tenant, an_api_key(tenant))
    for source, target in pairwise(places):
        copying = build_copy(source, target, needs, AuditPolicy())
        report = await copying.of_all(tenant=scope.tenant, progress=lambda _: None)
        assert (report.users, report.differing) == (1, 0), report.differences
    first, last = (transfer_services(one) for one in (places[0], places[-1]))
    for owner in (scope, archived):
        assert await places[-1].archive_notes.of_owner(owner.owner_id) == ("folder:/archive",)
    assert essence(await exported(last, scope)) == essence(await exported(first, scope))


async def test_the_command_copies_what_a_folder_has(
    dynamodb_url: str, served_table: Table, shared_home: Path, database: Database
) -> None:
    tenant = a_tenant_scope()
    await postgres_stores(database, SystemClock()).api_keys.add(tenant, an_api_key(tenant))
    to = f"dynamodb://{served_table.name}?endpoint={dynamodb_url}&region=us-east-1"
    words = ["copy", "--from", f"embedded:{shared_home}", "--to", to, "--json", "--tenant"]
    done = await asyncio.to_thread(CliRunner().invoke, app, [*words, tenant.tenant])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["api_keys"]["added"] == 1
    again = await asyncio.to_thread(CliRunner().invoke, app, [*words, tenant.tenant])
    assert json.loads(again.stdout)["api_keys"] == {"added": 0, "known": 1, "conflicting": 0}
    nobody = await asyncio.to_thread(CliRunner().invoke, app, [*words, "nobody"])
    assert nobody.exit_code == 1
    assert "--from has nothing of that tenant" in nobody.stderr
