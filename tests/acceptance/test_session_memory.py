"""Context comes back after a crash, and a summary is finished by whoever is left."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from recollect.engines.postgres.embedded import EmbeddedServer
from support.doubles.chat_endpoint import Reply, chat_double
from support.servers.http_servers import ServerProgram
from support.servers.programs import Program, start_program
from support.timeouts import PATIENCE

A_SUMMARY = "The user asked how several shops did and was told."
COUNT = 30


async def context_of(url: str, session_id: str) -> dict[str, Any]:
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
        response = await client.post(
            f"{url}/api/v1/sessions/{session_id}/context",
            json={"question": "What is the capital of France?"},
        )
    context: dict[str, Any] = response.raise_for_status().json()
    return context


async def stored_messages(url: str, session_id: str) -> list[dict[str, Any]]:
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
        response = await client.get(
            f"{url}/api/v1/sessions/{session_id}/messages", params={"order": "asc", "limit": 1000}
        )
    items: list[dict[str, Any]] = response.raise_for_status().json()["items"]
    return items


async def talk(url: str, *messages: tuple[str, str]) -> str:
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
        session = await client.post(f"{url}/api/v1/sessions", json={})
        session_id: str = session.raise_for_status().json()["session_id"]
        for role, content in messages:
            response = await client.post(
                f"{url}/api/v1/sessions/{session_id}/messages",
                json={"role": role, "content": content},
            )
            response.raise_for_status()
    return session_id


@pytest.mark.slow
async def test_the_context_has_all_five_messages_after_a_kill_and_a_restart(
    server: ServerProgram,
) -> None:
    said = [
        ("system", "You are kind."),
        ("user", "What were the sales of 2024?"),
        ("assistant", "2.5M"),
        ("user", "And in the north?"),
        ("assistant", "1.5M of them"),
    ]
    session_id = await talk(server.url, *said)
    before = await context_of(server.url, session_id)

    server.kill()
    server.start()

    after = await context_of(server.url, session_id)
    assert [(message["role"], message["content"]) for message in after["window"]] == said
    assert after == before


@pytest.mark.slow
async def test_a_second_worker_finishes_what_a_killed_one_began(home: Path) -> None:
    with a_server(home, MEMORY_PRESET="data-questions", MEMORY_WORKER="false") as server:
        said = [("user", f"How did shop {n} do?") for n in range(COUNT)]
        pairs = [
            pair for question in said for pair in (question, ("assistant", "It did very well."))
        ][:COUNT]
        session_id = await talk(server.url, *pairs)
        originals = await stored_messages(server.url, session_id)
        async with chat_double(Reply(delay=600), Reply(answer=A_SUMMARY)) as double:
            async with a_worker(home, double.url) as first:
                await until(lambda: len(double.requests) == 1)
                first.send_signal(signal.SIGKILL)
            assert (await context_of(server.url, session_id))["summary"] != A_SUMMARY
            assert await stored_messages(server.url, session_id) == originals
            await end_leases(home)
            async with a_worker(home, double.url):
                await until_summarised(server.url, session_id)

        assert len(double.requests) == 2
        context = await context_of(server.url, session_id)
        assert context["summary"] == A_SUMMARY
        assert context["sources"]["summary"] == {
            "first_sequence": 1,
            "last_sequence": COUNT - 10,
        }
        assert [m["sequence"] for m in context["window"]] == list(range(COUNT - 9, COUNT + 1))
        assert await stored_messages(server.url, session_id) == originals


@pytest.mark.slow
async def test_the_server_works_by_itself_and_its_summary_survives_a_kill(home: Path) -> None:
    with a_server(home, MEMORY_PRESET="data-questions") as server:
        pairs = [("user", "How did it go?"), ("assistant", "It went very well by the sea.")] * 10
        session_id = await talk(server.url, *pairs)
        await until_summarised(server.url, session_id)
        before = await context_of(server.url, session_id)

        server.kill()
        server.start()

        assert await context_of(server.url, session_id) == before


@contextmanager
def a_server(home: Path, **env: str) -> Iterator[ServerProgram]:
    program = ServerProgram(home, env=env)
    program.start()
    try:
        yield program
    finally:
        program.stop()


@asynccontextmanager
async def a_worker(home: Path, url: str) -> AsyncIterator[Program]:
    """`recollect worker` with a model, ended when the block is."""
    env = {
        **os.environ,
        "MEMORY_HOME": str(home),
        "MEMORY_PRESET": "data-questions",
        "MEMORY_LLM_BASE_URL": url,
        "MEMORY_LLM_MODEL": "a-model:8b",
    }
    process = start_program("recollect", "worker", env=env)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.wait, PATIENCE)


async def end_leases(home: Path) -> None:
    """Let no test wait the five minutes that a dead worker's lease lasts."""
    connection = await asyncpg.connect(EmbeddedServer(home).dsn)
    try:
        changed = await connection.execute("UPDATE recollect.jobs SET scheduled_at = now()")
        assert changed == "UPDATE 1"
    finally:
        await connection.close()


async def until_summarised(url: str, session_id: str) -> None:
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
        async with asyncio.timeout(PATIENCE):
            while True:
                response = await client.get(f"{url}/api/v1/sessions/{session_id}")
                if response.raise_for_status().json()["is_summarized"]:
                    return
                await asyncio.sleep(0.1)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not is_so():  # noqa: ASYNC110  # another process makes it so
            await asyncio.sleep(0.05)
