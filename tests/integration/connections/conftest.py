"""The program that users start, with limits that a test can reach."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from recollect.engines.postgres.connection.database import Database
from support.servers.http_servers import ServerProgram, free_port
from support.timeouts import PATIENCE

WITHOUT_WORK = {"MEMORY_EMBEDDING_MODEL": "none", "MEMORY_WORKER": "false"}
SMALL = {
    "MEMORY_MAX_HEADER_BYTES": "20000",
    "MEMORY_MAX_HEADERS": "30",
    "MEMORY_HEADER_TIMEOUT_SECONDS": "1",
    "MEMORY_BODY_TIMEOUT_SECONDS": "1",
    "MEMORY_KEEP_ALIVE_SECONDS": "2",
}
FOLLOW_UP = {
    "question": "When was she born?",
    "history": [
        {"role": "user", "content": "Who leads the choir of Delft?"},
        {"role": "assistant", "content": "Anna de Vries has led it for ten years."},
    ],
}
"""A question that the model reads."""


@pytest.fixture(scope="session")
def impatient(shared_home: Path, database: Database) -> Iterator[ServerProgram]:
    """A server with small limits, which has loaded its model: its memory grows no more for that."""
    program = ServerProgram(shared_home, port=free_port(), env={**WITHOUT_WORK, **SMALL})
    program.start()
    path = f"{program.url}/api/v1/rewrite"
    httpx.post(path, json=FOLLOW_UP, timeout=PATIENCE).raise_for_status()
    yield program
    program.stop()


@pytest.fixture(scope="session")
def crowded(shared_home: Path, database: Database) -> Iterator[ServerProgram]:
    """A server with time for everybody, but room for few."""
    room = {"MEMORY_MAX_WAITING_CONNECTIONS": "20", "MEMORY_HEADER_TIMEOUT_SECONDS": "600"}
    env = {**WITHOUT_WORK, **room}
    program = ServerProgram(shared_home, port=free_port(), env=env)
    program.start()
    yield program
    program.stop()
