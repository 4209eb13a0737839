"""Running PostgreSQL's programs under the account that owns the data."""

import os
import shlex
import subprocess
from enum import IntEnum
from pathlib import Path
from typing import Final

from recollect.engines.postgres.embedded.account import Account
from recollect.engines.postgres.embedded.binaries import Binaries
from recollect.engines.postgres.embedded.cache import cache_megabytes, memory_at_hand
from recollect.errors import EmbeddedServerFailed

PORT: Final = 5432
"""Part of the socket's name; no network port is opened."""

_SETTINGS: Final = {
    "listen_addresses": "",  # reached through its socket alone
    "unix_socket_permissions": "0700",  # by its own account and root alone
    "max_connections": "200",
    "logging_collector": "on",
    "log_filename": "postgresql-%a.log",  # one file for each day of the week
    "log_truncate_on_rotation": "on",
    "log_error_verbosity": "terse",  # details quote the values of rows
    "log_min_error_statement": "panic",  # statements hold what users said
    "log_parameter_max_length_on_error": "0",
}


class Answer(IntEnum):
    """What a server says to a knock; the numbers are pg_isready's."""

    READY = 0
    STARTING = 1
    NONE = 2


def make_cluster(binaries: Binaries, account: Account, folder: Path) -> None:
    """Fill an empty folder with a new cluster, the same on every machine."""
    options = ["--username", "postgres", "--auth", "trust", "--encoding", "UTF8"]
    options += ["--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"]
    made = subprocess.run(  # noqa: S603  # our own paths
        [binaries.program("initdb"), "--pgdata", str(folder), *options],
        check=False,
        capture_output=True,
        text=True,
        cwd="/",
        env=_environment(),
        user=account.other_uid,
        group=account.other_gid,
        extra_groups=account.other_groups,
    )
    if made.returncode != 0:
        raise EmbeddedServerFailed(f"initdb failed: {made.stderr.strip()[-2000:]}")


def launch_server(
    binaries: Binaries, account: Account, data: Path, *, sockets: Path, seconds: float
) -> subprocess.Popen[bytes]:
    """Let pg_ctl start a server that outlives us; it ends when the server is ready, or failed."""
    settings = {
        **_SETTINGS,
        "unix_socket_directories": str(sockets),
        "shared_buffers": f"{cache_megabytes(memory_at_hand())}MB",
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    options += ["-p", str(PORT)]
    log = start_log(data)
    log.unlink(missing_ok=True)
    command = [binaries.program("pg_ctl"), "start", "--pgdata", str(data), "--log", str(log)]
    command += ["--timeout", str(int(seconds) + 1), "--options", shlex.join(options)]
    return subprocess.Popen(  # noqa: S603  # our own paths and settings
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=_environment(),
        start_new_session=True,
        user=account.other_uid,
        group=account.other_gid,
        extra_groups=account.other_groups,
    )


def start_log(data: Path) -> Path:
    """Where a server says what kept it from starting."""
    return data / "start.log"


def ask_server(binaries: Binaries, sockets: Path) -> Answer:
    """Ask whether the server takes connections: connecting is the only proof."""
    command = [binaries.program("pg_isready"), "--host", str(sockets), "--port", str(PORT)]
    command += ["--dbname", "postgres", "--timeout", "5", "--quiet"]
    asked = subprocess.run(command, check=False, env=_environment())  # noqa: S603  # our own paths
    return Answer(min(asked.returncode, Answer.NONE))


def _environment() -> dict[str, str]:
    """Our environment without what would redirect PostgreSQL's programs or translate them."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PG", "LC_", "LANG"))}
