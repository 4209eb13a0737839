"""A question that a killed server was answering does not stay open."""

import asyncio
import threading
from pathlib import Path

import asyncpg
import httpx
import pytest

from recollect.engines.postgres.embedded import EmbeddedServer
from support.doubles.chat_endpoint import Reply, chat_double
from support.servers.http_servers import ServerProgram, free_port

SESSION = "6b1f7d8e-3a0c-4f2f-9a57-0d6f0b7f2a11"

pytestmark = pytest.mark.slow


async def test_a_question_left_open_by_a_kill_is_failed_once_its_time_is_up(home: Path) -> None:
    async with chat_double(Reply(delay=3600)) as model:
        settings = {
            "MEMORY_LLM_BASE_URL": model.url,
            "MEMORY_LLM_MODEL": "large-70b",
            "MEMORY_EMBEDDING_MODEL": "none",
        }
        server = ServerProgram(home, port=free_port(), env=settings)
        await asyncio.to_thread(server.start)
        asking = threading.Thread(target=ask, args=(server.url,))
        asking.start()
        while not model.requests:  # noqa: ASYNC110  # the model is another's server
            await asyncio.sleep(0.05)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(asking.join)
        await make_older(home)
        await asyncio.to_thread(server.start)
        try:
            async with asyncio.timeout(60):
                while await status(server.url) == "pending":  # noqa: ASYNC110  # as above
                    await asyncio.sleep(0.05)
            assert await status(server.url) == "failed"
        finally:
            await asyncio.to_thread(server.stop)


def ask(url: str) -> None:
    with pytest.raises(httpx.TransportError):
        httpx.post(
            f"{url}/chat",
            json={"query": "How much?"},
            headers={"X-Session-ID": SESSION},
            timeout=600,
        )


async def status(url: str) -> str:
    async with httpx.AsyncClient(timeout=60) as client:
        response = await client.get(f"{url}/api/v1/sessions/{SESSION}/turns/1")
    return str(response.raise_for_status().json()["status"])


async def make_older(home: Path) -> None:
    """Let the time pass that the question may take."""
    connection = await asyncpg.connect(EmbeddedServer(home).dsn)
    try:
        await connection.execute(
            "UPDATE recollect.turns SET started_at = started_at - interval '10 minutes'"
        )
    finally:
        await connection.close()
