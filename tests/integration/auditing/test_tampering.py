"""Whoever changes the audit log behind the application's back is found out."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio

from conformance.contracts.audit_chains import ANCIENT, an_entry
from conformance.contracts.shared import alone
from recollect.domain.identity.audit import BrokenLink, ChainFault
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.engines.postgres.connection.addresses import as_application
from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.engines.postgres.migrations import migrate
from recollect.ports import Stores
from recollect.services.services import Services
from recollect.system import SystemClock
from support.examples import a_scope

TAMPERING = {
    "an action is changed": (
        "UPDATE audit SET action = 'message.eaten' WHERE owner_id = $1 AND number = 3",
        (3, ChainFault.ALTERED),
    ),
    "an id is removed": (
        "UPDATE audit SET items = '{}' WHERE owner_id = $1 AND number = 2",
        (2, ChainFault.ALTERED),
    ),
    "a time is changed": (
        "UPDATE audit SET at = at + interval '1 microsecond' WHERE owner_id = $1 AND number = 5",
        (5, ChainFault.ALTERED),
    ),
    "another tenant gets an entry": (
        "UPDATE audit SET tenant_id = 'other' WHERE owner_id = $1 AND number = 4",
        (4, ChainFault.MISSING),
    ),
    "the first is deleted": (
        "DELETE FROM audit WHERE owner_id = $1 AND number = 1",
        (1, ChainFault.MISSING),
    ),
    "one between is deleted": (
        "DELETE FROM audit WHERE owner_id = $1 AND number = 3",
        (3, ChainFault.MISSING),
    ),
    "the last is deleted": (
        "DELETE FROM audit WHERE owner_id = $1 AND number = 5",
        (5, ChainFault.MISSING),
    ),
    "all are deleted": ("DELETE FROM audit WHERE owner_id = $1", (1, ChainFault.MISSING)),
    "one is deleted and the later ones renumbered": (
        (
            "WITH gone AS (DELETE FROM audit WHERE owner_id = $1 AND number = 5) "
            "UPDATE audit_chains SET last_number = 4 WHERE owner_id = $1"
        ),
        (4, ChainFault.ALTERED),
    ),
    "one is inserted at the end": (
        (
            "INSERT INTO audit SELECT owner_id, 6, tenant_id, action, target, items, count, actor, "
            "interface, transaction_id, at, hash FROM audit WHERE owner_id = $1 AND number = 5"
        ),
        (6, ChainFault.UNCHAINED),
    ),
    "one is inserted in place of another": (
        (
            "UPDATE audit SET actor = 'somebody else', hash = sha256('x') "
            "WHERE owner_id = $1 AND number = 4"
        ),
        (4, ChainFault.ALTERED),
    ),
    "two are swapped": (
        (
            "UPDATE audit AS one SET target = other.target, hash = other.hash FROM audit AS other "
            "WHERE one.owner_id = $1 AND other.owner_id = $1 AND one.number IN (2, 3) "
            "AND other.number = 5 - one.number"
        ),
        (2, ChainFault.ALTERED),
    ),
    "the chain is deleted": (
        "DELETE FROM audit_chains WHERE owner_id = $1",
        (1, ChainFault.UNCHAINED),
    ),
    "the chain is made to begin later": (
        "UPDATE audit_chains SET begins_after = 2 WHERE owner_id = $1",
        (1, ChainFault.UNCHAINED),
    ),
}


@pytest_asyncio.fixture
async def superuser(admin_dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """Somebody whom no policy binds."""
    connection = await asyncpg.connect(admin_dsn, server_settings={"search_path": "recollect"})
    yield connection
    await connection.close()


@pytest.mark.parametrize("name", TAMPERING)
async def test_the_first_broken_entry_is_named(
    name: str, superuser: asyncpg.Connection, stores: Stores, services: Services
) -> None:
    scope = a_scope()
    tenant, beside = TenantScope(tenant=scope.tenant), a_scope(scope.tenant, user="bob")
    items = [uuid4()]
    entries = [an_entry(scope, seconds=n, target=n, items=items) for n in range(5)]
    await stores.audit.append([*entries, an_entry(beside)])
    report = await services.audit.verify(tenant)
    assert (report.chains, report.entries, report.broken) == (2, 6, None)

    statement, (number, fault) = TAMPERING[name]
    await superuser.execute(statement, scope.owner_id)

    expected = BrokenLink(scope.owner_id, number, fault)
    assert (await services.audit.verify(tenant)).broken == expected
    of_owner = await services.audit.verify(tenant, owner_id=scope.owner_id)
    assert of_owner.broken == expected
    assert (await services.audit.verify(tenant, owner_id=beside.owner_id)).broken is None


async def test_an_entry_before_the_beginning_of_a_pruned_chain_is_found(
    superuser: asyncpg.Connection, stores: Stores, services: Services
) -> None:
    scope = a_scope()
    tenant = TenantScope(tenant=scope.tenant)
    old = ANCIENT - timedelta(days=400)
    await stores.audit.append([an_entry(scope, at=old), an_entry(scope)])
    async with alone(stores, "audit"):
        await stores.audit_chains.prune(older_than=old + timedelta(days=1), limit=10)
    report = await services.audit.verify(tenant)
    assert (report.entries, report.broken) == (1, None)
    await superuser.execute(
        "INSERT INTO audit SELECT owner_id, 1, tenant_id, action, target, items, count, actor, "
        "interface, transaction_id, at, hash FROM audit WHERE owner_id = $1",
        scope.owner_id,
    )
    report = await services.audit.verify(tenant)
    assert report.broken == BrokenLink(scope.owner_id, 1, ChainFault.UNCHAINED)


async def test_a_chain_that_grows_while_it_is_checked_holds(
    stores: Stores, services: Services
) -> None:
    scope = a_scope()
    await stores.audit.append([an_entry(scope) for _ in range(3)])
    tenant = TenantScope(tenant=scope.tenant)
    chain = await stores.audit_chains.chain(tenant, scope.owner_id)
    assert chain is not None
    await stores.audit.append([an_entry(scope)])
    assert await services.audit._walk(tenant, chain) == (3, None)


async def test_the_application_cannot_prune_what_is_young(admin_dsn: str) -> None:
    connection = await asyncpg.connect(as_application(admin_dsn, logs_in=True))
    try:
        for days in (-1, 0, 5):
            limit = datetime.now(UTC) - timedelta(days=days)
            with pytest.raises(asyncpg.DataError, match="last six days"):
                await connection.execute("SELECT prune_audit($1, 10, 10)", limit)
    finally:
        await connection.close()


async def test_the_log_is_written_and_pruned_where_the_schema_belongs_to_no_superuser(
    admin_dsn: str,
) -> None:
    """Forced policies bind the owner of the functions there, too."""
    name = f"test_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    await admin.execute(f"CREATE ROLE {name} LOGIN NOSUPERUSER")
    await admin.execute(f"ALTER DATABASE {name} OWNER TO {name}")
    await admin.execute(f"GRANT recollect_app TO {name}")
    dsn = admin_dsn.replace("@/postgres?", f"@/{name}?")
    inside = await asyncpg.connect(dsn)
    await inside.execute("CREATE EXTENSION vector")
    await inside.close()
    try:
        owner = dsn.replace("postgres@/", f"{name}@/")
        await migrate(owner)
        async with open_external(owner, max_connections=2) as database:
            stores = postgres_stores(database, SystemClock())
            scopes = [Scope(tenant="t", user=user) for user in ("alice", "bob")]
            for scope in scopes:
                await stores.audit.append([an_entry(one, at=ANCIENT) for one in scopes])
                await stores.states.put(scope, "busy", now=datetime.now(UTC))
            tenant = TenantScope(tenant="t")
            assert await stores.audit_chains.count_older(than=datetime.now(UTC)) == 6
            week_ago = datetime.now(UTC) - timedelta(days=7)
            assert await stores.audit_chains.prune(older_than=week_ago, limit=9) == 3
            chains = await stores.audit_chains.chains(tenant, after=None, limit=9)
            assert {chain.last_number for chain in chains} == {3}
    finally:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.execute(f"DROP ROLE {name}")
        await admin.close()
