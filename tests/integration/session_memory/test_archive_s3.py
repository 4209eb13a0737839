"""An archive in a bucket, over real HTTP, with the commands that a user runs."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from recollect import Memory
from recollect.archives.compressed import CompressedArchive
from recollect.archives.s3 import S3Objects
from recollect.errors import ArchivedSessionNotFound, ArchiveUnavailable
from recollect.settings import Settings, load_settings
from recollect.testing import FixedClock
from support.archives import A_DAY, Erasure, archive_of, archiving_services, erasing, talk
from support.examples import a_scope
from support.servers.http_servers import free_port, serving
from support.servers.moto_server import CREDENTIALS, moto_server
from support.servers.programs import run_recollect


@pytest.fixture(scope="module")
def s3_url() -> Iterator[str]:
    """A server with S3's interface, in a process of its own."""
    with moto_server() as address:
        yield address


@pytest.fixture
def bucket(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an empty bucket; credentials for it are in the environment."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    name = f"bucket-{uuid4()}"
    assert httpx.put(f"{s3_url}/{name}").status_code == 200
    return name


@pytest.fixture
def archive(s3_url: str, bucket: str) -> CompressedArchive:
    return CompressedArchive(S3Objects(bucket, prefix="a/prefix", endpoint=s3_url))


@dataclass(frozen=True)
class Commands:
    """Runs `recollect` on a database with an archive in a bucket."""

    dsn: str
    settings: dict[str, str]

    async def __call__(self, *words: str, code: int = 0) -> Any:  # noqa: ANN401  # JSON
        env = {"MEMORY_DB_CONNECTION_STRING": self.dsn, **CREDENTIALS, **self.settings}
        done = await asyncio.to_thread(run_recollect, *words, "--json", env=env)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout or done.stderr)

    @property
    def memory_settings(self) -> Settings:
        given = {name.removeprefix("MEMORY_").lower(): v for name, v in self.settings.items()}
        return load_settings(db_connection_string=self.dsn, embedding_model="none", **given)


@pytest.fixture
def commands(own_dsn: str, s3_url: str, bucket: str) -> Commands:
    settings = {
        "MEMORY_ARCHIVE": f"s3://{bucket}/sessions",
        "MEMORY_ARCHIVE_ENDPOINT_URL": s3_url,
    }
    return Commands(own_dsn, settings)


