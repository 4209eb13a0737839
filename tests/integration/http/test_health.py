"""What the server says of its own health, and when."""

import asyncio
import threading
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import system
from recollect.errors import ConfigurationError, DatabaseUnavailable
from recollect.interfaces.http.app import create_app
from recollect.interfaces.http.routes import health
from recollect.interfaces.http.serving.server import _warm
from recollect.interfaces.worker import Heartbeat
from recollect.memory import Memory
from recollect.services.privacy.archive_access import ArchiveAccess
from recollect.services.services import Services
from recollect.settings import load_settings
from recollect.system import DiskState, SystemClock, disk_space
from support.archives import folder_archive
from support.http.callers import Caller
from support.servers.http_servers import serving

REASON = "ConnectionRefusedError: [Errno 111] Connect call failed ('10.1.2.3', 5432)"


@pytest.mark.parametrize(("path", "status"), [("/healthz", "ok"), ("/readyz", "ready")])
async def test_health_needs_no_credentials(anonymous: Caller, path: str, status: str) -> None:
    response = await anonymous.get(path)

    assert (response.status_code, response.json()["status"]) == (200, status)


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json"])
async def test_a_head_is_answered_as_a_get_without_its_body(anonymous: Caller, path: str) -> None:
    whole, head = await anonymous.get(path), await anonymous.send("HEAD", path)

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == str(len(whole.content))
    assert head.headers["Content-Type"] == whole.headers["Content-Type"]


async def test_a_server_without_its_database_lives_but_is_not_ready(
    anonymous: Caller, services: Services, caplog: pytest.LogCaptureFixture
) -> None:
    async def is_answering() -> bool:
        raise DatabaseUnavailable("the database does not answer", reason=REASON)

    app = create_app(Memory(services, is_answering=is_answering), load_settings())
    async with serving(app) as url:
        caller = Caller(client=anonymous.client, url=url)
        alive, ready = await caller.get("/healthz"), await caller.get("/readyz")

    assert alive.status_code == 200
    assert ready.status_code == 503
    assert ready.json() == {
        "error": "Service Unavailable",
        "detail": "the database does not answer",
        "status": "unavailable",
        "checks": {"database": "unavailable", "worker": "elsewhere", "disk": "ok"},
    }
    assert ready.headers["Retry-After"]
    assert ready.headers["X-Readiness"] == "unavailable"
    (logged,) = (r for r in caplog.records if r.getMessage() == "http.unavailable")
    assert logged.facts["reason"] == REASON  # type: ignore[attr-defined]


async def test_a_dead_worker_is_reported_while_requests_are_still_served(
    anonymous: Caller, memory: Memory
) -> None:
    pulse = Heartbeat()
    async with serving(create_app(memory, load_settings(), pulse=pulse)) as url:
        caller = Caller(client=anonymous.client, url=url)
        well = await caller.get("/readyz")
        pulse.stop()
        dead = await caller.get("/readyz")
        pulse.beat(is_failing=True)
        failing = await caller.get("/readyz")

    told = [(one.status_code, one.headers["X-Readiness"]) for one in (well, dead, failing)]
    assert told == [(200, "ready"), (200, "degraded"), (200, "degraded")]
    states = [one.json()["checks"]["worker"] for one in (well, dead, failing)]
    assert states == ["ok", "dead", "restarting"]


@pytest.mark.parametrize(
    ("limit", "status", "disk"), [("_LOW_BYTES", 200, "low"), ("_FULL_BYTES", 503, "full")]
)
async def test_low_disk_space_is_reported_and_a_full_disk_is_not_ready(
    anonymous: Caller,
    memory: Memory,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    status: int,
    disk: str,
) -> None:
    monkeypatch.setattr(system, limit, 10**18)
    async with serving(create_app(memory, load_settings())) as url:
        response = await Caller(client=anonymous.client, url=url).get("/readyz")

    assert (response.status_code, response.json()["checks"]["disk"]) == (status, disk)
    assert response.json()["status"] == ("degraded" if status == 200 else "unavailable")


async def test_a_database_elsewhere_that_has_no_disk_space_left_is_not_ready(
    anonymous: Caller, services: Services
) -> None:
    memory = Memory(services, was_full_lately=lambda: True)
    async with serving(create_app(memory, load_settings())) as url:
        response = await Caller(client=anonymous.client, url=url).get("/readyz")

    assert (response.status_code, response.json()["detail"]) == (503, "the disk is full")


def test_a_folder_that_is_not_there_yet_is_judged_by_the_one_above(tmp_path: Path) -> None:
    assert disk_space(tmp_path / "not" / "there")[0] == disk_space(tmp_path)[0]


