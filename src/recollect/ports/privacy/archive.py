"""Where expired sessions are archived, and how they are read before they are deleted."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, NamedTuple, Protocol
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.transfer.records import MessageRecord, SessionRecord


class StoredObject(NamedTuple):
    """An object of an archive."""

    name: str
    size: int
    """Its bytes, compressed."""
    stored_at: datetime


class ArchiveStore(Protocol):
    """Stores documents compressed and with a checksum, each under a name.

    `ArchiveUnavailable` where it cannot be reached, or does not do what it should.
    """

    @property
    def address(self) -> str:
        """Where it is, the same text for all processes that reach it; no secret is in it."""

    async def check(self) -> None:
        """Raise `ArchiveUnavailable` where it cannot be reached, or nothing can be stored in it."""

    async def put(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        """Store a document in place of the one of that name; it is durable on return.

        Whole or not at all: if `pieces` raises, what was there before is still there.
        """

    def fetch(self, name: str) -> AbstractAsyncContextManager[BinaryIO]:
        """Open a document for reading from its beginning to its end, its checksum verified.

        Raises:
            ArchivedSessionNotFound: there is no such object.
            ArchivedSessionBroken: it is not as it was stored.
        """

    def list(self, prefix: str) -> AsyncIterator[StoredObject]:
        """Return the objects whose names begin so, by their names; the prefix ends with a '/'."""

    async def delete(self, name: str) -> None:
        """Delete an object, if it is there."""

    async def discard_unfinished(self, prefix: str, *, before: datetime) -> int:
        """Delete what writers left behind that died before then, and return how many."""


class ArchiveNotes(Protocol):
    """Stores which archives may have sessions of an owner, by their addresses.

    It is noted before the first object is written. A note goes when the erasure of the owner has
    found nothing of theirs in that archive.
    """

    async def add(
        self, scope: Scope, archive: str, *, now: datetime, claims_owner: bool = False
    ) -> bool:
        """Note an archive; again, it changes nothing.

        False, and nothing is noted, while everything of the owner is being erased, or if nothing
        is known of them: `claims_owner` stores who they are then.
        """

    async def of_owner(self, owner_id: UUID) -> tuple[str, ...]:
        """Return the archives that may have sessions of the owner, by their addresses."""

    async def remove(self, owner_id: UUID, archive: str) -> None:
        """Delete a note: the archive has nothing of the owner any more."""

    async def replace(self, archive: str, *, by: str | None) -> int:
        """Note another archive for all owners of this one, or none, and return how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiredSession:
    """An expired session; two are equal if nothing happened to it in between."""

    scope: Scope
    session_id: UUID
    created_at: datetime
    updated_at: datetime
    expires_at: datetime


class ExpiredRecords(Protocol):
    """Reads expired sessions, which nobody else can see any more, and deletes single ones."""

    async def some(self, *, now: datetime, limit: int) -> tuple[ExpiredSession, ...]:
        """Return expired sessions of all owners; those that expired first come first."""

    async def find(
        self, scope: Scope, session_ids: Sequence[UUID], *, now: datetime
    ) -> tuple[ExpiredSession, ...]:
        """Return those of the owner's sessions that have expired."""

    async def record(self, scope: Scope, session_id: UUID) -> SessionRecord | None:
        """Return a session with its summary, expired or not; None if there is none."""

    async def messages(
        self, scope: Scope, session_id: UUID, *, after: int, limit: int
    ) -> tuple[MessageRecord, ...]:
        """Return messages of all branches after a number, in their order, fewer if they are large.

        Only an empty page is the end.
        """

    async def delete(self, sessions: Sequence[ExpiredSession], *, now: datetime) -> int:
        """Delete these sessions with everything in them, and return how many; audited.

        One that has changed since it was read stays.
        """
