"""Time and identifiers, which tests control."""

from datetime import datetime
from typing import Protocol
from uuid import UUID


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""


class Ids(Protocol):
    """Makes unique ids and secrets."""

    def new_id(self) -> UUID:
        """Return an id never returned before."""

    def new_secret(self, size: int) -> bytes:
        """Return `size` bytes that nobody can guess."""
