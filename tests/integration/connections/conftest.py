"""The program that users start, with limits that a test can reach."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.engines.postgres.connection.database import Database
from support.servers.http_servers import ServerProgram, free_port

WITHOUT_WORK = {"MEMORY_EMBEDDING_MODEL": "none", "MEMORY_WORKER": "false"}
SMALL = {
    "MEMORY_MAX_HEADER_BYTES": "20000",
    "MEMORY_MAX_HEADERS": "30",
    "MEMORY_HEADER_TIMEOUT_SECONDS": "1",
    "MEMORY_BODY_TIMEOUT_SECONDS": "1",
    "MEMORY_KEEP_ALIVE_SECONDS": "2",
}


@pytest.fixture(scope="session")
def impatient(shared_home: Path, database: Database) -> Iterator[ServerProgram]:
    """A server with small limits."""
    program = ServerProgram(shared_home, port=free_port(), env={**WITHOUT_WORK, **SMALL})
    program.start()
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
