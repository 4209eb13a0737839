"""Clusters of the embedded PostgreSQL: one is made, and copied wherever a test needs its own."""

import fcntl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.engines.postgres.embedded import EmbeddedServer, running_server
from recollect.engines.postgres.embedded.programs import MAJOR_VERSION
from recollect.engines.postgres.migrations import migrate


async def template_home(folder: Path) -> Path:
    """A home with a cluster that has the schema and no server, made by the first process to ask."""
    home, lock = folder / "template", folder / "template.lock"
    with lock.open("w") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        if not home.exists():
            async with running_server(home) as dsn:
                await migrate(dsn)
    return home


def copy_home(template: Path, home: Path) -> None:
    """Make a home as its first start would; a copy takes a tenth of what initdb does."""
    home.mkdir(mode=template.stat().st_mode & 0o777, parents=True)
    cluster = f"postgres-{MAJOR_VERSION}"
    subprocess.run(["cp", "-a", str(template / cluster), str(home / cluster)], check=True)  # noqa: S607


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
