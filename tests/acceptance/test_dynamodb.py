"""The fourth seed's story on DynamoDB, and a server on it that is killed."""

import os
import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from recollect import Memory
from recollect.settings import load_settings
from support.durability import Writer, check_nothing_lost, start_session
from support.dynamodb import dynamodb_server
from support.servers.http_servers import ServerProgram
from support.servers.programs import run_recollect
from support.timeouts import PATIENCE

ROUNDS = int(os.environ.get("RECOLLECT_KILLS", "2"))


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """The settings of a table that the command has created."""
    with dynamodb_server() as address:
        settings = {
            "MEMORY_ENGINE": "dynamodb",
            "MEMORY_DYNAMODB_TABLE": f"memory-{uuid4()}",
            "MEMORY_DYNAMODB_ENDPOINT_URL": address,
            "MEMORY_EMBEDDING_MODEL": "none",
            "MEMORY_PRESET": "agent",
        }
        created = run_recollect("dynamodb", "create", "--json", env=settings)
        assert created.returncode == 0, created.stderr
        yield settings
        deleted = run_recollect("dynamodb", "delete", "--yes", env=settings)
        assert deleted.returncode == 0, deleted.stderr


async def test_a_session_grows_is_summarised_listed_and_ends_in_90_days(
    environment: dict[str, str],
) -> None:
    given = {name.removeprefix("MEMORY_").lower(): value for name, value in environment.items()}
    async with Memory.open(load_settings(**given)) as memory:
        session = await memory.session("s-1", user="rena")
        roles = ("user", "assistant")
        asked = [f"Who is person number {number}?" for number in range(51)]
        said_at = datetime(2026, 1, 1, tzinfo=UTC)
        await session.add_many(
            {"role": roles[n % 2], "content": text, "created_at": said_at + timedelta(minutes=n)}
            for n, text in enumerate(asked)
        )
        await (await memory.session("s-2", user="rena")).add("user", "Another?")
        assert await memory.catch_up() > 0
        info = await session.info()
        assert info.is_summarized
        assert info.message_count == 51
        assert info.expires_at is not None
        assert timedelta(days=89) < info.expires_at - datetime.now(UTC) < timedelta(days=91)
        recent = await memory.sessions(user="rena", limit=10, sort="last_accessed")
        assert [one.metadata["external_id"] for one in recent.items] == ["s-2", "s-1"]
        last = await session.last(10)
        assert [message.content for message in last] == asked[-10:]
        context = await session.context("Who is person number 3?")
        assert context.summary is not None
        found = await memory.recall("person number 7", user="rena")
        assert found.items
        assert (await memory.erase(user="rena"))["verification"]["result"] == "clean"  # type: ignore[index,call-overload]
        assert (await memory.sessions(user="rena")).items == ()


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(
    environment: dict[str, str], tmp_path: Path
) -> None:
    server = ServerProgram(tmp_path, env=environment)
    server.start()
    try:
        session_id = start_session(server.url)
        acknowledged: list[str] = []
        for _ in range(ROUNDS):
            writer = Writer(server.url, session_id)
            writer.start()
            writer.wait_for_an_answer()
            time.sleep(random.uniform(0, 0.5))  # noqa: S311  # a moment, not a secret
            server.kill()
            writer.join()
            acknowledged += writer.acknowledged
            server.start()
            check_nothing_lost(server, session_id, acknowledged)
        assert acknowledged
        answered = httpx.post(
            f"{server.url}/chat",
            json={"query": "What did I say?"},
            headers={"X-Session-ID": session_id},
            timeout=PATIENCE,
        )
        assert answered.status_code == 200, answered.text
        assert answered.json()["answer"]
    finally:
        server.stop()