async def test_a_hanging_disk_blocks_only_one_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, looks = threading.Event(), 0

    def hanging(_home: Path) -> tuple[DiskState, int]:
        nonlocal looks
        looks += 1
        goes_on.wait()
        return DiskState.LOW, 0

    monkeypatch.setattr(health, "_DISK_SECONDS", 0.01)
    monkeypatch.setattr(health, "disk_space", hanging)
    disk = health.Disk(tmp_path)

    assert [await disk.state() for _ in range(5)] == [DiskState.UNKNOWN] * 5
    assert looks == 1

    goes_on.set()
    monkeypatch.setattr(health, "_DISK_SECONDS", 60)
    assert await disk.state() == DiskState.LOW


async def test_an_archive_that_cannot_be_used_is_degraded_logged_once_and_well_again_later(
    anonymous: Caller,
    services: Services,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(health, "_PART_SECONDS", 0.0)
    folder, clock = tmp_path / "archive", SystemClock()
    archive = ArchiveAccess(
        store=folder_archive(folder), owner_import=services.owner_import, clock=clock
    )
    memory = Memory(replace(services, archive=archive))
    async with serving(create_app(memory, load_settings())) as url:
        caller = Caller(client=anonymous.client, url=url)
        missing = [await caller.get("/readyz") for _ in range(2)]
        folder.mkdir()
        there = await caller.get("/readyz")

    assert [one.status_code for one in (*missing, there)] == [200] * 3
    assert {one.headers["X-Readiness"] for one in missing} == {"degraded"}
    assert {one.json()["checks"]["archive"] for one in missing} == {"unusable"}
    assert (there.json()["status"], there.json()["checks"]["archive"]) == ("ready", "ok")
    (logged,) = (one for one in caplog.records if one.getMessage() == "archive.unavailable")
    assert str(folder) in logged.facts["problem"]  # type: ignore[attr-defined]


async def test_an_archive_that_is_missing_is_logged_when_a_server_starts(
    services: Services, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    archive = ArchiveAccess(
        store=folder_archive(tmp_path / "missing"),
        owner_import=services.owner_import,
        clock=SystemClock(),
    )
    memory = Memory(replace(services, archive=archive))
    await _warm(memory, health.Readiness.of(memory, pulse=None, home=None))
    assert [one for one in caplog.records if one.getMessage() == "archive.unavailable"]


@dataclass
class MasterKeys:
    """The keys of a memory that another process may rotate, or that do not answer."""

    problem: Exception | None = None
    hangs: bool = False
    looks: int = 0

    async def check_keys(self) -> None:
        """Raise the problem, if there is one."""
        self.looks += 1
        if self.hangs:
            await asyncio.sleep(60)
        if self.problem is not None:
            raise self.problem


@pytest.mark.parametrize(
    ("keys", "state"),
    [
        (MasterKeys(), "ok"),
        (MasterKeys(ConfigurationError("the master key 'b' is not there")), "unusable"),
        (MasterKeys(DatabaseUnavailable("the database does not answer")), "unknown"),
        (MasterKeys(hangs=True), "unknown"),
    ],
    ids=["ok", "rotated", "no database", "hangs"],
)
async def test_keys_are_looked_at_now_and_then_and_never_waited_for(
    anonymous: Caller, services: Services, keys: MasterKeys, state: str
) -> None:
    some: Any = object()
    memory = Memory(replace(services, encryption=some, check_keys=keys.check_keys))
    async with serving(create_app(memory, load_settings())) as url:
        caller = Caller(client=anonymous.client, url=url)
        answers = [await caller.get("/readyz") for _ in range(2)]

    assert keys.looks == 1, "the second answer is within half a minute"
    assert {one.json()["checks"]["encryption"] for one in answers} == {state}
    assert {one.json()["status"] for one in answers} == {"ready" if state == "ok" else "degraded"}
    assert all(one.elapsed < timedelta(seconds=1.5) for one in answers)


async def test_a_server_without_a_master_key_is_not_ready_once_others_encrypt(
    anonymous: Caller, services: Services
) -> None:
    keys = MasterKeys(ConfigurationError("MEMORY_ENCRYPTION_KEY is not set"))
    memory = Memory(replace(services, check_keys=keys.check_keys))
    async with serving(create_app(memory, load_settings())) as url:
        answer = await Caller(client=anonymous.client, url=url).get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "unavailable")
    assert answer.json()["checks"]["encryption"] == "unusable"
    assert "this server has no MEMORY_ENCRYPTION_KEY" in answer.json()["detail"]


async def test_a_server_without_a_master_key_is_ready_where_keys_are_not_found_in_time(
    anonymous: Caller, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_LOOK_SECONDS", 0.01)
    memory = Memory(replace(services, check_keys=MasterKeys(hangs=True).check_keys))
    async with serving(create_app(memory, load_settings())) as url:
        answer = await Caller(client=anonymous.client, url=url).get("/readyz")
    assert answer.status_code == 200
    assert "encryption" not in answer.json()["checks"]


async def test_without_archive_and_encryption_nothing_is_told_of_them(anonymous: Caller) -> None:
    checks = (await anonymous.get("/readyz")).json()["checks"]
    assert {*checks} == {"database", "worker", "disk"}