@pytest_asyncio.fixture
async def admin(own_dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(own_dsn)
    yield connection
    await connection.close()


async def test_a_session_goes_into_the_bucket_and_comes_back_to_be_recalled(
    commands: Commands, admin: asyncpg.Connection, s3_url: str, bucket: str
) -> None:
    async with Memory.open(commands.memory_settings) as memory:
        session = await memory.session("chat-1", user="alice")
        await session.add_exchange("What were the sales of 2024?", "They were 2.5M.")
        await (await memory.session("chat-1", user="bob")).add_exchange("Hello?", "Hello.")
        await memory.catch_up()
        await admin.execute("UPDATE recollect.sessions SET expires_at = now() - interval '1 day'")
        assert (await memory.recall("sales of 2024", user="alice")).items == ()

        assert await commands("cleanup", "--dry-run") == {
            "expired": 2,
            "faded_facts": 0,
            "outdated_archived": 0,
            "old_audit_entries": 0,
        }
        done = await commands("cleanup")
        assert done == {
            "deleted": 2,
            "pruned_facts": 0,
            "pruned_archived": 0,
            "deleted_audit_entries": 0,
        }
        assert await admin.fetchval("SELECT count(*) FROM recollect.sessions") == 0
        everybody = (await commands("archive", "list", "--all"))["items"]
        assert len({item["owner_id"] for item in everybody}) == 2
        (item,) = (await commands("archive", "list", "--user", "alice"))["items"]
        assert item["session_id"] == str(session.id)
        verified = await commands("archive", "verify")
        assert verified == {"objects": 2, "messages": 4, "broken": []}

        restore = ("archive", "restore", "--user", "alice", "--session", item["session_id"])
        for added in (1, 0):
            restored = await commands(*restore)
            assert restored["sessions"]["added"] == added
        assert [message.content for message in await session.last()][-1] == "They were 2.5M."
        await memory.catch_up()
        (found,) = (await memory.recall("sales of 2024", user="alice", k=1)).items
        assert "2.5M" in found.text
        assert (await memory.sessions(user="bob")).items == ()

    await S3Objects(bucket, prefix="sessions", endpoint=s3_url).put(item["name"], broken())
    verified = await commands("archive", "verify", code=1)
    assert [one["name"] for one in verified["broken"]] == [item["name"]]
    restored = await commands(*restore, code=1)
    assert restored["sessions"]["added"] == 0


async def broken() -> AsyncIterator[bytes]:
    yield b"broken"


async def test_without_an_archive_the_commands_say_what_to_set(own_dsn: str) -> None:
    for command in ("list", "restore", "verify"):
        refused = await Commands(own_dsn, {})("archive", command, code=1)
        assert "MEMORY_ARCHIVE" in refused["error"]


async def test_large_sessions_are_sent_in_parts_and_a_failure_leaves_no_object(
    archive: CompressedArchive,
) -> None:
    async def pieces(*, fails: bool = False) -> AsyncIterator[bytes]:
        for _ in range(12):
            yield os.urandom(1_000_000)
        if fails:
            raise ConnectionError

    await archive.put("owner/session/1", pieces())
    with pytest.raises(ConnectionError):
        await archive.put("owner/session/2", pieces(fails=True))
    stored = [one async for one in archive.list("owner/")]
    assert [one.name for one in stored] == ["owner/session/1"]
    assert stored[0].size > 8 * 1024 * 1024
    async with archive.fetch("owner/session/1") as document:
        size = 0
        while piece := document.read(1_000_000):
            size += len(piece)
    assert size == 12 * 1_000_000
    assert [one async for one in archive.list("own/")] == [], "no other owner's by a part of a name"
    with pytest.raises(ArchivedSessionNotFound):
        async with archive.fetch("owner/session/2"):
            pass


async def test_the_bucket_forgets_after_its_time_and_when_it_has_to(
    archive: CompressedArchive,
) -> None:
    clock = FixedClock()
    services = archiving_services(archive, clock=clock, keeps_for=30 * A_DAY)
    scope, other = a_scope(), a_scope()
    for owner in (scope, other):
        await talk(services, owner, uuid4(), "Hello?", "Hello.")
    clock.move(A_DAY)
    assert await services.retention.clean_up() == 2
    recorded: dict[str, int] = {}
    place = erasing(archive, clock, recorded)
    assert not await place.erase_some(Erasure(scope.owner_id), limit=10)
    assert await place.remaining(Erasure(scope.owner_id)) == {"sessions": 0, "messages": 0}
    assert recorded == {"archive.sessions": 1, "archive.messages": 0}
    (left,) = [one async for one in archive_of(services).list(None)]
    assert left.owner_id == other.owner_id
    clock.move(left.archived_at - clock.now() + 29 * A_DAY)
    assert await services.retention.prune_archive() == 0
    clock.move(A_DAY)
    assert await services.retention.count_archived() == 1
    assert await services.retention.prune_archive() == 1
    assert [one async for one in archive.list("")] == []


@pytest.mark.parametrize("problem", ["no server", "no bucket"])
async def test_a_bucket_that_cannot_be_reached_keeps_the_sessions(
    s3_url: str, bucket: str, problem: str
) -> None:
    there = {"no server": f"http://127.0.0.1:{free_port()}", "no bucket": s3_url}[problem]
    archive = CompressedArchive(S3Objects(f"no-{bucket}", endpoint=there))
    clock = FixedClock()
    services = archiving_services(archive, clock=clock)
    await talk(services, a_scope(), uuid4(), "Hello?", "Hello.")
    clock.move(A_DAY)
    with pytest.raises(ArchiveUnavailable) as raised:
        await services.retention.clean_up()
    assert urlsplit(there).netloc in raised.value.explanation
    assert urlsplit(there).netloc not in str(raised.value), "callers learn no address"
    assert await services.retention.count() == 1


@dataclass
class Bucket:
    """A bucket whose policy refuses one method."""

    refused: str = ""
    stored: dict[str, bytes] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        """Do as S3 does, as far as a probe goes."""
        name, is_list = request.url.path, "list-type" in request.query_params
        method = "LIST" if is_list else request.method
        self.requests.append(method)
        if method == "POST":  # which deletes several
            return Response(await self._deleted(request))
        if method == self.refused:
            return Response("<Error><Code>AccessDenied</Code></Error>", 403)
        if method == "LIST":
            return Response("<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>")
        if method == "PUT":
            self.stored[name] = await request.body()
            return Response(headers={"ETag": '"1"'})
        headers = {"ETag": '"1"', "Last-Modified": "Wed, 21 Oct 2026 07:28:00 GMT"}
        return Response(self.stored[name], headers=headers)

    async def _deleted(self, request: Request) -> str:
        (key,) = re.findall("<Key>(.*)</Key>", (await request.body()).decode())
        if self.refused == "POST":
            refusal = f"<Key>{key}</Key><Code>AccessDenied</Code><Message>no</Message>"
            return f"<DeleteResult><Error>{refusal}</Error></DeleteResult>"
        del self.stored[f"{request.url.path}/{key}"]
        return f"<DeleteResult><Deleted><Key>{key}</Key></Deleted></DeleteResult>"


@pytest.mark.parametrize(
    ("refused", "problem"),
    [
        ("LIST", "does not answer as it should"),
        ("PUT", "cannot be written to"),
        ("GET", "cannot be read from"),
        ("POST", "cannot be deleted from"),
    ],
)
async def test_a_check_tells_what_the_policy_of_the_bucket_refuses(
    bucket: str, refused: str, problem: str
) -> None:
    there, app = Bucket(refused), FastAPI()
    app.add_route("/{path:path}", there.answer, methods=["GET", "PUT", "POST"])
    async with serving(app) as url:
        objects = S3Objects(bucket, prefix="sessions", endpoint=url)
        for _ in range(2):
            with pytest.raises(ArchiveUnavailable, match=problem):
                await objects.check()
        there.refused = ""
        there.stored.clear()
        await objects.check()
        assert there.stored == {}, "a probe leaves nothing"
        asked = len(there.requests)
        await objects.check()
        assert there.requests[asked:] == ["LIST"], "what has worked is not tried again"


async def test_a_probe_is_no_archived_session(s3_url: str, bucket: str) -> None:
    objects = S3Objects(bucket, endpoint=s3_url)
    await objects.check()
    assert [one async for one in objects.list("")] == []
    left = f"{s3_url}/{bucket}/00000000-0000-0000-0000-000000000000/probe-1"
    async with httpx.AsyncClient() as client:
        assert (await client.put(left, content=b"of a killed process")).status_code == 200
    assert [one async for one in objects.list("")] == []
