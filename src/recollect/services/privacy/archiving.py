"""Expired sessions on their way into the archive, and out of it when their time there is over."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.transfer.archive import ArchivedSession, prefix_of
from recollect.domain.transfer.document import header_of
from recollect.errors import ContentUnreadable
from recollect.ports.privacy.archive import (
    ArchiveNotes,
    ArchiveStore,
    ExpiredRecords,
    ExpiredSession,
)
from recollect.ports.runtime import Clock
from recollect.services.privacy.document.json_lines import END_OF_DOCUMENT, SessionList, opened
from recollect.services.privacy.exporting import message_lines
from recollect.services.tenants.policies import TenantPolicies

_SESSIONS: Final = 16
"""Sessions that are archived at the same time, and then deleted together."""
_PAGE: Final = 200
"""Messages of a session that are in memory at once."""
_FINISHED: Final = timedelta(days=1)
"""No object takes longer to be written: what is left of an older one has no writer any more."""
_ARCHIVED, _NOT_WANTED, _HAS_CHANGED = "archived", "not wanted", "has changed"
logger = logging.getLogger(__name__)


class _Changed(Exception):
    """A session is not what it was when it was chosen, or is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionArchive:
    """Archives sessions and deletes them after that: one that is gone is in the archive.

    It may end at any moment: what is archived and not deleted yet is archived again, under the
    same name. Sessions are archived as they are stored; what their owners may see of them is
    asked when they are back.
    """

    store: ArchiveStore
    expired: ExpiredRecords
    notes: ArchiveNotes
    clock: Clock
    tenants: TenantPolicies = field(default_factory=TenantPolicies)
    keeps_for: timedelta | None = None
    """How long an archived session is kept; None: for ever."""

    async def move_some(self, *, now: datetime, unreadable: set[UUID]) -> int:
        """Archive the sessions that expired first and delete them; return how many.

        Sessions of `unreadable` owners are left out; an owner whose content cannot be decrypted
        is added, so that they keep nobody else's sessions.

        Raises:
            ArchiveUnavailable: some could not be archived, and are still there.
        """
        limit = _SESSIONS
        while True:
            found = await self.expired.some(now=now, limit=limit)
            sessions = [one for one in found if one.scope.owner_id not in unreadable][:_SESSIONS]
            known = len(unreadable)
            moved = await self._move(sessions, now, unreadable)
            if moved or (sessions and len(unreadable) == known):
                return moved
            if not sessions:  # more may come behind those that are left out
                if len(found) < limit:
                    return 0
                limit *= 2

    async def make_room(self, scope: Scope, session_ids: Sequence[UUID]) -> None:
        """Archive and delete those of the owner's sessions that have expired.

        For new sessions of the same ids, which would replace them unarchived.
        """
        now = self.clock.now()
        await self._move(await self.expired.find(scope, session_ids, now=now), now)

    async def count_outdated(self) -> int:
        """How many archived sessions have been kept for long enough."""
        return sum([1 async for _ in self._outdated()])

    async def prune(self) -> int:
        """Delete these, and what writers left behind that died; return how many sessions went."""
        await self.store.discard_unfinished("", before=self.clock.now() - _FINISHED)
        count = 0
        async for name in self._outdated():
            await self.store.delete(name)
            count += 1
        return count

    async def _outdated(self) -> AsyncIterator[str]:
        if self.keeps_for is None:
            return
        before = self.clock.now() - self.keeps_for
        async for stored in self.store.list(prefix_of(None)):
            if stored.stored_at <= before and ArchivedSession.parse(stored.name):
                yield stored.name

    async def _move(
        self,
        sessions: Sequence[ExpiredSession],
        now: datetime,
        unreadable: set[UUID] | None = None,
    ) -> int:
        """Archive sessions and delete those that are; then raise what kept others from it.

        Those of tenants that have switched the archive off are deleted at once. With `unreadable`,
        owners whose content cannot be decrypted are added to it, and raise nothing.
        """
        if not sessions:
            return 0
        results = await asyncio.gather(*map(self._archive, sessions), return_exceptions=True)
        pairs = zip(sessions, results, strict=True)
        ready = [session for session, result in pairs if result in {_ARCHIVED, _NOT_WANTED}]
        deleted = await self.expired.delete(ready, now=now) if ready else 0
        if archived := results.count(_ARCHIVED):
            facts = {"sessions": archived, "deleted": deleted}
            logger.info("sessions.archived", extra={"facts": facts})
        for session, result in zip(sessions, results, strict=True):
            if isinstance(result, ContentUnreadable) and unreadable is not None:
                _note_unreadable(session.scope.owner_id, unreadable)
            elif isinstance(result, BaseException):
                raise result
        return deleted

    async def _archive(self, session: ExpiredSession) -> str:
        """Write the session's object, if its tenant wants that, and return what came of it."""
        if not (await self.tenants.of(session.scope)).archives:
            return _NOT_WANTED
        # Noted before the session is read: an erasure that finds no note has left nothing to read.
        now = self.clock.now()
        if not await self.notes.add(session.scope, self.store.address, now=now):
            return _HAS_CHANGED
        name = ArchivedSession(
            owner_id=session.scope.owner_id,
            session_id=session.session_id,
            created_at=session.created_at,
        ).name
        try:
            await self.store.put(name, self._document(session))
        except _Changed:
            return _HAS_CHANGED
        return _ARCHIVED

    async def _document(self, session: ExpiredSession) -> AsyncGenerator[bytes, None]:
        """What an export has of the session, whatever its owner may see at the moment."""
        scope, session_id = session.scope, session.session_id
        record = await self.expired.record(scope, session_id)
        if record is None:
            raise _Changed
        yield opened(header_of(scope, at=self.clock.now()))
        listed = SessionList()
        listed.begin([record])
        after = 0
        while page := await self.expired.messages(scope, session_id, after=after, limit=_PAGE):
            yield listed.add_messages(page, await message_lines(page))
            after = page[-1].message.sequence
        yield await asyncio.to_thread(listed.finish)
        yield listed.end() + END_OF_DOCUMENT
        if await self.expired.find(scope, [session_id], now=session.expires_at) != (session,):
            raise _Changed


def _note_unreadable(owner_id: UUID, unreadable: set[UUID]) -> None:
    """Leave an owner out from now on, and log it once."""
    if owner_id not in unreadable:
        unreadable.add(owner_id)
        logger.warning("archive.unreadable", extra={"facts": {"owner_id": str(owner_id)}})
