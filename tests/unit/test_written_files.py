"""Files that commands write are there whole, or not at all."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.errors import InvalidInput
from recollect.interfaces.cli.files import target

KILLED = """
import os, signal, sys
from recollect.interfaces.cli.files import target
if sys.argv[2] == "with a name":
    del os.O_TMPFILE
with target(sys.argv[1]) as written:
    written.write(b"half")
    written.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def written_until_killed(path: Path, how: str) -> None:
    command = [sys.executable, "-c", KILLED, str(path), how]
    done = subprocess.run(command, check=False)  # a program of ours
    assert done.returncode == -signal.SIGKILL


@pytest.fixture(params=["without a name", "with a name"])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """On a disk with files that have no name, and on one without."""
    if request.param == "with a name":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return str(request.param)


@pytest.mark.usefixtures("how")
def test_a_file_is_there_once_it_is_complete_and_for_us_alone(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text("of last week")
    with target(str(path)) as written:
        written.write(b"of today")
        assert path.read_text() == "of last week"
    assert path.read_text() == "of today"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.usefixtures("how")
def test_what_fails_leaves_the_file_before_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text("of last week")
    with pytest.raises(ZeroDivisionError), target(str(path)) as written:
        written.write(b"%d" % (1 // 0))
    assert path.read_text() == "of last week"
    assert [*tmp_path.iterdir()] == [path]
    with pytest.raises(InvalidInput, match="cannot be written: No such file"):  # noqa: SIM117
        with target(str(tmp_path / "no folder" / "all.json")):
            pass


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="such files are Linux's")
def test_a_killed_writer_leaves_nothing_behind(tmp_path: Path) -> None:
    written_until_killed(tmp_path / "all.json", "without a name")
    assert [*tmp_path.iterdir()] == []


def test_where_a_killed_writer_leaves_a_part_the_next_one_removes_it_after_a_day(
    tmp_path: Path,
) -> None:
    written_until_killed(tmp_path / "monday.json", "with a name")
    (part,) = tmp_path.iterdir()
    theirs = tmp_path / ".other.part"
    theirs.write_text("of another program")
    path = tmp_path / "tuesday.json"
    with target(str(path)) as written:
        written.write(b"new")
    assert {*tmp_path.iterdir()} == {part, theirs, path}, "it may still be written"
    for old in (part, theirs):
        os.utime(old, (0, 0))
    with target(str(path)) as written:
        written.write(b"newer")
    assert {*tmp_path.iterdir()} == {theirs, path}
