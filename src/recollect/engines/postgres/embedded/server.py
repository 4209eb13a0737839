"""The embedded PostgreSQL of a folder: started, kept running and stopped."""

import asyncio
import logging
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from recollect.concurrency import TaskSupervisor
from recollect.engines.postgres.embedded.portable_pgvector import library_folder
from recollect.engines.postgres.embedded.postmaster import Lease, Postmaster, drop_if_stale
from recollect.engines.postgres.embedded.programs import (
    MAJOR_VERSION,
    PORT,
    Account,
    Answer,
    Binaries,
    ask_server,
    launch_server,
    make_cluster,
    start_log,
)
from recollect.errors import EmbeddedServerFailed

DEFAULT_START_SECONDS: Final = 300
_POLL_SECONDS: Final = 0.05
_PROGRESS_SECONDS: Final = 5
_MAX_SOCKET_PATH: Final = 100  # the kernel takes 107 bytes, macOS 103
_STILL_CLOSING: Final = ("already exists", "is still in use")
_CHECK_SECONDS: Final = 0.5
_PATIENT_SECONDS: Final = 30.0
_NICEST: Final = 19

_Run = Callable[[Callable[[], Any]], asyncio.Future[Any]]
logger = logging.getLogger(__name__)


class EmbeddedServer:
    """The PostgreSQL of one folder, shared by all processes that use the folder.

    The first user starts it, the last one stops it; it never deletes data. All methods block.
    """

    def __init__(self, home: Path, *, start_seconds: float = DEFAULT_START_SECONDS) -> None:
        self._home = home.expanduser().absolute()
        self._data = self._home / f"postgres-{MAJOR_VERSION}"
        self._start_seconds = start_seconds
        self._lease = Lease(self._home)

    @property
    def dsn(self) -> str:
        """The connection string of the server's administrator."""
        return f"postgresql://postgres@/postgres?host={quote(str(self._socket_folder))}"

    def start(self) -> str:
        """Be a user of the server, starting it if need be, and return its connection string."""
        self._make_home()
        with self._lease.my_turn(timeout=self._start_seconds):
            self._lease.join()
            try:
                self._ensure_running()
            except BaseException:
                self._lease.leave()
                raise
        return self.dsn

    def ensure_running(self) -> None:
        """Start the server again if it has died under its users."""
        with self._lease.my_turn(timeout=self._start_seconds):
            self._ensure_running()

    def is_running(self) -> bool:
        """Whether the server's process is alive."""
        return Postmaster.of(self._data) is not None

    def stop(self) -> None:
        """Be no user any more; the last user stops the server."""
        with self._lease.my_turn(timeout=self._start_seconds):
            if not self._lease.leave():
                return
            postmaster = Postmaster.of(self._data)
            if postmaster is not None:
                postmaster.stop()
                logger.info("embedded.stopped", extra={"facts": {"home": str(self._home)}})

    @property
    def _socket_folder(self) -> Path:
        """Beside the data, or where the path would be too long for a socket, in a short place."""
        folder = self._home / "run"
        if len(str(folder / f".s.PGSQL.{PORT}")) <= _MAX_SOCKET_PATH:
            return folder
        name = sha256(str(self._home).encode()).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"recollect-{name}"

    def _make_home(self) -> None:
        # Root's server runs under another account, which has to pass through.
        mode = 0o711 if os.geteuid() == 0 else 0o700
        try:
            self._home.mkdir(mode=mode, parents=True, exist_ok=True)
        except OSError as error:
            raise EmbeddedServerFailed(
                f"the folder {self._home} cannot be made ({error.strerror}); "
                "set MEMORY_HOME to one that can"
            ) from error

    def _ensure_running(self) -> None:
        account = Account.for_data(self._data)
        if not account.is_ours:
            account.let_reach(self._home)
        binaries = Binaries.from_wheel()
        runnable = binaries.reachable_by(account, self._home)
        if not (self._data / "PG_VERSION").exists():
            self._initialise(account, runnable)
        self._prepare_socket_folder(account)
        self._start_until_ready(account, runnable, binaries)

    def _initialise(self, account: Account, binaries: Binaries) -> None:
        """Make a new cluster under a name of its own, so that a crash leaves no half-made one."""
        logger.info("embedded.initialising", extra={"facts": {"home": str(self._home)}})
        new = self._data.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        account.own(new)
        make_cluster(binaries, account, new)
        new.rename(self._data)

    def _prepare_socket_folder(self, account: Account) -> None:
        folder = self._socket_folder
        account.own(folder)
        facts = folder.lstat()
        if folder.is_symlink() or facts.st_uid != account.uid or facts.st_mode & 0o077:
            raise EmbeddedServerFailed(
                f"the folder {folder} for the server's socket belongs to somebody else "
                "or is open to others; delete it or choose another MEMORY_HOME"
            )

    def _start_until_ready(self, account: Account, runnable: Binaries, binaries: Binaries) -> None:
        """Wait for a running server, start one where there is none, and report while it takes."""
        began = reported = time.monotonic()
        starter: subprocess.Popen[bytes] | None = None
        while (answer := ask_server(binaries, self._socket_folder)) is not Answer.READY:
            now = time.monotonic()
            if now - began > self._start_seconds:
                raise EmbeddedServerFailed(
                    f"the embedded PostgreSQL was not ready after {self._start_seconds:.0f} "
                    f"seconds; it goes on recovering, try again later. Its log: {self._data}/log"
                )
            if now - reported > _PROGRESS_SECONDS:
                reported = now
                seconds = round(now - began)
                logger.info("embedded.recovering", extra={"facts": {"seconds": seconds}})
            is_starting = starter is not None and starter.poll() is None
            if answer is Answer.NONE and not is_starting and Postmaster.of(self._data) is None:
                self._check_failure(starter)
                starter = self._launch(account, runnable)
            time.sleep(_POLL_SECONDS)
        if starter is not None:
            starter.wait()
        logger.info("embedded.ready", extra={"facts": {"home": str(self._home)}})

    def _launch(self, account: Account, binaries: Binaries) -> subprocess.Popen[bytes]:
        drop_if_stale(self._data / "postmaster.pid", self._data)
        drop_if_stale(self._socket_folder / f".s.PGSQL.{PORT}.lock", self._data)
        sockets, seconds = self._socket_folder, self._start_seconds
        return launch_server(
            binaries,
            account,
            self._data,
            sockets=sockets,
            seconds=seconds,
            libraries=library_folder(binaries, self._home),
        )

    def _check_failure(self, starter: subprocess.Popen[bytes] | None) -> None:
        """Give up on a start that failed, unless the last of a killed server was in its way."""
        if starter is None or starter.returncode == 0:
            return
        log = start_log(self._data).read_text(encoding="utf-8", errors="replace")
        if not any(sign in log for sign in _STILL_CLOSING):
            raise EmbeddedServerFailed(
                f"the embedded PostgreSQL did not start: {log.strip()[-2000:]}"
            )


