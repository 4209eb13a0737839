"""What is in the archive: listed, verified, and brought back."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO, Final
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.transfer import reading
from recollect.domain.transfer.archive import ArchivedSession, prefix_of
from recollect.domain.transfer.document import Outcome, Part, TransferReport
from recollect.errors import ArchivedSessionBroken, ArchivedSessionNotFound, InvalidInput
from recollect.ports.privacy.archive import ArchiveStore
from recollect.ports.runtime import Clock
from recollect.services.privacy.document.items import Item, items_of
from recollect.services.privacy.importing import OwnerImport

_UNKNOWN_NAME: Final = "its name is not that of an archived session"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedItem:
    """An object of the archive, as a list shows it."""

    name: str
    owner_id: UUID
    session_id: UUID
    created_at: datetime
    """When the session was created."""
    archived_at: datetime
    size: int
    """Its bytes, compressed."""


@dataclass(slots=True, kw_only=True)
class Restored:
    """What became of sessions that were to come back."""

    sessions: Outcome = field(default_factory=Outcome)
    messages: Outcome = field(default_factory=Outcome)
    older: int = 0
    """Earlier sessions of ids that were started again: they stay in the archive."""
    broken: list[ArchivedSessionBroken] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Verified:
    """What a look at every object found."""

    objects: int = 0
    messages: int = 0
    broken: list[ArchivedSessionBroken] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveAccess:
    """Reads the archive of all owners, or of one; no more than a page is in memory."""

    store: ArchiveStore
    owner_import: OwnerImport
    clock: Clock

    async def list(
        self, scope: Scope | None, *, session_id: UUID | None = None
    ) -> AsyncIterator[ArchivedItem]:
        """The archived sessions of an owner, or of all, by owner, session and creation."""
        owner_id = None if scope is None else scope.owner_id
        async for stored in self.store.list(prefix_of(owner_id, session_id)):
            archived = ArchivedSession.parse(stored.name)
            if archived is not None and session_id in {None, archived.session_id}:
                yield ArchivedItem(
                    name=stored.name,
                    owner_id=archived.owner_id,
                    session_id=archived.session_id,
                    created_at=archived.created_at,
                    archived_at=stored.stored_at,
                    size=stored.size,
                )

    async def restore(
        self,
        scope: Scope,
        *,
        session_id: UUID | None = None,
        progress: Callable[[Restored], None] = lambda _: None,
    ) -> Restored:
        """Bring back an owner's sessions, or one; they end as if they were used now.

        What is there already stays as it is, and so does the archive. Of several sessions that
        had one id, the last one comes back. A broken object is left out.

        Raises:
            ArchivedSessionNotFound: the archive does not have that session.
        """
        restored, is_there = Restored(), False
        async for name, older in self._latest(scope, session_id):
            is_there = True
            restored.older += older
            await self._restore_one(scope, name, restored)
            progress(restored)
        if session_id is not None and not is_there:
            raise ArchivedSessionNotFound(session_id)
        return restored

    async def verify(
        self,
        scope: Scope | None,
        *,
        session_id: UUID | None = None,
        progress: Callable[[Verified], None] = lambda _: None,
    ) -> Verified:
        """Read every object to its end: its checksum, its owner and all items of its document."""
        owner_id = None if scope is None else scope.owner_id
        verified = Verified()
        async for stored in self.store.list(prefix_of(owner_id, session_id)):
            try:
                verified.messages += await self._verify_one(stored.name)
            except ArchivedSessionNotFound:  # deleted since it was listed
                continue
            except ArchivedSessionBroken as error:
                verified.broken.append(error)
            verified.objects += 1
            progress(verified)
        return verified

    async def _latest(
        self, scope: Scope, session_id: UUID | None
    ) -> AsyncIterator[tuple[str, int]]:
        """The last object of each session, and how many were before it."""
        last: ArchivedItem | None = None
        older = 0
        async for item in self.list(scope, session_id=session_id):
            if last is not None and last.session_id != item.session_id:
                yield last.name, older
                older = 0
            elif last is not None:
                older += 1
            last = item
        if last is not None:
            yield last.name, older

    async def _restore_one(self, scope: Scope, name: str, restored: Restored) -> None:
        try:
            await self._verify_one(name)
            async with self.store.fetch(name) as document:
                report = await self.owner_import.take_in(
                    scope, document, check=_known(name).check_header, renews_sessions=True
                )
        except ArchivedSessionNotFound:
            return
        except ArchivedSessionBroken as error:
            restored.broken.append(error)
            return
        _add(restored, report)

    async def _verify_one(self, name: str) -> int:
        """Read an object to its end, and return how many messages it has."""
        archived, now = _known(name), self.clock.now()
        async with self.store.fetch(name) as document:
            try:
                return await asyncio.to_thread(_read_all, document, archived, now)
            except InvalidInput as error:
                raise ArchivedSessionBroken(name, str(error)) from None


def _known(name: str) -> ArchivedSession:
    archived = ArchivedSession.parse(name)
    if archived is None:
        raise ArchivedSessionBroken(name, _UNKNOWN_NAME)
    return archived


def _add(restored: Restored, report: TransferReport) -> None:
    restored.sessions += report.sessions
    restored.messages += report.messages


def _read_all(document: BinaryIO, archived: ArchivedSession, now: datetime) -> int:
    """Check every item of a document as an import does, and return how many messages it has."""
    sessions = messages = 0
    for item in items_of(document, check=archived.check_header):
        match item.part:
            case Part.SESSIONS:
                _check_session(item, archived, now)
                sessions += 1
            case Part.MESSAGES:
                reading.message(item.value, now=now)
                messages += 1
            case _:
                raise InvalidInput(item.place, "is nothing that an archived session has")
    if sessions != 1:
        raise InvalidInput("document", f"must have one session and has {sessions}")
    return messages


def _check_session(item: Item, archived: ArchivedSession, now: datetime) -> None:
    session = reading.session(item.value, now=now).session
    archived.check_session(session.session_id, created_at=session.created_at)
