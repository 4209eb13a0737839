import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.engines.postgres.embedded import EmbeddedServer
from recollect.engines.postgres.embedded.postmaster import Postmaster
from recollect.engines.postgres.embedded.programs import Account, Binaries
from recollect.errors import EmbeddedServerFailed
from support.timeouts import PATIENCE

Ask = Callable[[str, str], object]

HOLD = """
import sys
from pathlib import Path
from recollect.engines.postgres.embedded import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]))
server.start()
print("up", flush=True)
sys.stdin.readline()
server.stop()
"""


def hold_server(home: Path) -> subprocess.Popen[str]:
    """Another process that uses the folder until it is told to go."""
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_until_up(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"


def end_process(process: subprocess.Popen[str]) -> None:
    process.communicate("\n", timeout=PATIENCE)
    assert process.returncode == 0


def test_committed_data_is_still_there_after_a_restart(empty_home: Path, ask: Ask) -> None:
    server = EmbeddedServer(empty_home)
    ask(server.start(), "CREATE TABLE kept AS SELECT 42 AS answer")
    server.stop()
    assert not server.is_running()
    assert ask(server.start(), "SELECT answer FROM kept") == 42
    server.stop()


def test_the_last_user_stops_the_server(home: Path, ask: Ask) -> None:
    first, second = EmbeddedServer(home), EmbeddedServer(home)
    dsn = first.start()
    assert second.start() == dsn
    first.stop()
    assert ask(dsn, "SELECT 1") == 1
    second.stop()
    assert not second.is_running()


def test_stopping_twice_does_not_stop_the_server_of_others(home: Path, ask: Ask) -> None:
    first, second = EmbeddedServer(home), EmbeddedServer(home)
    dsn = first.start()
    second.start()
    second.stop()
    second.stop()
    assert ask(dsn, "SELECT 1") == 1
    first.stop()


def test_another_process_shares_the_server(home: Path, ask: Ask) -> None:
    other = hold_server(home)
    wait_until_up(other)
    server = EmbeddedServer(home)
    dsn = server.start()
    end_process(other)
    assert ask(dsn, "SELECT 1") == 1
    server.stop()
    assert not server.is_running()


@pytest.mark.slow
def test_processes_that_start_at_once_on_an_empty_folder_share_one_server(empty_home: Path) -> None:
    empty_home.mkdir()
    others = [hold_server(empty_home) for _ in range(4)]
    for other in others:
        wait_until_up(other)
    for other in others:
        end_process(other)
    assert not EmbeddedServer(empty_home).is_running()


def test_other_users_of_the_machine_can_reach_neither_data_nor_socket(empty_home: Path) -> None:
    server = EmbeddedServer(empty_home)
    server.start()
    for folder in (empty_home / "postgres-18", empty_home / "run"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((empty_home / "run" / ".s.PGSQL.5432").stat().st_mode) == 0o700
    server.stop()


def test_a_path_too_long_for_a_socket_works_all_the_same(open_folder: Path, ask: Ask) -> None:
    server = EmbeddedServer(open_folder / ("long" * 25))
    assert ask(server.start(), "SELECT 1") == 1
    server.stop()


def test_a_folder_that_cannot_be_created_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EmbeddedServerFailed, match="MEMORY_HOME"):
        EmbeddedServer(tmp_path / "file" / "home").start()


def test_a_folder_of_another_account_is_an_error_that_says_what_to_do(empty_home: Path) -> None:
    # Root may open every file, so a lock that nobody can open stands for one that is not ours.
    (empty_home / "turn.lock").mkdir(parents=True)

    with pytest.raises(EmbeddedServerFailed, match="MEMORY_HOME to a folder of yours"):
        EmbeddedServer(empty_home).start()


def test_a_server_that_refuses_to_start_says_why_and_keeps_its_data(home: Path) -> None:
    server = EmbeddedServer(home)
    server.start()
    server.stop()
    configuration = home / "postgres-18" / "postgresql.conf"
    usual = configuration.read_text()
    configuration.write_text(usual + "\nno_such_setting = on\n")
    with pytest.raises(EmbeddedServerFailed, match="no_such_setting"):
        server.start()
    configuration.write_text(usual)
    server.start()
    server.stop()


def test_programs_in_a_closed_folder_are_copied_for_an_account_that_cannot_enter(
    tmp_path: Path,
) -> None:
    stranger = Account(uid=54321, gid=54321)
    tmp_path.chmod(0o700)
    closed = Binaries.from_wheel().reachable_by(stranger, tmp_path)
    copied = Binaries(folder=closed.folder).reachable_by(stranger, tmp_path)
    answer = subprocess.run(
        [copied.program("postgres"), "--version"], check=True, capture_output=True, text=True
    )
    assert "PostgreSQL) 18" in answer.stdout


def test_a_strangers_process_is_not_taken_for_the_server(empty_home: Path, tmp_path: Path) -> None:
    empty_home.mkdir()
    lock_file = tmp_path / "postmaster.pid"
    lock_file.write_text("1\n")
    assert Postmaster.named_in(lock_file, empty_home) is None
