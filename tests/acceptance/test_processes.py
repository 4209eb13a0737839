"""A server of several processes: any of them answers, and none is missed for long."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import httpx
import psutil
import pytest

from recollect.engines.postgres.embedded import EmbeddedServer
from support.effort import sample
from support.servers.http_servers import ServerProgram, free_port
from support.timeouts import PATIENCE

SIGNALS = [signal.SIGTERM, signal.SIGINT]
SETTINGS = {"MEMORY_PROCESSES": "2", "MEMORY_EMBEDDING_MODEL": "none"}

pytestmark = pytest.mark.slow(seconds=8)


def members(program: ServerProgram) -> set[int]:
    """The processes that the server has started to do its work."""
    found = set()
    for one in psutil.Process(program.pid).children():
        with contextlib.suppress(psutil.Error):  # it has just ended
            if "spawn_main" in " ".join(one.cmdline()):
                found.add(one.pid)
    return found


def connections(pid: int, port: int) -> int:
    """How many connections to the server's port a process serves."""
    found = psutil.Process(pid).net_connections("tcp")
    return sum(one.status == psutil.CONN_ESTABLISHED and one.laddr.port == port for one in found)


def has_idle_priority(pid: int) -> bool:
    """Whether a process works only when others do not."""
    if sys.platform != "linux":
        return os.getpriority(os.PRIO_PROCESS, pid) > 0
    return os.sched_getscheduler(pid) == os.SCHED_IDLE


def end_idle_priority(pid: int) -> None:
    """Let a process work as others do: beside other tests it would wait for minutes."""
    with contextlib.suppress(OSError, AttributeError):  # not on Linux, or not permitted
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setscheduler(int(thread.name), os.SCHED_OTHER, os.sched_param(0))


def worker_among(pids: set[int]) -> int:
    """The one process that works when others do not, once there is one."""
    until(lambda: any(map(has_idle_priority, pids)))
    (worker,) = filter(has_idle_priority, pids)
    end_idle_priority(worker)
    return worker


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.1)


def say(url: str, session_id: str) -> int:
    body = {"role": "user", "content": f"say {uuid4()}"}
    path = f"{url}/api/v1/sessions/{session_id}/messages"
    sequence: int = (
        httpx.post(path, json=body, timeout=PATIENCE).raise_for_status().json()["sequence"]
    )
    return sequence


def counted(page: str, series: str) -> float:
    """What the metrics tell of a counter."""
    text = httpx.get(page, timeout=PATIENCE).raise_for_status().text
    lines = (one.rpartition(" ") for one in text.splitlines())
    return sum(float(number) for name, _, number in lines if name == series)


def appended(page: str) -> float:
    """How many operations have stored messages."""
    return counted(page, 'recollect_operations_total{operation="messages.append",outcome="ok"}')


def handed_over(page: str) -> float:
    """How many requests went on to another process."""
    return counted(page, "recollect_http_handed_over_total")


def worker_of(program: ServerProgram) -> str:
    """How the background work stands, as any of the processes tells it."""
    ready = httpx.get(f"{program.url}/readyz", timeout=PATIENCE)
    return str(ready.json()["checks"]["worker"])


def end(program: ServerProgram, number: signal.Signals) -> list[psutil.Process]:
    """The processes that are still there a while after a signal has ended the first."""
    everyone = [psutil.Process(pid) for pid in members(program)]
    program.end(number)
    return psutil.wait_procs(everyone, timeout=PATIENCE)[1]


