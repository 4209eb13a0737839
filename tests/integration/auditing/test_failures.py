"""An audit log that cannot be written, and processes that are killed before it is."""

import asyncio
import signal
import sys
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from recollect.domain.identity.audit import AuditFailure, AuditPolicy
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.policy import Policies
from recollect.services.services import Services
from support.http.callers import Caller
from support.servers.database_proxy import proxied_stores
from support.servers.openai_proxy import proxy_server
from support.timeouts import PATIENCE

PROGRAM = """
import asyncio, sys
from recollect import Memory

async def main(home, tenant):
    async with Memory.open(home=home) as memory:
        session = await memory.session(user="alice", tenant=tenant)
        await session.add("user", "one")
        await memory.services.audit_trail.settle()
        for text in ("two", "three"):
            await session.add("user", text)
        print("done", flush=True)
        await asyncio.sleep(600)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("failure", AuditFailure)
async def test_with_the_database_away_chats_go_on_or_are_refused(
    failure: AuditFailure, admin_dsn: str, tmp_path: Path, client: httpx.AsyncClient
) -> None:
    audit = AuditPolicy(is_on=True, failure=failure, patience=timedelta())
    async with (
        proxied_stores(admin_dsn, tmp_path) as (proxy, stores),
        proxy_server(
            stores,
            endpoint_url=None,
            policies=Policies(audit=audit),
            user_id_source=None,
            tenant=f"tenant-{uuid4()}",
        ) as (services, url),
    ):
        caller, trail = Caller(client=client, url=url), services.audit_trail
        assert trail is not None
        await caller.start_session()
        await proxy.cut()
        trail._hurry.set()
        async with asyncio.timeout(PATIENCE):
            while trail._failing_since is None:  # noqa: ASYNC110  # set by a write that failed
                await asyncio.sleep(0.01)
        response = await caller.post("/chat", {"query": "How much?"})
        listed = await caller.get("/api/v1/sessions")
        await proxy.restore()
        assert listed.status_code == 503
        if failure is AuditFailure.WARN:
            assert response.status_code == 200, response.text
        else:
            assert response.status_code == 503
            assert "audit log" in response.json()["detail"]
        await services.settle()
        assert (await caller.get("/api/v1/sessions")).status_code == 200
        await services.settle()


async def test_a_killed_process_loses_no_more_than_its_queue(
    shared_home: Path, services: Services
) -> None:
    tenant = f"tenant-{uuid4()}"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, str(shared_home), tenant),
        stdout=asyncio.subprocess.PIPE,
        env={"MEMORY_EMBEDDING_MODEL": "none", "PATH": "/usr/bin:/bin"},
    )
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        assert await process.stdout.readline() == b"done\n"
        process.send_signal(signal.SIGKILL)
        await process.wait()

    entries = await services.audit.entries(Scope(tenant=tenant, user="alice"), limit=9)
    actions = [entry.action for entry in reversed(entries)]
    assert actions[:2] == ["session.created", "message.written"]
    assert actions[2:] in ([], ["message.written"], ["message.written"] * 2)
    assert (await services.audit.verify(TenantScope(tenant=tenant))).broken is None
    assert await services.history.count(Scope(tenant=tenant, user="alice")) == 3
