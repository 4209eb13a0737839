"""pgvector for ARM processors without SVE, which the wheel's own build needs."""

import platform
import shutil
import sys
from pathlib import Path
from typing import Final

from recollect.engines.postgres.embedded.programs import Binaries
from recollect.errors import EmbeddedServerFailed

VERSION: Final = "0.8.5"
_LIBRARY: Final = Path(__file__).parent / "vector.aarch64.bin"  # as .so, Python would import it
_NAME: Final = "vector.so"
_CPU: Final = Path("/proc/cpuinfo")


def library_folder(binaries: Binaries, home: Path) -> Path | None:
    """A folder with a pgvector that this processor can run; None if the wheel's own will do.

    It lies in the home, where the account of the server can read it.
    """
    if not _lacks_sve():
        return None
    control = binaries.folder.parent / "share" / "postgresql" / "extension" / "vector.control"
    if f"'{VERSION}'" not in control.read_text("utf-8"):
        raise EmbeddedServerFailed(
            "the installed pgvector does not run on this processor, and Recollect can replace "
            f"version {VERSION} alone; set MEMORY_DB_CONNECTION_STRING to a PostgreSQL of your own"
        )
    folder = home / f"pgvector-{VERSION}"
    if not (folder / _NAME).exists():
        _copy_to(folder)
    return folder


def _lacks_sve() -> bool:
    if sys.platform != "linux" or platform.machine() != "aarch64":
        return False
    features = (line for line in _CPU.read_text("utf-8").splitlines() if "Features" in line)
    return "sve" not in next(features, "").split()


def _copy_to(folder: Path) -> None:
    """Copy the library, under its last name only when all of it is there."""
    folder.mkdir(mode=0o755, exist_ok=True)
    part = folder / f"{_NAME}.part"
    shutil.copyfile(_LIBRARY, part)
    part.chmod(0o644)
    part.rename(folder / _NAME)