def test_two_server_processes_and_a_worker_share_one_memory_and_are_replaced_when_killed(
    home: Path,
) -> None:
    page = f"http://127.0.0.1:{free_port()}/metrics"
    port_of_metrics = {"MEMORY_METRICS_PORT": str(httpx.URL(page).port)}
    server = ServerProgram(home, env={**SETTINGS, **port_of_metrics}, is_preloaded=False)
    server.start()
    port = server.port
    until(lambda: len(members(server)) == 3)
    session_id = httpx.post(f"{server.url}/api/v1/sessions", json={}, timeout=PATIENCE).json()[
        "session_id"
    ]
    said: list[int] = []

    def say_more() -> bool:
        with ThreadPoolExecutor(8) as clients:
            said.extend(clients.map(lambda _: say(server.url, session_id), range(40)))
        return handed_over(page) > 0

    until(say_more)  # some come to the busy one of the two
    assert sorted(said) == list(range(1, len(said) + 1))
    assert appended(page) == len(said), "whichever process answers"
    before = members(server)
    worker = worker_among(before)
    with contextlib.ExitStack() as opened:
        clients = [
            opened.enter_context(httpx.Client(base_url=server.url, timeout=PATIENCE))
            for _ in range(16)
        ]
        assert all(client.get("/healthz").is_success for client in clients)
        served = sorted(connections(pid, port) for pid in before)
        assert (served[0], sum(served)) == (0, 16), "the worker has none"
        if sys.platform == "linux":
            assert served[1] > 0, "by chance once in 32,768 runs"

    for pid, number in zip(before - {worker}, (signal.SIGKILL, signal.SIGTERM), strict=True):
        os.kill(pid, number)
    until(lambda: len(members(server) - before) == 2)
    # Connections wait for the processes that take the places of these, and are not refused.
    until(lambda: httpx.get(f"{server.url}/readyz", timeout=PATIENCE).is_success)
    assert say(server.url, session_id) == len(said) + 1
    until(lambda: worker_of(server) == "ok")
    assert appended(page) == len(said) + 1, "no counter goes back with a process"

    os.kill(worker, signal.SIGKILL)
    until(lambda: worker_of(server) == "dead")
    until(lambda: len(members(server) - {worker}) == 3)
    worker_among(members(server))
    until(lambda: worker_of(server) == "ok")

    assert end(server, signal.SIGKILL) == []
    assert not EmbeddedServer(home).is_running(), "the last to leave stops it"


@pytest.mark.parametrize("number", sample(SIGNALS, of=[signal.SIGTERM]))
def test_all_processes_end_when_the_supervisor_is_stopped(
    shared_home: Path, number: signal.Signals
) -> None:
    settings = {**SETTINGS, "MEMORY_WORKER": "false"}
    server = ServerProgram(shared_home, env=settings, is_preloaded=False)
    server.start()
    until(lambda: len(members(server)) == 2)
    assert end(server, number) == []


@pytest.mark.parametrize("processes", sample(["1", "2"], of=["2"]))
def test_a_server_stopped_during_its_start_leaves_no_process_behind(
    empty_home: Path, processes: str
) -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "recollect", "serve", "--port", "0", "--processes", processes],
        env={**os.environ, "MEMORY_HOME": str(empty_home), "MEMORY_EMBEDDING_MODEL": "none"},
        stderr=subprocess.DEVNULL,
    )
    until(EmbeddedServer(empty_home).is_running)
    server.terminate()
    assert server.wait(PATIENCE) in {0, 1}
    until(lambda: not EmbeddedServer(empty_home).is_running())


def test_a_failing_start_of_several_processes_prints_its_error_once(tmp_path: Path) -> None:
    nowhere = f"postgresql://nobody:secret@127.0.0.1:{free_port()}/none"
    ended = subprocess.run(
        [sys.executable, "-m", "recollect", "serve", "--processes", "2", "--port", "0"],
        env={**os.environ, "MEMORY_HOME": str(tmp_path), "MEMORY_DB_CONNECTION_STRING": nowhere},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.count("recollect: ") == 1
    assert "Traceback" not in ended.stderr
    assert "secret" not in ended.stderr


@pytest.mark.parametrize("number", sample(SIGNALS, of=[signal.SIGTERM]))
def test_a_worker_that_gets_a_stop_signal_ends_without_a_traceback(
    home: Path, number: signal.Signals
) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-m", "recollect", "worker"],
        env={**os.environ, "MEMORY_HOME": str(home), "MEMORY_EMBEDDING_MODEL": "none"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert worker.stderr is not None
    until(lambda: "cleanup.done" in worker.stderr.readline())
    worker.send_signal(number)
    rest = worker.communicate(timeout=PATIENCE)[1]
    assert worker.returncode == 0
    assert "Traceback" not in rest
    assert not EmbeddedServer(home).is_running(), "the last to leave stops it"
