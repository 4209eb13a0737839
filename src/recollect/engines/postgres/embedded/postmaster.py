"""The running server: found, told from strangers, and stopped."""

import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import psutil

from recollect.errors import EmbeddedServerFailed

_STOP_SECONDS: Final = 60
_POLL_SECONDS: Final = 0.02


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
            time.sleep(_POLL_SECONDS)
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
