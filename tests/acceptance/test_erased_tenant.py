"""A user of a tenant is erased: nothing is left of them anywhere, and of the others everything."""

import asyncio
import json
import os
import random
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest
import pytest_asyncio

from recollect.domain.identity.scope import TenantScope
from recollect.engines.postgres.migrations import migrate
from support.doubles.chat_endpoint import serving
from support.erased_tenants import (
    TENANT,
    BucketDump,
    EchoingDouble,
    FolderDump,
    MarkedUser,
    Vectors,
    chroma_vectors,
    fill,
    marked_users,
    unpacked,
)
from support.erasures import Dump, dump, load
from support.servers.chroma_server import running_chroma
from support.servers.http_servers import ServerProgram
from support.servers.moto_server import CREDENTIALS, moto_server
from support.servers.programs import Program, run_recollect, start_program
from support.timeouts import PATIENCE

USERS = int(os.environ.get("RECOLLECT_ERASED_TENANT_USERS", "3"))
KILLS = int(os.environ.get("RECOLLECT_ERASURE_KILLS", "2"))
ARCHIVED = 30
"""Sessions of the erased user in the archive, beside one."""
LOADED = 1_500 * (KILLS + 1)
"""Turns of the erased user: each kill finds a worker that has thousands of rows to go."""
LEFT = {"audit", "audit_chains", "erasures"}
FILLED = {
    *("owners", "sessions", "turns", "messages", "summaries", "states", "profiles"),
    *("profile_values", "facts", "fact_changes", "fact_models", "audit", "audit_chains"),
    *("recall_entries", "recall_words", "recall_owners", "recall_models"),
}


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where vectors and archived sessions are, and what is there."""

    settings: dict[str, str]
    archive: FolderDump | BucketDump
    vectors: Callable[[], Vectors] = dict


@pytest_asyncio.fixture
async def dsn(admin_dsn: str) -> AsyncIterator[str]:
    """A database that nobody else works on."""
    name = f"erased_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    own = admin_dsn.replace("@/postgres?", f"@/{name}?")
    await migrate(own)
    yield own
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest.fixture(params=["pgvector and a folder", "Chroma and S3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "pgvector and a folder":
        (tmp_path / "archive").mkdir()
        settings = {"MEMORY_ARCHIVE": f"folder:{tmp_path / 'archive'}"}
        yield Place(settings=settings, archive=FolderDump(tmp_path / "archive"))
        return
    with moto_server() as s3, running_chroma(tmp_path / "chroma") as chroma:
        bucket = f"bucket-{uuid4()}"
        httpx.put(f"{s3}/{bucket}").raise_for_status()
        settings = {
            "MEMORY_ARCHIVE": f"s3://{bucket}/sessions",
            "MEMORY_ARCHIVE_ENDPOINT_URL": s3,
            "MEMORY_VECTOR_STORE": "chroma",
            "MEMORY_VECTOR_STORE_URL": chroma,
            **CREDENTIALS,
        }
        yield Place(
            settings=settings,
            archive=BucketDump(s3, bucket),
            vectors=lambda: chroma_vectors(chroma),
        )


@dataclass(kw_only=True)
class Installation:
    """A server, the workers that are started beside it, and all that they store."""

    env: dict[str, str]
    place: Place
    admin: asyncpg.Connection
    service: httpx.AsyncClient
    workers: list[Program] = field(default_factory=list)

    def start_worker(self) -> Program:
        env = {**os.environ, **self.env}
        self.workers.append(start_program("recollect", "worker", env=env))
        return self.workers[-1]

    async def recollect(self, *words: str, code: int = 0) -> str:
        done = await asyncio.to_thread(run_recollect, *words, env=self.env)
        assert done.returncode == code, done.stderr
        return done.stdout or done.stderr

    async def value(self, query: str, *args: object) -> Any:  # noqa: ANN401  # of any type
        return await self.admin.fetchval(query, *args)

    async def wait_for(self, query: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while not await self.value(query):  # noqa: ASYNC110  # a worker does it
                await asyncio.sleep(0.1)


@pytest_asyncio.fixture
async def installation(
    dsn: str, place: Place, tmp_path: Path, open_folder: Path
) -> AsyncIterator[Installation]:
    async with serving(EchoingDouble()) as model:
        env = {
            "MEMORY_HOME": str(open_folder),
            "MEMORY_DB_CONNECTION_STRING": dsn,
            "MEMORY_TENANT": TENANT,
            "MEMORY_USER_ID_SOURCE": "api_key",
            "MEMORY_ALLOW_DATA_DELETION": "true",
            "MEMORY_WORKER": "false",
            "MEMORY_SUMMARIZATION_THRESHOLD": "4",
            **place.settings,
        }
        # The workers have no model: they make summaries by themselves.
        answering = {"MEMORY_LLM_BASE_URL": model.url, "MEMORY_LLM_MODEL": "m"}
        server = ServerProgram(open_folder, env={**env, **answering})
        await asyncio.to_thread(server.start)
        made = run_recollect("keys", "create", "--name", "the app", "--scope", "service", env=env)
        headers = {"Authorization": f"Bearer {made.stdout.splitlines()[0]}"}
        admin = await asyncpg.connect(dsn)
        async with httpx.AsyncClient(
            base_url=server.url, headers=headers, timeout=PATIENCE
        ) as service:
            stage = Installation(env=env, place=place, admin=admin, service=service)
            yield stage
        for worker in stage.workers:
            with suppress(ProcessLookupError):
                worker.send_signal(signal.SIGKILL)
        await asyncio.to_thread(server.stop)
        await admin.close()


async def fill_all(stage: Installation, users: list[MarkedUser], dsn: str) -> None:
    """Let all have everything, the first one more of it, and archive what has expired."""
    worker = stage.start_worker()
    for start in range(0, len(users), 5):
        await asyncio.gather(*(fill(stage.service, user) for user in users[start : start + 5]))
    await stage.wait_for(
        "SELECT NOT EXISTS (SELECT FROM recollect.turns WHERE index_due IS NOT NULL)"
        " AND NOT EXISTS (SELECT FROM recollect.jobs)"
    )
    first = users[0].scope
    await load(dsn, first, sessions=ARCHIVED, turns=2)
    await stage.admin.execute(
        "UPDATE recollect.sessions SET expires_at = now() - interval '1 day' "
        "WHERE session_id = ANY($1) OR owner_id = $2 AND name IS NULL",
        [user.expiring_id for user in users],
        first.owner_id,
    )
    await load(dsn, first, sessions=1, turns=LOADED)
    for user in users[:2]:
        made = ("--name", f"{user.marker}'s laptop", "--scope", "user", "--user", user.scope.user)
        await stage.recollect("keys", "create", *made)
    await stage.recollect("cleanup")
    await stage.wait_for("SELECT NOT EXISTS (SELECT FROM recollect.recall_removals)")
    await stop(worker)


async def stop(worker: Program) -> None:
    worker.send_signal(signal.SIGTERM)
    await asyncio.to_thread(worker.wait, PATIENCE)


async def kill_at(stage: Installation, owner: MarkedUser, left: float) -> None:
    """Start a worker, and kill it when no more than that is left to erase."""
    worker = stage.start_worker()
    async with asyncio.timeout(PATIENCE):
        # The archive is listed only where it matters: that takes longer than counting rows.
        while await messages(stage, owner) > left or await amount(stage, owner) > left:
            assert worker.poll() is None, "it ended by itself"
            await asyncio.sleep(0.002)
    worker.send_signal(signal.SIGKILL)
    await asyncio.to_thread(worker.wait, PATIENCE)


async def messages(stage: Installation, owner: MarkedUser) -> int:
    """How many messages there are of the owner."""
    query = "SELECT count(*) FROM recollect.messages WHERE owner_id = $1"
    return int(await stage.value(query, owner.scope.owner_id))


async def amount(stage: Installation, owner: MarkedUser) -> int:
    """How many messages and archived sessions there are of the owner."""
    names = await asyncio.to_thread(stage.place.archive.names)
    archived = sum(owner.owner_id in name for name in names)
    return await messages(stage, owner) + archived


async def receipt_of(stage: Installation, owner: MarkedUser, erasure_id: str) -> dict[str, Any]:
    """Let a worker finish the erasure."""
    worker = stage.start_worker()
    headers, path = {"X-Memory-User": owner.scope.user}, f"/api/v1/privacy/erase/{erasure_id}"
    async with asyncio.timeout(PATIENCE):
        while True:
            erasure = (await stage.service.get(path, headers=headers)).raise_for_status().json()
            if erasure["state"] == "done":
                break
            await asyncio.sleep(0.1)
    await stop(worker)
    receipt: dict[str, Any] = erasure["receipt"]
    return receipt


def of_others(rows: Dump, owner: MarkedUser) -> Dump:
    """The rows that are not the owner's, without the system's key and the tenant's own log."""
    words = (owner.owner_id, owner.marker)
    logged = f'"owner_id":"{TenantScope(tenant=TENANT).owner_id}"'
    return {
        table: [
            row
            for row in rows[table]
            if not any(word in row for word in words)
            and not (table.startswith("audit") and logged in row)
        ]
        for table in rows
        if table != "receipt_keys"
    }


