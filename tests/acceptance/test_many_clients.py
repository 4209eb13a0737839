"""Many clients at once on kept connections: each of them gets all its answers."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from recollect.engines.postgres.connection.database import Database
from support.effort import sample
from support.http.raw_connections import Connection, connected
from support.servers.http_servers import ServerProgram, free_port

CLIENTS = 300

pytestmark = pytest.mark.slow(seconds=10)


@pytest.mark.parametrize("processes", sample(["1", "2"], of=["2"]))
async def test_no_request_of_hundreds_of_clients_is_reset(
    shared_home: Path, database: Database, processes: str
) -> None:
    env = {
        "MEMORY_PROCESSES": processes,
        "MEMORY_EMBEDDING_MODEL": "none",
        "MEMORY_WORKER": "false",
        "MEMORY_DB_MAX_CONNECTIONS": "5",
    }
    is_alone = processes == "1"  # the others start Python anew, and look for what was started
    server = ServerProgram(shared_home, port=free_port(), env=env, is_preloaded=is_alone)
    await asyncio.to_thread(server.start)

    async def ask(connection: Connection) -> int:
        return (await connection.request("GET", "/api/v1/sessions")).status

    try:
        async with AsyncExitStack() as opened:
            everybody = await asyncio.gather(
                *(opened.enter_async_context(connected(server.url)) for _ in range(CLIENTS))
            )
            for _ in range(2):
                statuses = await asyncio.gather(*map(ask, everybody))
                assert set(statuses) == {200}
    finally:
        await asyncio.to_thread(server.stop)
