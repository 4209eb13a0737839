"""Who uses a data folder, told by locks that the kernel releases even after kill -9."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.errors import EmbeddedServerFailed

_POLL_SECONDS = 0.05


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
            time.sleep(_POLL_SECONDS)
