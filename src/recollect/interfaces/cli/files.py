"""Files that commands write: whole or not at all."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, Final

from recollect.errors import InvalidInput

STANDARD: Final = "-"
"""What stands for the standard output, or the standard input."""
_PART: Final = ".recollect-part"
_ABANDONED: Final = 24 * 3600
"""No export takes longer than so many seconds: what is older has no writer any more."""
_FOR_US_ALONE: Final = 0o600
_DESCRIPTORS: Final = "/proc/self/fd"


def check_is_new(file: str, *, force: bool) -> None:
    """Refuse to replace a file, unless that is wanted."""
    if file != STANDARD and not force and Path(file).exists():
        raise InvalidInput("file", f"'{file}' is there already: --force replaces it")


@contextmanager
def target(file: str) -> Iterator[BinaryIO]:
    """The standard output, or a file that gets its name when it is complete.

    Nobody else may read the file. A process that is killed leaves nothing behind on a disk with
    files that have no name; on others a hidden part, which a later one removes after a day.
    """
    if file == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()  # not when Python ends, which cannot tell that nobody reads it
        return
    path = Path(file)
    part = path.with_name(f".{path.name}.{token_hex(4)}{_PART}")
    try:
        _remove_abandoned(path.parent)
        with _opened(part) as written:
            try:
                yield written
                written.flush()
                os.fsync(written.fileno())
                if not part.exists():
                    _give_name(written, part)
                part.replace(path)
            except BaseException:
                with suppress(OSError):
                    part.unlink()
                raise
    except OSError as error:
        raise InvalidInput("file", f"'{file}' cannot be written: {error.strerror}") from None


def _opened(part: Path) -> BinaryIO:
    """A file without a name in the folder, or one of that name where there are none such."""
    without_name = getattr(os, "O_TMPFILE", None)
    if without_name is not None and Path(_DESCRIPTORS).exists():
        with suppress(OSError):  # the disk has no such files, or the folder is not there
            return open(os.open(part.parent, without_name | os.O_WRONLY, _FOR_US_ALONE), "wb")  # noqa: PTH123  # the caller closes it
    return open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _FOR_US_ALONE), "wb")  # noqa: PTH123  # the caller closes it


def _give_name(written: BinaryIO, part: Path) -> None:
    # Python follows the link to the file only where a folder is given for it, which is not used.
    os.link(f"{_DESCRIPTORS}/{written.fileno()}", part, src_dir_fd=0, follow_symlinks=True)


def _remove_abandoned(folder: Path) -> None:
    """Delete what killed exports have left in a folder."""
    before = time.time() - _ABANDONED
    for part in folder.glob(f".*{_PART}"):
        with suppress(OSError):
            if part.stat().st_mtime < before:
                part.unlink()
