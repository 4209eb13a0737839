"""Clusters of the embedded PostgreSQL: one is made, and copied wherever a test needs its own."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from recollect.engines.postgres.embedded import EmbeddedServer, running_server
from recollect.engines.postgres.embedded.programs import MAJOR_VERSION
from recollect.engines.postgres.migrations import migrate

_CLUSTER: Final = f"postgres-{MAJOR_VERSION}"
_NO_WAITING: Final = "fsync = off\nfull_page_writes = off\n"
"""A killed server loses nothing by it, only a machine without power would."""

_MEMORY: Final = "/dev/shm"  # noqa: S108  # folders of random names are made in it
_ROOM: Final = 8_000_000_000


def scratch_folder() -> str | None:
    """Where data folders are made: in memory, if the machine has plenty of it, or None: on disk."""
    if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM:
        return _MEMORY
    return None


async def template_home(folder: Path) -> Path:
    """A home with a cluster that has the schema and no server, made by the first process to ask."""
    home = folder / "template"
    with only_one_process(folder / "template.lock"):
        if not home.exists():
            async with running_server(home) as dsn:
                await migrate(dsn)
            with (home / _CLUSTER / "postgresql.auto.conf").open("a") as configuration:
                configuration.write(_NO_WAITING)
    return home


@contextmanager
def only_one_process(lock: Path) -> Iterator[None]:
    """Let the other processes of a parallel run wait."""
    with lock.open("w") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        yield


def copy_home(template: Path, home: Path) -> None:
    """Make a home as its first start would; a copy takes a tenth of what initdb does."""
    home.mkdir(mode=template.stat().st_mode & 0o777, parents=True)
    subprocess.run(["cp", "-a", str(template / _CLUSTER), str(home / _CLUSTER)], check=True)  # noqa: S607


@contextmanager
def stopped_afterwards(home: Path) -> Iterator[None]:
    """Stop the server of a home whose last user was killed."""
    try:
        yield
    finally:
        server = EmbeddedServer(home)
        if server.is_running():
            server.start()
            server.stop()
