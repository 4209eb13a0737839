"""Everything of a user over HTTP: exported by themselves alone, where the server allows it."""

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import httpx
import pytest
import pytest_asyncio

from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.services.services import Services
from recollect.settings import load_settings
from support.http.callers import Caller, Tenant
from support.servers.http_servers import serving
from support.timeouts import PATIENCE
from support.transfers import essence, imported

EXPORT = "/api/v1/privacy/export"
SECRET = "kiwi-91d2"


@pytest_asyncio.fixture
async def allowing(
    memory: Memory, services: Services, client: httpx.AsyncClient
) -> AsyncIterator[Tenant]:
    """A tenant on a server whose users may export their memory."""
    settings = load_settings(user_id_source="api_key", allow_data_export=True)
    async with serving(create_app(memory, settings)) as url:
        yield Tenant(server=Caller(client=client, url=url), services=services)


async def test_it_is_off_unless_the_operator_allows_it(alice: Caller, anonymous: Caller) -> None:
    refused = await alice.get(EXPORT)
    assert refused.status_code == 403
    assert "MEMORY_ALLOW_DATA_EXPORT" in refused.json()["detail"]
    assert (await anonymous.get(EXPORT)).status_code == 401


async def test_a_user_gets_everything_of_theirs_and_nothing_of_others(allowing: Tenant) -> None:
    alice, bob = await allowing.user("alice"), await allowing.user("bob")
    for one, secret in ((alice, "tea"), (bob, SECRET)):
        session = await one.start_session(name=secret)
        await one.add(session, f"What is {secret}?")
        await one.add(session, f"{secret} is good", role="assistant", model="m")
        await one.post("/api/v1/memory", {"content": f"Likes {secret}."})
        await one.send("PUT", "/api/v1/profile/drink", json={"value": {secret: 1e17}})
    response = await alice.get(EXPORT)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Content-Disposition"] == (
        'attachment; filename="recollect-export.json"'
    )
    assert "Content-Length" not in response.headers, "it is streamed"
    document = response.json()
    assert SECRET not in response.text
    assert document["owner"]["user"] == "alice"
    assert (document["format"], document["version"]) == ("recollect-export", 1)
    (session,) = document["sessions"]
    assert [message["content"] for message in session["messages"]] == [
        "What is tea?",
        "tea is good",
    ]
    assert session["messages"][1]["turn"]["status"] == "complete"
    assert [fact["content"] for fact in document["facts"]] == ["Likes tea."]
    assert document["profile"][0]["value"] == {"tea": 1e17}
    (key,) = document["api_keys"]
    assert key.keys() == {"key_id", "name", "scopes", "memory", "created_at", "revoked_at"}


async def test_a_user_of_whom_nothing_is_known_gets_an_empty_document(allowing: Tenant) -> None:
    operator = await allowing.service()
    response = await operator.with_headers({"X-Memory-User": "nobody"}).get(EXPORT)
    assert response.status_code == 200
    document = response.json()
    assert [document[part] for part in ("profile", "state", "facts", "sessions", "audit")] == [
        [],
        None,
        [],
        [],
        [],
    ]


async def test_an_archive_has_a_file_for_each_part(allowing: Tenant) -> None:
    alice = await allowing.user("alice")
    await alice.add(await alice.start_session(), "Hello")
    response = await alice.get(EXPORT, format="zip")
    assert response.headers["Content-Type"] == "application/zip"
    assert response.headers["Content-Disposition"].endswith('"recollect-export.zip"')
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.testzip() is None
        (message,) = archive.read("messages.jsonl").splitlines()
        assert json.loads(message)["content"] == "Hello"


@pytest.mark.parametrize("query", [{"format": "xml"}, {"user": "bob"}])
async def test_other_formats_and_other_users_are_refused(
    allowing: Tenant, query: dict[str, str]
) -> None:
    alice = await allowing.user("alice")
    assert (await alice.get(EXPORT, **query)).status_code == 422


async def test_an_export_is_imported_for_a_user_of_another_name(
    allowing: Tenant, services: Services
) -> None:
    alice, carol = await allowing.user("alice"), await allowing.user("carol")
    session = await alice.start_session(name="Sales")
    await alice.add(session, "Sales of 2024?")
    await alice.add(session, "2.5M", role="assistant")
    document = (await alice.get(EXPORT)).content
    report = await imported(services, allowing.scope("carol"), document)
    assert (report.sessions.added, report.messages.added) == (1, 2)
    assert essence((await carol.get(EXPORT)).json()) == essence(json.loads(document))
    assert [m["content"] for m in await carol.messages(session)] == [
        m["content"] for m in await alice.messages(session)
    ]


async def test_exports_that_nobody_reads_on_are_limited_and_leave_their_places(
    allowing: Tenant,
) -> None:
    alice = await allowing.user("alice")
    session = await alice.start_session()
    for _ in range(16):  # more than sockets hold for a client that does not read
        await alice.add(session, "long " * 180_000)
    async with AsyncExitStack() as readers:
        for _ in range(2):
            reading = alice.client.stream("GET", f"{alice.url}{EXPORT}", headers=alice.headers)
            assert (await readers.enter_async_context(reading)).status_code == 200
        refused = await alice.get(EXPORT)
        assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)
        assert "try again later" in refused.json()["detail"]
    async with asyncio.timeout(PATIENCE):
        while (await alice.get(EXPORT)).status_code != 200:  # noqa: ASYNC110  # the server tells it alone
            await asyncio.sleep(0.1)
