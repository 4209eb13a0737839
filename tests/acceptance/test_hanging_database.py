"""A PostgreSQL that hangs: the server says so while it hangs, and goes on when it goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from recollect.engines.postgres.connection.database import _COMMAND_SECONDS
from recollect.engines.postgres.embedded.postmaster import Postmaster
from recollect.services.chat.degradation import NO_MEMORY, NOT_STORED
from support.servers.http_servers import ServerProgram

pytestmark = pytest.mark.slow

LIMIT = _COMMAND_SECONDS - 5
"""Before the driver itself gives up: whoever waits for that does not answer while it hangs."""


def test_a_server_is_not_ready_while_its_database_hangs(server: ServerProgram, home: Path) -> None:
    before = httpx.get(f"{server.url}/readyz", timeout=60).json()
    with hanging_database(home):
        hanging = httpx.get(f"{server.url}/readyz", timeout=60)
        alive = httpx.get(f"{server.url}/healthz", timeout=60)

    assert before["checks"] == {"database": "ok", "worker": "ok", "disk": before["checks"]["disk"]}
    assert (alive.status_code, hanging.status_code) == (200, 503)
    assert hanging.json()["checks"]["database"] == "unavailable"
    started = httpx.post(f"{server.url}/api/v1/sessions", json={}, timeout=60)
    assert started.status_code == 201


def test_questions_are_answered_without_memory_while_the_database_hangs(
    server: ServerProgram, home: Path
) -> None:
    question = {"messages": [{"role": "user", "content": "Hello?"}]}
    named = {"X-Session-ID": "a-session"}
    with hanging_database(home):
        chat = httpx.post(f"{server.url}/chat", json={"query": "Hello?"}, timeout=LIMIT)
        completion = httpx.post(
            f"{server.url}/v1/chat/completions", json=question, headers=named, timeout=LIMIT
        )

    assert (chat.status_code, completion.status_code) == (200, 200)
    assert chat.json()["metadata"]["warnings"] == [NO_MEMORY, NOT_STORED]
    assert completion.json()["choices"][0]["message"]["content"]
    again = httpx.post(f"{server.url}/chat", json={"query": "Hello?"}, timeout=LIMIT)
    assert again.json()["metadata"]["warnings"] == []


@contextmanager
def hanging_database(home: Path) -> Iterator[None]:
    """PostgreSQL stopped, and still stopped when all is done."""
    processes = processes_of(home)
    for process in processes:
        process.suspend()
    try:
        yield
        assert {process.status() for process in processes} == {psutil.STATUS_STOPPED}
    finally:
        for process in processes:
            process.resume()


def processes_of(home: Path) -> list[psutil.Process]:
    postmaster = Postmaster.of(home / "postgres-18")
    assert postmaster is not None
    return [postmaster.process, *postmaster.process.children(recursive=True)]
