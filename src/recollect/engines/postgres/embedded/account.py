"""The operating system's account that PostgreSQL runs under: it refuses to run as root."""

import logging
import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

ACCOUNT_NAME: Final = "recollect"
_LAST_RESORT: Final = "nobody"

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
    def other_uid(self) -> int | None:
        """The user to become in a subprocess; None to stay who we are."""
        return None if self.is_ours else self.uid

    @property
    def other_gid(self) -> int | None:
        """The group to become in a subprocess; None to stay in ours."""
        return None if self.is_ours else self.gid

    @property
    def other_groups(self) -> list[int] | None:
        """The further groups of a subprocess: none for another account, ours for ourselves."""
        return None if self.is_ours else []

    def can_enter(self, folder: Path) -> bool:
        """Whether it may pass through a folder."""
        facts = folder.stat()
        if facts.st_uid == self.uid:
            return bool(facts.st_mode & stat.S_IXUSR)
        if facts.st_gid == self.gid:
            return bool(facts.st_mode & stat.S_IXGRP)
        return bool(facts.st_mode & stat.S_IXOTH)

    def can_reach(self, folder: Path) -> bool:
        """Whether it may pass through a folder and every one above it."""
        return all(self.can_enter(part) for part in (folder, *folder.parents))

    def let_reach(self, folder: Path) -> None:
        """Let it pass through, not look into, the folders that lead to its data."""
        for part in (folder, *folder.parents):
            if not self.can_enter(part):
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
