import asyncio
from pathlib import Path

import asyncpg
import pytest

from recollect.engines.postgres.embedded import EmbeddedServer, running_server
from recollect.engines.postgres.embedded import server as keeper
from recollect.engines.postgres.embedded.postmaster import Postmaster
from support.timeouts import PATIENCE


async def test_a_server_that_dies_under_its_user_comes_back_by_itself(home: Path) -> None:
    async with running_server(home) as dsn:
        postmaster = Postmaster.of(home / "postgres-18")
        assert postmaster is not None
        postmaster.process.kill()
        async with asyncio.timeout(PATIENCE):
            await _until_another_than(postmaster, home / "postgres-18")
            assert await _first_answer(dsn) == 1
    assert not EmbeddedServer(home).is_running()


async def _until_another_than(killed: Postmaster, data: Path) -> None:
    while (now := Postmaster.of(data)) is None or now.process.pid == killed.process.pid:  # noqa: ASYNC110
        await asyncio.sleep(0.05)


async def _first_answer(dsn: str) -> int:
    while True:
        try:
            return await _ask(dsn)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            await asyncio.sleep(0.05)


async def _ask(dsn: str) -> int:
    connection = await asyncpg.connect(dsn)
    try:
        answer: int = await connection.fetchval("SELECT 1")
    finally:
        await connection.close()
    return answer


async def test_a_process_of_lowered_priority_does_not_restart_the_server(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it starts would work only when nobody else wants to, for as long as it runs."""
    looked = asyncio.Event()
    monkeypatch.setattr(keeper, "_has_stepped_back", lambda: looked.set() or True)
    async with running_server(home):
        postmaster = Postmaster.of(home / "postgres-18")
        assert postmaster is not None
        postmaster.process.kill()
        async with asyncio.timeout(PATIENCE):
            await looked.wait()
        await asyncio.sleep(2)
        assert not EmbeddedServer(home).is_running()
        monkeypatch.setattr(keeper, "_has_stepped_back", lambda: False)
        async with asyncio.timeout(PATIENCE), running_server(home) as dsn:
            assert await _first_answer(dsn) == 1
