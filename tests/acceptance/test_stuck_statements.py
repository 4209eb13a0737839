"""Statements that never end: others are served, and the server stops all the same."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from recollect.engines.postgres.embedded import EmbeddedServer
from support.doubles.chat_endpoint import ChatDouble, Reply, chat_double
from support.servers.http_servers import ServerProgram, free_port

_ENDLESS = (
    "```sql\nWITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    " SELECT count(*) FROM n, sales\n```"
)
_PATIENCE = 120


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE sales AS SELECT 'North' AS region, 25 AS amount")
    connection.commit()
    connection.close()
    return path


@pytest_asyncio.fixture
async def model() -> AsyncIterator[ChatDouble]:
    async with chat_double(Reply(answer=_ENDLESS)) as double:
        yield double


async def _ask(client: httpx.AsyncClient, number: int) -> int:
    question = {"question": f"How many sales are there for customer {number}?"}
    try:
        return (await client.post("/memoryChat", json=question)).status_code
    except httpx.TransportError:
        return 0  # cut off by the end of the server


async def _until_running(pid: int, client: httpx.AsyncClient, model: ChatDouble) -> None:
    """Wait until the model has written a statement for each question."""
    while len(model.requests) < 10:  # noqa: ASYNC110  # the double tells it by this list alone
        await asyncio.sleep(0.05)
    assert (await client.get("/readyz")).is_success, pid


def _step_back(pid: int) -> None:
    """Let other tests go before the ten threads, which work until the shutdown gives up on them.

    Not before the event loop, which has little to do: a machine that is busy with others would
    not let it end in time.
    """
    for thread in Path(f"/proc/{pid}/task").iterdir():
        if thread.name != str(pid):
            with suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, int(thread.name), 10)


@pytest.mark.slow(seconds=13)
async def test_ten_endless_statements_starve_nobody_and_do_not_hold_the_shutdown(
    home: Path, shop: Path, model: ChatDouble
) -> None:
    env = {
        "MEMORY_SQL_DATABASE": f"sqlite:///{shop}",
        "MEMORY_LLM_BASE_URL": model.url,
        "MEMORY_LLM_MODEL": "stub",
        "MEMORY_PRESET": "data-questions",
        "MEMORY_EMBEDDING_MODEL": "none",
        "MEMORY_ANSWER_TIMEOUT_SECONDS": "600",
    }
    server = ServerProgram(home, port=free_port(), env=env)
    async with AsyncExitStack() as stack:
        await asyncio.to_thread(server.start)
        stack.callback(server.kill)
        client = await stack.enter_async_context(
            httpx.AsyncClient(base_url=server.url, timeout=_PATIENCE)
        )
        asking = [asyncio.create_task(_ask(client, number)) for number in range(10)]
        await _until_running(server.pid, client, model)

        created = await client.post("/api/v1/sessions", json={})
        said = await client.post(
            f"/api/v1/sessions/{created.json()['session_id']}/messages",
            json={"role": "user", "content": "Are you still there?"},
        )
        listed = await client.get("/api/v1/sessions")
        _step_back(server.pid)
        await asyncio.to_thread(server.stop)
        statuses = await asyncio.gather(*asking)

    assert created.is_success, created.text
    assert said.is_success, said.text
    assert listed.is_success, listed.text
    assert 200 not in statuses
    assert not EmbeddedServer(home).is_running()
