"""Time and chance, so that tests control both."""

from datetime import datetime
from typing import Protocol
from uuid import UUID


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The current time, aware, in UTC."""
        ...


class Ids(Protocol):
    """Gives out what nobody else has."""

    def new_id(self) -> UUID:
        """An id never given before."""
        ...

    def new_secret(self, size: int) -> bytes:
        """So many bytes nobody can guess."""
        ...
