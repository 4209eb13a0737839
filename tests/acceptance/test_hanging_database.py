"""A PostgreSQL that hangs: the server says so while it hangs, and goes on when it goes on."""

from pathlib import Path

import httpx
import psutil
import pytest

from recollect.engines.postgres.embedded.postmaster import Postmaster
from support.serving import ServerProgram

pytestmark = pytest.mark.slow


def test_a_server_is_not_ready_while_its_database_hangs(server: ServerProgram, home: Path) -> None:
    before = httpx.get(f"{server.url}/readyz", timeout=60).json()
    processes = processes_of(home)
    for process in processes:
        process.suspend()
    try:
        hanging = httpx.get(f"{server.url}/readyz", timeout=60)
        alive = httpx.get(f"{server.url}/healthz", timeout=60)
        assert {process.status() for process in processes} == {psutil.STATUS_STOPPED}
    finally:
        for process in processes:
            process.resume()

    assert before["checks"] == {"database": "ok", "worker": "ok", "disk": before["checks"]["disk"]}
    assert (alive.status_code, hanging.status_code) == (200, 503)
    assert hanging.json()["checks"]["database"] == "unavailable"
    started = httpx.post(f"{server.url}/api/v1/sessions", json={}, timeout=60)
    assert started.status_code == 201


def processes_of(home: Path) -> list[psutil.Process]:
    postmaster = Postmaster.of(home / "postgres-18")
    assert postmaster is not None
    return [postmaster.process, *postmaster.process.children(recursive=True)]
