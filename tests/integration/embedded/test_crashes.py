"""What the launcher copes with: killed processes, stale files, slow recoveries."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from recollect.engines.postgres.embedded import EmbeddedServer
from recollect.engines.postgres.embedded.postmaster import Postmaster
from recollect.errors import EmbeddedServerFailed

Ask = Callable[[str, str], object]

START_AND_HANG = """
import sys, time
from pathlib import Path
from recollect.engines.postgres.embedded import EmbeddedServer
EmbeddedServer(Path(sys.argv[1])).start()
print("up", flush=True)
time.sleep(600)
"""

NEVER_COLLECT = """
import ctypes, sys
from pathlib import Path
from recollect.engines.postgres.embedded import EmbeddedServer
become_parent_of_orphans = 36
ctypes.CDLL(None).prctl(become_parent_of_orphans, 1)
EmbeddedServer(Path(sys.argv[1])).start()
print("up", flush=True)
sys.stdin.readline()
"""


def postmaster_of(home: Path) -> psutil.Process:
    postmaster = Postmaster.of(home / "postgres-18")
    assert postmaster is not None
    return postmaster.process


def test_a_killed_user_leaves_a_server_that_the_next_one_takes_over(home: Path, ask: Ask) -> None:
    user = subprocess.Popen(
        [sys.executable, "-c", START_AND_HANG, str(home)], stdout=subprocess.PIPE, text=True
    )
    assert user.stdout is not None
    user.stdout.readline()
    user.kill()
    user.communicate()
    survivor = postmaster_of(home)
    server = EmbeddedServer(home)
    assert ask(server.start(), "SELECT 1") == 1
    assert postmaster_of(home).pid == survivor.pid
    server.stop()
    assert not server.is_running()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt orphans")
def test_a_server_that_its_parent_never_collects_is_stopped_all_the_same(home: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", NEVER_COLLECT, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    parent.stdout.readline()
    process = postmaster_of(home)
    assert process.ppid() == parent.pid

    Postmaster(process=process).stop()

    assert process.status() == psutil.STATUS_ZOMBIE
    assert not EmbeddedServer(home).is_running()
    parent.communicate("\n")


def test_a_killed_server_is_started_again_with_everything_committed(home: Path, ask: Ask) -> None:
    server = EmbeddedServer(home)
    ask(server.start(), "CREATE TABLE kept AS SELECT 42 AS answer")
    for _ in range(3):
        postmaster_of(home).kill()
        server.ensure_running()
        assert ask(server.dsn, "SELECT answer FROM kept") == 42
    server.stop()


def test_another_process_can_start_a_killed_server_at_once(home: Path, ask: Ask) -> None:
    first = EmbeddedServer(home)
    first.start()
    postmaster_of(home).kill()
    second = EmbeddedServer(home)
    assert ask(second.start(), "SELECT 1") == 1
    second.stop()
    first.stop()
    assert not first.is_running()


@pytest.mark.parametrize("left_over", ["{pid}\n/elsewhere\n", "999999\n", "", "not a number\n"])
def test_stale_lock_files_do_not_keep_the_server_from_starting(
    home: Path, ask: Ask, left_over: str
) -> None:
    server = EmbeddedServer(home)
    server.start()
    server.stop()
    # Another live process now has the number that the crashed server had.
    text = left_over.format(pid=os.getpid())
    (home / "postgres-18" / "postmaster.pid").write_text(text)
    (home / "run" / ".s.PGSQL.5432.lock").write_text(text)
    assert ask(server.start(), "SELECT 1") == 1
    server.stop()


def test_a_half_made_cluster_is_made_anew(empty_home: Path, ask: Ask) -> None:
    unfinished = empty_home / "postgres-18.new" / "base"
    unfinished.mkdir(parents=True)
    server = EmbeddedServer(empty_home)
    assert ask(server.start(), "SELECT 1") == 1
    server.stop()


def test_a_server_that_takes_its_time_is_waited_for(home: Path, ask: Ask) -> None:
    server = EmbeddedServer(home)
    server.start()
    slow = postmaster_of(home)
    slow.send_signal(signal.SIGSTOP)
    threading.Timer(2, slow.send_signal, (signal.SIGCONT,)).start()
    began = time.monotonic()
    patient = EmbeddedServer(home)
    assert ask(patient.start(), "SELECT 1") == 1
    assert time.monotonic() - began > 1.5
    patient.stop()
    server.stop()


def test_a_server_that_takes_too_long_is_reported_and_left_alone(home: Path, ask: Ask) -> None:
    server = EmbeddedServer(home)
    server.start()
    slow = postmaster_of(home)
    slow.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(EmbeddedServerFailed, match="try again later"):
            EmbeddedServer(home, start_seconds=0.5).start()
    finally:
        slow.send_signal(signal.SIGCONT)
    assert postmaster_of(home).pid == slow.pid
    assert ask(server.dsn, "SELECT 1") == 1
    server.stop()
