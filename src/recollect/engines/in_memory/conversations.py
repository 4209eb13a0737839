"""Sessions, their expiry, turns and branches, in memory."""

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Final, Unpack
from uuid import UUID

from recollect.domain.chat.reconciliation import Switch, plan_branch
from recollect.domain.conversation.message import Message, NewMessage, Role
from recollect.domain.conversation.paging import (
    AccessPosition,
    Page,
    PageRequest,
    SessionPosition,
    SessionSort,
    cut_page,
)
from recollect.domain.conversation.session import (
    NewSession,
    Session,
    SessionChanges,
    Stored,
    TurnStatus,
)
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory.data import (
    InMemoryStore,
    copy_object,
)
from recollect.engines.in_memory.messages import InMemoryMessages
from recollect.engines.in_memory.stored_conversation import StoredConversation
from recollect.errors import IdAlreadyUsed
from recollect.ports.conversations import Followed, StoredTurn, WriteTerms

_CHANGED: Final = tuple(part.name for part in fields(SessionChanges))


class InMemoryExpired(InMemoryStore):
    """Implements `recollect.ports.jobs.ExpiredSessions`."""

    async def count(self, *, now: datetime) -> int:
        return len(self.data.expired(now))

    async def delete(self, *, now: datetime, limit: int) -> int:
        chosen = self.data.expired(now)[:limit]
        for owner_id, conversation in chosen:
            self.data.delete_expired(owner_id, conversation.session.session_id, now=now)
        return len(chosen)


class InMemorySessions(InMemoryStore):
    """Implements `recollect.ports.conversations.SessionStore`."""

    async def start(
        self,
        scope: Scope,
        session: NewSession,
        *,
        now: datetime,
        expires_at: datetime | None = None,
    ) -> tuple[Session, bool]:
        existing = self.data.conversation(scope, session.session_id)
        if existing is not None:
            return existing.session, False
        started = self.data.start(scope, session, now=now, expires_at=expires_at)
        return started.session, True

    async def get(self, scope: Scope, session_id: UUID) -> Session | None:
        conversation = self.data.conversation(scope, session_id)
        return None if conversation is None else conversation.session

    async def list(
        self, scope: Scope, page: PageRequest, *, sort: SessionSort = SessionSort.UPDATED
    ) -> Page[Session]:
        sessions = [conversation.session for conversation in self.data.conversations(scope)]
        if sort is SessionSort.LAST_ACCESSED:
            return cut_page(
                sessions,
                page,
                AccessPosition,
                lambda one: AccessPosition(one.last_accessed_at, one.session_id),
            )
        return cut_page(
            sessions,
            page,
            SessionPosition,
            lambda one: SessionPosition(one.updated_at, one.session_id),
        )

    async def change(
        self, scope: Scope, session_id: UUID, changes: SessionChanges, *, now: datetime
    ) -> Session | None:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None:
            self.data.written_by(scope.owner_id, session_id)
            return None
        given = {name: value for name in _CHANGED if (value := getattr(changes, name)) is not None}
        if changes.metadata is not None:
            given["metadata"] = copy_object(changes.metadata)
        if changes.name is not None:
            given["name_turn"] = None
        session = conversation.session
        updated_at = max(now, session.updated_at)
        conversation.session = replace(session, **given, updated_at=updated_at)
        conversation.use(now=now, expires_at=None)
        return conversation.session

    async def delete(self, scope: Scope, session_id: UUID, *, now: datetime) -> bool:
        deleted = self.data.conversation(scope, session_id)
        if deleted is None:
            return False
        del self.data.of(scope.owner_id).conversations[session_id]
        count = len(deleted.messages)
        self.data.audit(scope, AuditAction.SESSION_DELETED, session_id, count=count, now=now)
        return True

    async def touch(
        self, scope: Scope, session_id: UUID, *, now: datetime, expires_at: datetime | None
    ) -> None:
        conversation = self.data.conversation(scope, session_id)
        if conversation is not None:
            conversation.use(now=now, expires_at=expires_at)


class InMemoryTurns(InMemoryStore):
    """Implements `recollect.ports.conversations.TurnStore`."""

    async def get(self, scope: Scope, session_id: UUID, turn_number: int) -> StoredTurn | None:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None or turn_number not in conversation.turns:
            return None
        messages = conversation.messages.values()
        return StoredTurn(
            status=conversation.turns[turn_number],
            messages=tuple(message for message in messages if message.turn_number == turn_number),
        )

    async def fail_abandoned(self, *, started_by: datetime) -> int:
        abandoned = [
            (conversation, message.turn_number)
            for _, conversation in self.data.all_conversations()
            for message in conversation.messages.values()
            if message.turn_number is not None
            and message.role is Role.USER
            and conversation.reopened.get(message.turn_number, message.created_at) <= started_by
            and conversation.turns[message.turn_number] is TurnStatus.PENDING
        ]
        for conversation, number in abandoned:
            conversation.set_status(number, TurnStatus.FAILED)
        return len(abandoned)


class InMemoryBranches(InMemoryStore):
    """Implements `recollect.ports.conversations.BranchStore`."""

    async def follow(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        continues: bool,
        goes_on: bool = False,
        **terms: Unpack[WriteTerms],
    ) -> Followed | None:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None:
            self.data.written_by(scope.owner_id, session_id)
            return None
        turns = conversation.turns.items()
        failed = {turn for turn, status in turns if status is TurnStatus.FAILED}
        stored = Stored(conversation.messages.values(), conversation.parents, failed=failed)
        plan = plan_branch(messages, stored, continues=continues, goes_on=goes_on)
        path, unknown = plan.branch.path, plan.branch.unknown
        if any(message.message_id in conversation.messages for message in unknown):
            raise IdAlreadyUsed(messages[-1].message_id)
        _switch(conversation, plan.switch, now=terms["now"])
        if not unknown:
            return Followed(question=path[-1], before=path[:-1])
        joins = bool(path) and unknown[0].role is Role.ASSISTANT
        appended = await InMemoryMessages(self.data).append(
            scope,
            session_id,
            unknown,
            reply_to=path[-1].message_id if joins else None,
            **terms,
        )
        added = appended.messages if appended else ()
        return Followed(question=added[-1], before=(*path, *added[:-1]))

    async def reply(
        self,
        scope: Scope,
        session_id: UUID,
        question_id: UUID,
        reply: NewMessage,
        **terms: Unpack[WriteTerms],
    ) -> Message | None:
        conversation = self.data.conversation(scope, session_id)
        question = None if conversation is None else conversation.messages.get(question_id)
        if conversation is None or question is None or question.role is not Role.USER:
            return None
        siblings = [
            message
            for message in conversation.active
            if message.turn_number == question.turn_number and message.role is Role.ASSISTANT
        ]
        await InMemoryMessages(self.data).append(
            scope,
            session_id,
            [reply],
            reply_to=question_id,
            **terms,
        )
        if question.is_active:
            conversation.switch(shown=(), hidden=siblings)
        return conversation.messages[reply.message_id]


def _switch(conversation: StoredConversation, switch: Switch, *, now: datetime) -> None:
    conversation.parents |= switch.parents
    for turn in switch.answered:
        conversation.turns[turn] = TurnStatus.COMPLETE
    if switch.open is not None:
        conversation.turns[switch.open] = TurnStatus.PENDING
        conversation.reopened[switch.open] = now
    conversation.switch(shown=switch.shown, hidden=switch.hidden)
