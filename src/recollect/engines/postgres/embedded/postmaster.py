"""The running server: found, told from strangers, and stopped."""

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import psutil

from recollect.errors import EmbeddedServerFailed

_STOP_SECONDS: Final = 60


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
            is_dead = process.status() == psutil.STATUS_ZOMBIE
            is_ours = not is_dead and str(data) in process.cmdline()
        except psutil.NoSuchProcess:
            return None
        return cls(process=process) if is_ours else None

    def stop(self) -> None:
        """Stop the server: clients are cut off, what was committed is safe."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(_STOP_SECONDS)
        except psutil.TimeoutExpired:
            raise EmbeddedServerFailed(
                f"the embedded PostgreSQL (process {self.process.pid}) did not stop within "
                f"{_STOP_SECONDS} seconds; it goes on running, no data is lost"
            ) from None


def drop_if_stale(lock_file: Path, data: Path) -> None:
    """Delete a lock file that names no live server of this folder; PostgreSQL would believe it."""
    if lock_file.exists() and Postmaster.named_in(lock_file, data) is None:
        lock_file.unlink(missing_ok=True)


def _read_pid(lock_file: Path) -> int | None:
    try:
        pid = int(lock_file.read_text(encoding="utf-8").split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None
    return pid if pid > 0 else None