@asynccontextmanager
async def running_server(home: Path) -> AsyncIterator[str]:
    """The administrator's connection string of a server that runs until the block ends."""
    server = EmbeddedServer(home)
    # Threads of its own, so that no other work can keep the server from being stopped.
    pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="embedded-postgres")
    run: _Run = partial(asyncio.get_running_loop().run_in_executor, pool)
    try:
        dsn = await _started(server, run)
        keeping = TaskSupervisor().run("embedded.keeper", partial(_keep_running, server, run))
        keeper = asyncio.create_task(keeping)
        try:
            yield dsn
        finally:
            keeper.cancel()
            with suppress(asyncio.CancelledError):
                await keeper
            await run(server.stop)
    finally:
        pool.shutdown(wait=False)


async def _started(server: EmbeddedServer, run: _Run) -> str:
    """Start a server; if that is no longer wanted meanwhile, it is stopped once it runs."""
    starting = run(server.start)
    try:
        dsn: str = await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(EmbeddedServerFailed):
            await starting
            await run(server.stop)
        raise
    return dsn


async def _keep_running(server: EmbeddedServer, run: _Run) -> None:
    while True:
        await asyncio.sleep(_CHECK_SECONDS)
        if await run(server.is_running):
            continue
        if _has_stepped_back():  # what it starts would step back as well: others may do it
            await asyncio.sleep(_PATIENT_SECONDS)
            if await run(server.is_running):
                continue
        logger.warning("embedded.died")
        try:
            await run(server.ensure_running)
        except EmbeddedServerFailed as error:
            logger.exception("embedded.restart_failed", exc_info=error)


def _has_stepped_back() -> bool:
    """Whether this process works only when nobody else wants to."""
    is_idle = hasattr(os, "SCHED_IDLE") and os.sched_getscheduler(0) == os.SCHED_IDLE
    return is_idle or os.nice(0) >= _NICEST
