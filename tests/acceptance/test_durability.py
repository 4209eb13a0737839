"""Nothing acknowledged is lost by kill -9, of the server or of PostgreSQL, nor doubled."""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from recollect.engines.postgres.embedded.postmaster import Postmaster
from support.durability import Writer, check_nothing_lost, start_session
from support.servers.http_servers import ServerProgram
from support.timeouts import PATIENCE

ROUNDS = int(os.environ.get("RECOLLECT_KILLS", "2"))


def kill_postmaster(home: Path) -> None:
    postmaster = Postmaster.of(home / "postgres-18")
    assert postmaster is not None
    postmaster.process.kill()


def kill_server(server: ServerProgram, home: Path) -> None:
    server.kill()


def kill_server_and_database(server: ServerProgram, home: Path) -> None:
    kill_postmaster(home)
    server.kill()


def kill_database(server: ServerProgram, home: Path) -> None:
    kill_postmaster(home)


@pytest.mark.slow
@pytest.mark.parametrize("kill", [kill_server, kill_server_and_database, kill_database])
def test_every_acknowledged_message_survives_a_kill(
    server: ServerProgram, home: Path, kill: Callable[[ServerProgram, Path], None]
) -> None:
    session_id = start_session(server.url)
    acknowledged: list[str] = []
    for _ in range(ROUNDS):
        writer = Writer(server.url, session_id)
        writer.start()
        writer.wait_for_an_answer()
        time.sleep(random.uniform(0, 1))  # noqa: S311  # a moment, not a secret
        kill(server, home)
        writer.join()
        acknowledged += writer.acknowledged
        if not server.is_running:
            server.start()
        wait_until_ready(server.url)
        check_nothing_lost(server, session_id, acknowledged)
    assert acknowledged


def wait_until_ready(url: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        response = httpx.get(f"{url}/readyz", timeout=PATIENCE)
        if response.is_success:
            return
        assert response.status_code == 503
        assert response.json().keys() == {"error", "detail", "status", "checks"}
        time.sleep(0.1)
    raise TimeoutError("the database did not come back")