@pytest.mark.slow(seconds=17)
async def test_nothing_is_left_of_an_erased_user_and_others_keep_every_byte(
    installation: Installation, dsn: str, tmp_path: Path
) -> None:
    """RECOLLECT_ERASED_TENANT_USERS=50 and RECOLLECT_ERASURE_KILLS=10 make it a large one."""
    stage, place = installation, installation.place
    gone, *others = users = marked_users(USERS)
    await fill_all(stage, users, dsn)
    rows, objects, vectors = await dump(stage.admin), place.archive.objects(), place.vectors()
    assert {table for table in rows if gone.owner_id in str(rows[table])} >= FILLED
    assert gone.marker.encode() in unpacked(objects)
    assert not vectors or any(gone.scope.owner_id.hex in name for name in vectors)

    headers = {"X-Memory-User": gone.scope.user}
    begun = await stage.service.post(
        "/api/v1/privacy/erase", json={"confirm": True}, headers=headers
    )
    chance = random.Random(KILLS)  # noqa: S311  # the same moments each time
    total = await amount(stage, gone)
    moments = sorted((chance.uniform(0.05, 0.95) * total for _ in range(KILLS - 1)), reverse=True)
    for moment in (*moments, ARCHIVED):  # the last one while the archive is erased
        await kill_at(stage, gone, moment)
    receipt = await receipt_of(stage, gone, begun.json()["erasure_id"])

    rows_after, objects_after, vectors_after = (
        await dump(stage.admin),
        place.archive.objects(),
        place.vectors(),
    )
    assert gone.marker not in str(rows_after)
    assert {table for table in rows if gone.owner_id in str(rows_after[table])} == LEFT
    for word in gone.words:
        assert word not in unpacked(objects_after)
        assert word.decode() not in str(vectors_after)
    assert of_others(rows_after, gone) == of_others(rows, gone)
    assert objects_after == {
        name: packed for name, packed in objects.items() if gone.owner_id not in name
    }
    assert vectors_after == {
        name: stored for name, stored in vectors.items() if gone.scope.owner_id.hex not in name
    }
    assert all(user.marker in str(rows_after) for user in others)
    assert receipt["erased"]["database"]["messages"] == total - ARCHIVED - 1
    assert receipt["erased"]["archive"]["sessions"] <= ARCHIVED + 1
    assert receipt["erased"]["keys"] == {"api_keys": 1}
    assert receipt["verification"]["result"] == "clean"
    await check_receipts(stage, receipt, tmp_path)


async def check_receipts(stage: Installation, receipt: dict[str, Any], folder: Path) -> None:
    """The receipt is valid as it is, and not if any number or name is another."""
    (folder / "receipt.json").write_text(json.dumps(receipt))
    assert "valid" in await stage.recollect("erase", "--verify", str(folder / "receipt.json"))
    fewer = {**receipt["erased"]["database"], "messages": 1}
    for number, altered in enumerate(
        (
            {**receipt, "erased": {**receipt["erased"], "database": fewer}},
            {**receipt, "owner_id": str(UUID(int=1))},
            {**receipt, "user": "somebody else"},
        )
    ):
        path = folder / f"altered-{number}.json"
        path.write_text(json.dumps(altered))
        assert "altered" in await stage.recollect("erase", "--verify", str(path), code=1)
