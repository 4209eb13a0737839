"""Expired sessions in memory, as the archive reads and deletes them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.transfer.records import MessageRecord, SessionRecord
from recollect.engines.in_memory.data import InMemoryStore
from recollect.engines.in_memory.privacy.transfer import session_record, turn_of
from recollect.engines.in_memory.stored_conversation import StoredConversation
from recollect.ports.privacy.archive import ExpiredSession


class InMemoryExpiredRecords(InMemoryStore):
    """Implements `recollect.ports.privacy.archive.ExpiredRecords`."""

    async def some(self, *, now: datetime, limit: int) -> tuple[ExpiredSession, ...]:
        owned = (
            _expired(scope, conversation)
            for owner_id, conversation in self.data.expired(now)
            if (scope := self.data.of(owner_id).known_as)
        )
        return tuple(islice(owned, limit))

    async def find(
        self, scope: Scope, session_ids: Sequence[UUID], *, now: datetime
    ) -> tuple[ExpiredSession, ...]:
        stored = map(self.data.of(scope.owner_id).conversations.get, session_ids)
        return tuple(_expired(scope, one) for one in stored if one and one.has_expired(now))

    async def record(self, scope: Scope, session_id: UUID) -> SessionRecord | None:
        conversation = self.data.of(scope.owner_id).conversations.get(session_id)
        return None if conversation is None else session_record(conversation)

    async def messages(
        self, scope: Scope, session_id: UUID, *, after: int, limit: int
    ) -> tuple[MessageRecord, ...]:
        conversation = self.data.of(scope.owner_id).conversations.get(session_id)
        if conversation is None:
            return ()
        following = (
            MessageRecord(message=message, turn=turn_of(conversation, message))
            for message in conversation.messages.values()
            if message.sequence > after
        )
        return tuple(islice(following, limit))

    async def delete(self, sessions: Sequence[ExpiredSession], *, now: datetime) -> int:
        deleted = 0
        for one in sessions:
            conversation = self.data.of(one.scope.owner_id).conversations.get(one.session_id)
            if conversation is None or _expired(one.scope, conversation) != one:
                continue
            self.data.delete_expired(one.scope.owner_id, one.session_id, now=now)
            deleted += 1
        return deleted


class InMemoryArchiveNotes(InMemoryStore):
    """Implements `recollect.ports.privacy.archive.ArchiveNotes`."""

    async def add(
        self,
        scope: Scope,
        archive: str,
        *,
        now: datetime,  # noqa: ARG002  # the port's
        claims_owner: bool = False,
    ) -> bool:
        owner = self.data.of(scope.owner_id)
        if owner.is_being_erased() or not (owner.known_as or claims_owner):
            return False
        self.data.claimed_by(scope).archives.add(archive)
        return True

    async def of_owner(self, owner_id: UUID) -> tuple[str, ...]:
        return tuple(sorted(self.data.of(owner_id).archives))

    async def remove(self, owner_id: UUID, archive: str) -> None:
        self.data.of(owner_id).archives.discard(archive)

    async def replace(self, archive: str, *, by: str | None) -> int:
        owners = [one for one in self.data.memories() if archive in one.archives]
        for owner in owners:
            owner.archives -= {archive}
            owner.archives |= {by} if by is not None else set()
        return len(owners)


def _expired(scope: Scope, conversation: StoredConversation) -> ExpiredSession:
    session = conversation.session
    return ExpiredSession(
        scope=scope,
        session_id=session.session_id,
        created_at=session.created_at,
        updated_at=session.updated_at,
        expires_at=session.expires_at or datetime.max.replace(tzinfo=UTC),
    )
