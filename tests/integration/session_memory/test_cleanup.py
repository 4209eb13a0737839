"""What has come to its end, on PostgreSQL."""

import asyncio
import json
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from integration.session_memory.talk import policies_of, services_on, spoken, started
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.errors import SessionNotFound
from recollect.ports import Stores
from recollect.system import SystemClock
from recollect.testing import FixedClock
from support.examples import a_scope
from support.servers.programs import run_recollect


async def run_command(dsn: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `recollect` on a database."""
    env = {"MEMORY_DB_CONNECTION_STRING": dsn, "COLUMNS": "160"}
    return await asyncio.to_thread(run_recollect, *words, env=env)


async def test_a_session_is_gone_at_its_end_without_any_clean_up(
    database: Database, scope: Scope
) -> None:
    clock = FixedClock(datetime.now(UTC))
    stores = postgres_stores(database, clock)
    services = services_on(stores, policies_of("default", retention="fixed:1"), clock=clock)
    session_id = await started(services, scope)
    await services.messages.append(scope, session_id, spoken(4))
    question = "What is the capital of France?"
    assert len((await services.contexts.build(scope, session_id, question)).window) == 4

    clock.move(timedelta(days=1))

    with pytest.raises(SessionNotFound):
        await services.sessions.get(scope, session_id)
    with pytest.raises(SessionNotFound):
        await services.contexts.build(scope, session_id, question)
    with pytest.raises(SessionNotFound):
        await services.messages.append(scope, session_id, spoken(2))
    assert await services.history.count(scope) == 0


async def test_cleanup_counts_deletes_and_audits_expired_sessions(
    own_stores: Stores, own_dsn: str
) -> None:
    brief = policies_of("default", retention="none", retention_by_tenant={"brief": "fixed:1e-6"})
    services = services_on(own_stores, brief)
    gone, kept = a_scope("brief"), a_scope("kept")
    ended = [await started(services, gone) for _ in range(3)]
    stays = await started(services, kept)
    await services.messages.append(kept, stays, spoken(2))
    forgotten, long_ago = a_scope("kept", user="bob"), datetime.now(UTC) - timedelta(days=366)
    await own_stores.states.put(forgotten, "busy", now=long_ago)
    await asyncio.sleep(0.2)

    dry = await run_command(own_dsn, "cleanup", "--dry-run", "--json")
    again = await run_command(own_dsn, "cleanup", "--dry-run", "--json")
    wet = await run_command(own_dsn, "cleanup", "--json")
    empty = await run_command(own_dsn, "cleanup")

    counted = {"expired": 3, "faded_facts": 0, "old_audit_entries": 1}
    assert json.loads(dry.stdout) == json.loads(again.stdout) == counted
    assert json.loads(wet.stdout) == {
        "deleted": 3,
        "pruned_facts": 0,
        "deleted_audit_entries": 1,
    }
    assert await services.audit.entries(forgotten, limit=10) == ()
    assert "0 expired sessions" in empty.stdout
    entries = await services.audit.entries(gone, limit=10)
    assert {entry.target for entry in entries} == {str(session_id) for session_id in ended}
    assert {(entry.action, entry.actor) for entry in entries} == {("session.expired", "retention")}
    assert await services.audit.entries(kept, limit=10) == ()
    assert (await services.sessions.get(kept, stays)).message_count == 2


async def test_two_clean_ups_at_once_delete_everything_once(
    own_stores: Stores, own_dsn: str
) -> None:
    services = services_on(own_stores, policies_of("default", retention="fixed:1e-6"))
    scope = a_scope()
    for _ in range(60):
        await started(services, scope)
    await asyncio.sleep(0.2)
    async with open_external(own_dsn, max_connections=2) as second:
        other = services_on(
            postgres_stores(second, SystemClock()), policies_of("default", retention="fixed:1e-6")
        )
        deleted = await asyncio.gather(
            *(replica.retention.clean_up() for replica in (services, other) * 3)
        )

    assert sum(deleted) == 60
    assert len(await services.audit.entries(scope, limit=100)) == 60
    assert await services.retention.count() == 0


async def test_a_cleanup_does_nothing_while_another_replica_is_cleaning_up(
    own_stores: Stores, own_dsn: str
) -> None:
    services = services_on(own_stores, policies_of("default", retention="fixed:1e-6"))
    await started(services, a_scope())
    await asyncio.sleep(0.2)
    now = datetime.now(UTC) + timedelta(seconds=1)
    async with open_external(own_dsn, max_connections=2) as other:
        async with other.working(now=now) as busy:
            await busy.execute("SELECT pg_advisory_xact_lock($1)", 0x7265636F6C6C6578)
            assert await services.retention.clean_up() == 0
        assert await services.retention.clean_up() == 1
