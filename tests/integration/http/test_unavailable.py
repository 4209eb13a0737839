"""An unavailable database: its messages are in the log and in no response."""

import logging
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
import pytest_asyncio

from support.http.callers import Caller
from support.servers.answering_server import answering_server
from support.servers.database_proxy import proxied_stores

SESSION = str(UUID("5ca1ab1e-0000-4000-8000-000000000000"))
REQUESTS = [
    ("GET", "/api/v1/sessions", None),
    ("POST", "/api/v1/sessions", {}),
    ("GET", f"/api/v1/sessions/{SESSION}", None),
    ("DELETE", f"/api/v1/sessions/{SESSION}", None),
    ("POST", f"/api/v1/sessions/{SESSION}/messages", {"role": "user", "content": "x"}),
    ("POST", f"/api/v1/sessions/{SESSION}/context", {"question": "x"}),
    ("POST", "/api/v1/recall", {"query": "x"}),
    ("GET", "/api/v1/history", None),
]


@pytest_asyncio.fixture(scope="module")
async def offline_caller(
    admin_dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Caller]:
    """A caller of a server whose database was cut off."""
    async with (
        proxied_stores(admin_dsn, tmp_path_factory.mktemp("s")) as (proxy, stores),
        answering_server(stores) as caller,
    ):
        await proxy.cut()
        yield caller
        await proxy.restore()


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
async def test_no_response_has_the_words_of_the_database(
    offline_caller: Caller,
    caplog: pytest.LogCaptureFixture,
    method: str,
    path: str,
    body: object,
) -> None:
    caplog.set_level(logging.WARNING, "recollect")
    response = await offline_caller.client.request(method, offline_caller.url + path, json=body)

    assert response.status_code == 503, response.text
    assert response.json() == {
        "error": "Service Unavailable",
        "detail": "the database does not answer",
    }
    (logged,) = (r for r in caplog.records if r.getMessage() == "http.unavailable")
    assert "Error: " in logged.facts["reason"], "the log says why"  # type: ignore[attr-defined]
