"""Sessions and turns, in memory."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from recollect.domain.conversation.message import Role
from recollect.domain.conversation.paging import (
    AccessPosition,
    Page,
    PageRequest,
    SessionPosition,
    SessionSort,
)
from recollect.domain.conversation.session import NewSession, Session, SessionChanges
from recollect.domain.conversation.turns import TurnStatus
from recollect.domain.identity.accounts import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory.state import (
    InMemoryState,
    StoredConversation,
    copy_object,
    cut_page,
)
from recollect.ports.conversations import StoredTurn


@dataclass(frozen=True, slots=True)
class InMemorySessions:
    """Implements `recollect.ports.conversations.SessionStore`."""

    state: InMemoryState

    async def start(
        self,
        scope: Scope,
        session: NewSession,
        *,
        now: datetime,
        expires_at: datetime | None = None,
    ) -> tuple[Session, bool]:
        """Create the session, or return the one with that id as it is; and whether it is new."""
        existing = self.state.conversation(scope, session.session_id)
        if existing is not None:
            return existing.session, False
        started = start_conversation(self.state, scope, session, now=now, expires_at=expires_at)
        return started.session, True

    async def get(self, scope: Scope, session_id: UUID) -> Session | None:
        """The session, or None."""
        conversation = self.state.conversation(scope, session_id)
        return None if conversation is None else conversation.session

    async def list(
        self, scope: Scope, page: PageRequest, *, sort: SessionSort = SessionSort.UPDATED
    ) -> Page[Session]:
        """The owner's sessions by the time of their last change or use."""
        sessions = [conversation.session for conversation in self.state.conversations(scope)]
        if sort is SessionSort.LAST_ACCESSED:
            return cut_page(sessions, page, AccessPosition, position_of=_access)
        return cut_page(sessions, page, SessionPosition, position_of=_position)

    async def change(
        self, scope: Scope, session_id: UUID, changes: SessionChanges, *, now: datetime
    ) -> Session | None:
        """Replace the parts that are given and return the session, or None if there is none."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None:
            return None
        conversation.session = _changed(conversation.session, changes, now)
        conversation.use(now=now, expires_at=None)
        return conversation.session

    async def delete(self, scope: Scope, session_id: UUID, *, now: datetime) -> bool:
        """Delete the session with its turns and messages; whether there was one. Audited."""
        deleted = self.state.conversation(scope, session_id)
        if deleted is None:
            return False
        del self.state.of(scope.owner_id).conversations[session_id]
        self.state.audit(
            scope,
            AuditAction.SESSION_DELETED,
            target=session_id,
            count=len(deleted.messages),
            now=now,
        )
        return True

    async def touch(
        self, scope: Scope, session_id: UUID, *, now: datetime, expires_at: datetime | None
    ) -> None:
        """Note that the session was used, and move its end to `expires_at` if that is later."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is not None:
            conversation.use(now=now, expires_at=expires_at)


def start_conversation(
    state: InMemoryState,
    scope: Scope,
    session: NewSession,
    *,
    now: datetime,
    expires_at: datetime | None,
) -> StoredConversation:
    """Start a conversation that is not there; an expired one of that id gives way."""
    conversations = state.of(scope.owner_id).conversations
    if session.session_id in conversations:
        state.delete_expired(scope.owner_id, session.session_id, now=now)
    started = StoredConversation(session=_started(session, now, expires_at))
    conversations[session.session_id] = started
    return started


def _started(session: NewSession, now: datetime, expires_at: datetime | None) -> Session:
    return Session(
        session_id=session.session_id,
        name=session.name,
        metadata=copy_object(session.metadata),
        databases=session.databases,
        tags=session.tags,
        created_at=now,
        updated_at=now,
        last_accessed_at=now,
        expires_at=expires_at,
        message_count=0,
        turn_count=0,
    )


def _changed(session: Session, changes: SessionChanges, now: datetime) -> Session:
    metadata = session.metadata if changes.metadata is None else copy_object(changes.metadata)
    return replace(
        session,
        name=session.name if changes.name is None else changes.name,
        name_turn=session.name_turn if changes.name is None else None,
        metadata=metadata,
        databases=session.databases if changes.databases is None else changes.databases,
        tags=session.tags if changes.tags is None else changes.tags,
        updated_at=max(now, session.updated_at),
    )


def _access(session: Session) -> AccessPosition:
    return AccessPosition(session.last_accessed_at, session.session_id)


def _position(session: Session) -> SessionPosition:
    return SessionPosition(session.updated_at, session.session_id)


@dataclass(frozen=True, slots=True)
class InMemoryTurns:
    """Implements `recollect.ports.conversations.TurnStore`."""

    state: InMemoryState

    async def get(self, scope: Scope, session_id: UUID, turn_number: int) -> StoredTurn | None:
        """The turn, or None if the session has none of that number."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None or turn_number not in conversation.turns:
            return None
        said = conversation.messages.values()
        return StoredTurn(
            status=conversation.turns[turn_number],
            messages=tuple(message for message in said if message.turn_number == turn_number),
        )

    async def fail_abandoned(self, *, started_by: datetime) -> int:
        """Mark the turns of all owners as failed that are pending since that time or longer."""
        abandoned = [
            (conversation, message.turn_number)
            for conversation in self.state.all_conversations()
            for message in conversation.messages.values()
            if message.turn_number is not None
            and message.role is Role.USER
            and conversation.reopened.get(message.turn_number, message.created_at) <= started_by
            and conversation.turns[message.turn_number] is TurnStatus.PENDING
        ]
        for conversation, number in abandoned:
            conversation.turns[number] = TurnStatus.FAILED
            conversation.change(number)
        return len(abandoned)
