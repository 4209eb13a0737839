"""What an archive needs of the place that its objects are in."""

from collections.abc import AsyncGenerator, AsyncIterator
from datetime import datetime
from typing import Protocol

from recollect.ports.privacy.archive import StoredObject


class ObjectStore(Protocol):
    """Stores bytes by name; promises what `recollect.ports.privacy.archive.ArchiveStore` does."""

    @property
    def address(self) -> str:
        """Where the objects are, the same text for all processes that reach them."""

    async def check(self) -> None:
        """Raise `ArchiveUnavailable` where they cannot be reached, or none can be stored."""

    async def put(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        """Store the bytes in place of those of that name, durable on return, whole or not."""

    def read(self, name: str) -> AsyncGenerator[bytes, None]:
        """Return the bytes in pieces; `ArchivedSessionNotFound` if there are none."""

    def list(self, prefix: str) -> AsyncIterator[StoredObject]:
        """Return the objects whose names begin so, by their names."""

    async def delete(self, name: str) -> None:
        """Delete an object, if it is there."""

    async def discard_unfinished(self, prefix: str, *, before: datetime) -> int:
        """Delete what writers left behind that died before then, and return how many."""
