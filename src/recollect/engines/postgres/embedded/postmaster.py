"""The running server: who uses it, how it is found and stopped."""

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import psutil

from recollect.errors import EmbeddedServerFailed

_LOCK_POLL_SECONDS = 0.05
_STOP_SECONDS: Final = 60
_STOP_POLL_SECONDS: Final = 0.02


class Lease:
    """A share in a folder: many processes can hold one, the last to leave can know it."""

    def __init__(self, folder: Path) -> None:
        self._turn_file = folder / "turn.lock"
        self._users_file = folder / "users.lock"
        self._held: int | None = None

    @contextmanager
    def my_turn(self, *, timeout: float) -> Iterator[None]:
        """Start or stop the server while nobody else does."""
        descriptor = _open(self._turn_file)
        try:
            _lock_within(descriptor, timeout, self._turn_file)
            yield
        finally:
            os.close(descriptor)

    def join(self) -> None:
        """Be one of the users; call it in your turn."""
        if self._held is None:
            self._held = _open(self._users_file)
            fcntl.flock(self._held, fcntl.LOCK_SH)

    def leave(self) -> bool:
        """Be no user any more; whether nobody else is one. Call it in your turn."""
        if self._held is None:
            return False
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            return True
        finally:
            os.close(self._held)
            self._held = None


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise EmbeddedServerFailed(
            f"{path} cannot be opened ({error.strerror}); run as the owner of that folder, "
            "or set MEMORY_HOME to a folder of yours"
        ) from error


def _lock_within(descriptor: int, timeout: float, path: Path) -> None:
    deadline = time.monotonic() + timeout
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise EmbeddedServerFailed(
                    f"another process has been starting or stopping the server for over "
                    f"{timeout:.0f} seconds ({path} is locked)"
                ) from None
            time.sleep(_LOCK_POLL_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Postmaster:
    """The parent of all processes of a server."""

    process: psutil.Process

    @classmethod
    def of(cls, data: Path) -> Self | None:
        """The live server of a data folder, or None."""
        return cls.named_in(data / "postmaster.pid", data)

    @classmethod
    def named_in(cls, lock_file: Path, data: Path) -> Self | None:
        """The live server of the folder if this lock file names it.

        A file may be left over from a crash, and its number may be another process's by now.
        """
        pid = _read_pid(lock_file)
        if pid is None:
            return None
        try:
            process = psutil.Process(pid)
            is_ours = not _has_ended(process) and str(data) in process.cmdline()
        except psutil.NoSuchProcess:
            return None
        return cls(process=process) if is_ours else None

    def stop(self) -> None:
        """Stop the server: clients are cut off, what was committed is safe."""
        self.process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + _STOP_SECONDS
        while not _has_ended(self.process):
            if time.monotonic() > deadline:
                raise EmbeddedServerFailed(
                    f"the embedded PostgreSQL (process {self.process.pid}) did not stop within "
                    f"{_STOP_SECONDS} seconds; it goes on running, no data is lost"
                )
            time.sleep(_STOP_POLL_SECONDS)
        with suppress(psutil.TimeoutExpired):
            self.process.wait(0)  # collects it where it is our own child


def drop_if_stale(lock_file: Path, data: Path) -> None:
    """Delete a lock file that names no live server of this folder; PostgreSQL would believe it."""
    if lock_file.exists() and Postmaster.named_in(lock_file, data) is None:
        lock_file.unlink(missing_ok=True)


def _has_ended(process: psutil.Process) -> bool:
    """Whether a process has ended, also where its parent has not collected it, or never does.

    In a container the first process becomes the server's parent, and may take seconds for that.
    """
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _read_pid(lock_file: Path) -> int | None:
    try:
        pid = int(lock_file.read_text(encoding="utf-8").split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None
    return pid if pid > 0 else None
