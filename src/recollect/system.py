"""The system's clock and disk, and random ids."""

import secrets
import shutil
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4

_LOW_BYTES: Final = 1_000_000_000
_FULL_BYTES: Final = 64_000_000
"""PostgreSQL writes its log in files of 16 MB; without room for the next one it stops."""


class SystemClock:
    """Tells the machine's time."""

    def now(self) -> datetime:
        """The current time, aware, in UTC."""
        return datetime.now(UTC)


class RandomIds:
    """Gives out random ids and secrets."""

    def new_id(self) -> UUID:
        """A random UUID."""
        return uuid4()

    def new_secret(self, size: int) -> bytes:
        """So many bytes from the system's generator."""
        return secrets.token_bytes(size)


class DiskState(StrEnum):
    """How the disk stands that the memory is kept on."""

    OK = "ok"
    LOW = "low"
    """Less than 1 GB is free."""
    FULL = "full"
    """Less than 64 MB is free, or PostgreSQL has refused to store something for want of space."""
    UNKNOWN = "unknown"
    """The disk does not say."""


def disk_space(home: Path) -> tuple[DiskState, int]:
    """How the disk of a folder stands, which may not be there yet, and its free bytes."""
    folder = next(part for part in (home, *home.absolute().parents) if part.exists())
    free = shutil.disk_usage(folder).free
    if free < _FULL_BYTES:
        return DiskState.FULL, free
    return (DiskState.LOW if free < _LOW_BYTES else DiskState.OK), free
