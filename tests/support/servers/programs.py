"""`recollect`, or a file of Python, in a process of its own that has loaded most modules."""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Final, TypeAlias

from support.servers import recollect_command
from support.servers.clusters import only_one_process
from support.timeouts import PATIENCE

_TESTS: Final = Path(__file__).parents[2]
_COMMANDS: Final = Path(__file__).parent / "commands"
_RECOLLECT: Final = "recollect"
_FOLDER: Final = "RECOLLECT_TESTS_HOME"
"""Environment variable: the folder of one run of the tests, which `conftest.py` makes."""
_NO_THREADS: Final = {"OPENBLAS_NUM_THREADS": "1", "ORT_DISABLE_TELEMETRY": "1"}
"""Environment in which numpy and onnxruntime start no thread, which a fork would lose."""


class PreloadedProgram:
    """A program that `preloaded_process.py` forked; it offers what `Popen` does."""

    def __init__(
        self, words: tuple[str, ...], *, env: Mapping[str, str], folder: Path, streams: list[int]
    ) -> None:
        self._report, reporting = os.pipe()
        request = {"words": words, "env": dict(env), "folder": str(folder)}
        try:
            socket.send_fds(_preloaded(), [json.dumps(request).encode()], [*streams, reporting])
        finally:
            os.close(reporting)
        self._reported = b""
        self.returncode: int | None = None
        while b"\n" not in self._reported:
            self._read_report()
        self.pid = int(self._reported.split()[0])  # a short one may have ended already

    def poll(self) -> int | None:
        """The exit code, once it has ended."""
        return self._ended_within(0)

    def wait(self, timeout: float) -> int:
        """The exit code; an error if it has not ended in time."""
        code = self._ended_within(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(_RECOLLECT, timeout)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def _ended_within(self, seconds: float) -> int | None:
        if self.returncode is None and select.select([self._report], [], [], seconds)[0]:
            while self._read_report():
                pass
            os.close(self._report)
            self.returncode = int(self._reported.split()[1])
        return self.returncode

    def _read_report(self) -> bytes:
        read = os.read(self._report, 100)
        assert read or self._reported, "the process that forks programs has ended"
        self._reported += read
        return read


@cache
def _preloaded() -> socket.socket:
    """The socket for the requests of this process, to what all processes of a parallel run share.

    To load it takes four seconds; it ends once all have closed theirs.
    """
    place = Path(os.environ[_FOLDER]) / "programs.socket"
    ours = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with only_one_process(place.with_suffix(".lock")):
        try:
            ours.connect(str(place))
        except (FileNotFoundError, ConnectionRefusedError):
            place.unlink(missing_ok=True)
            process = _start_preloaded(place)
            ours.connect(str(place))
            atexit.register(_wait_for, process)
    atexit.register(ours.close)  # before it is waited for: the last that is registered is the first
    return ours


def _start_preloaded(place: Path) -> subprocess.Popen[bytes]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(place))
        listener.listen()
        return subprocess.Popen(
            [sys.executable, "-m", "support.servers.preloaded_process", str(listener.fileno())],
            cwd=_TESTS,
            env={**os.environ, **_NO_THREADS},
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )


def _wait_for(process: subprocess.Popen[bytes]) -> None:
    """Let it end before this process, unless others have it do more for long."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)


Program: TypeAlias = PreloadedProgram | subprocess.Popen[bytes]


def start_program(
    *words: str,
    env: Mapping[str, str],
    folder: Path | None = None,
    streams: tuple[IO[bytes] | int | None, IO[bytes] | None, IO[bytes] | None] = (None, None, None),
    is_preloaded: bool = True,
) -> Program:
    """Start `recollect`, or a file of Python, with an environment and nothing else.

    Streams that are None lead nowhere. Where coverage is measured, which begins with a process,
    Python always starts anew.
    """
    command = [sys.executable, *(["-m"] if words[0] == _RECOLLECT else []), *words]
    folder = folder or Path.cwd()
    with Path(os.devnull).open("r+b") as nothing:
        chosen = [nothing if stream is None else stream for stream in streams]
        if is_preloaded and "COVERAGE_PROCESS_START" not in os.environ:
            numbers = [one if isinstance(one, int) else one.fileno() for one in chosen]
            return PreloadedProgram(words, env=env, folder=folder, streams=numbers)
        given, out, err = chosen
        return subprocess.Popen(command, env=env, cwd=folder, stdin=given, stdout=out, stderr=err)


def run_program(
    *words: str, env: Mapping[str, str], typed: str = "", folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and return its output."""
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            program = start_program(*words, env=env, folder=folder, streams=(reading, out, err))
        finally:
            os.close(reading)
        with os.fdopen(writing, "w") as terminal:
            terminal.write(typed)
        try:
            code = program.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            program.send_signal(signal.SIGKILL)
            raise
        out.seek(0)
        err.seek(0)
        said = out.read().decode(), err.read().decode()
    return subprocess.CompletedProcess(words, code, *said)


def run_shell(script: str, *, env: Mapping[str, str], folder: Path) -> str:
    """Run a script of bash, where `recollect` and `python` are preloaded, and return its output."""
    descriptor = _preloaded().fileno()
    is_preloaded = "COVERAGE_PROCESS_START" not in os.environ
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],  # noqa: S607  # whichever the reader has
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env={
            **env,
            "PATH": f"{_COMMANDS}{os.pathsep}{env['PATH']}" if is_preloaded else env["PATH"],
            recollect_command.DESCRIPTOR: str(descriptor),
            recollect_command.PYTHON: sys.executable,
        },
        pass_fds=[descriptor],
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def run_recollect(
    *words: str, env: Mapping[str, str], typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run `recollect` to its end, with settings added to our own environment."""
    return run_program(_RECOLLECT, *words, env={**os.environ, **env}, typed=typed)
