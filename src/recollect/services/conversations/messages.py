"""Messages: stored, read and deleted, in one session and in all of an owner's."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.conversation.message import Message, NewMessage
from recollect.domain.conversation.paging import MAX_LIMIT, Page, PageRequest
from recollect.domain.conversation.session import NewSession, TurnStatus
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.domain.text import check_not_ahead
from recollect.errors import (
    InvalidInput,
    InvalidRole,
    MessageNotFound,
    SessionNotFound,
    TurnNotFound,
)
from recollect.ports.conversations import (
    Appended,
    HistoryStore,
    MessageStore,
    SessionStart,
    StoredWindow,
    WriteTerms,
)
from recollect.ports.runtime import Clock
from recollect.services.access import Permissions
from recollect.services.audit.operations import Audited, audited, measured
from recollect.services.conversations.last_access import LastAccess
from recollect.services.conversations.sessions import MakeRoom, leave_room
from recollect.services.redaction import Redaction
from recollect.services.tenants.policies import TenantPolicies

MAX_APPENDED: Final = 10_000
"""The most messages that are stored at once."""
_MAX_TURN = 2**63 - 1
_MAX_KEPT = 2**31 - 1


def _appended(result: Appended) -> AuditAction:
    """What a retry finds stored is read."""
    return AuditAction.MESSAGE_WRITTEN if result.is_new else AuditAction.MESSAGE_READ


async def _ignore(scope: Scope, messages: Sequence[Message]) -> None:
    """Do nothing about stored messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages(Audited):
    """What an owner can do with the messages of a session."""

    store: MessageStore
    permissions: Permissions
    clock: Clock
    last_access: LastAccess
    policies: Policies = field(default_factory=Policies)
    tenants: TenantPolicies = field(default_factory=TenantPolicies)
    redaction: Redaction = field(default_factory=Redaction)
    on_stored: Callable[[Scope, Sequence[Message]], Awaitable[None]] = _ignore
    """Called with new messages once they are stored; never raises."""
    make_room: MakeRoom = leave_room

    @property
    def starts_unknown_sessions(self) -> bool:
        """Whether messages for a session that is not there may start it, by the preset."""
        return self.policies.starts_unknown_sessions

    async def begin_write(self, scope: Scope, session_id: UUID) -> WriteTerms:
        """Note that a session is written to now, and return the terms of the write."""
        retention = (await self.tenants.of(scope)).retention
        self.last_access.written(scope, session_id)
        now = self.clock.now()
        return WriteTerms(
            now=now,
            expires_at=retention.end_of_used(now),
            compaction=self.policies.compaction,
        )

    @audited(_appended)
    async def append(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        reply_to: UUID | None = None,
        starts_session: bool = False,
    ) -> Appended:
        """Store messages one after the other, all or none; a retry stores nothing twice.

        With `starts_session` they start a session that is not there. What replies to a message
        never does: that message would be missing.
        """
        self._check(messages, self.clock.now())
        start = None
        if starts_session:
            scope.check_may_start(session_id)
            retention = (await self.tenants.of(scope)).retention
            end = retention.end_of_new(self.clock.now())
            new = SessionStart(session=NewSession(session_id=session_id), expires_at=end)
            start = new if reply_to is None else None
        if start is not None:
            await self.make_room(scope, [session_id])
        appended = await self.store.append(
            scope,
            session_id,
            await self.redaction.messages(scope, messages),
            reply_to=reply_to,
            start=start,
            **await self.begin_write(scope, session_id),
        )
        if appended is None:
            raise SessionNotFound(session_id)
        if appended.is_new:
            await self.on_stored(scope, appended.messages)
            return appended
        # What a retry finds was stored earlier, under permissions that may have gone since.
        return replace(
            appended, messages=await self.permissions.for_owner(scope, appended.messages)
        )

    def _check(self, messages: Sequence[NewMessage], now: datetime) -> None:
        if not 1 <= len(messages) <= MAX_APPENDED:
            raise InvalidInput("messages", f"must be 1 to {MAX_APPENDED:,} at a time")
        for position, message in enumerate(messages):
            try:
                if message.role not in self.policies.roles:
                    raise InvalidRole(sorted(self.policies.roles), by="the server's preset")
                if message.created_at is not None:
                    check_not_ahead(message.created_at, "created_at", now=now)
            except InvalidInput as error:
                if len(messages) == 1:
                    raise
                raise error.inside(f"messages[{position}]") from None

    @audited(AuditAction.MESSAGE_READ)
    async def last(self, scope: Scope, session_id: UUID, *, count: int) -> tuple[Message, ...]:
        """Read the last messages, oldest first, as a prompt wants them."""
        if not 1 <= count <= MAX_LIMIT:
            raise InvalidInput("count", f"must lie between 1 and {MAX_LIMIT}")
        messages = await self.store.last(scope, session_id, count=count)
        if messages is None:
            raise SessionNotFound(session_id)
        self.last_access.note(scope, session_id)
        return await self.permissions.for_owner(scope, messages)

    async def window(
        self, scope: Scope, session_id: UUID, *, count: int, covers_all: bool = False
    ) -> StoredWindow:
        """Read the end of a session for a model; nothing is withheld yet, see `Permissions`."""
        stored = await self.store.window(scope, session_id, count=count, covers_all=covers_all)
        if stored is None:
            raise SessionNotFound(session_id)
        self.last_access.note(scope, session_id, last=stored.session.last_accessed_at)
        return stored

    @audited(AuditAction.MESSAGE_READ)
    async def list(
        self, scope: Scope, session_id: UUID, page: PageRequest, *, include_inactive: bool = False
    ) -> Page[Message]:
        """List a session's messages, newest first by default, as a display wants them.

        Those of the active branch, or with `include_inactive` of all branches.
        """
        stored = await self.store.list(scope, session_id, page, include_inactive=include_inactive)
        if stored is None:
            raise SessionNotFound(session_id)
        self.last_access.note(scope, session_id)
        return replace(stored, items=await self.permissions.for_owner(scope, stored.items))

    @measured(AuditAction.MESSAGE_DELETED)
    async def delete(self, scope: Scope, session_id: UUID, message_id: UUID) -> None:
        """Delete one message of a session."""
        if not await self.store.delete(scope, session_id, message_id, now=self.clock.now()):
            raise MessageNotFound(message_id)

    @measured(AuditAction.MESSAGES_CLEARED)
    async def clear(self, scope: Scope, session_id: UUID) -> int:
        """Delete all messages of a session and say how many; the session stays."""
        cleared = await self.store.clear(scope, session_id, now=self.clock.now())
        if cleared is None:
            raise SessionNotFound(session_id)
        return cleared

    @audited(AuditAction.TURN_READ)
    async def turn_status(self, scope: Scope, session_id: UUID, turn_number: int) -> TurnStatus:
        """Tell whether a question is pending, answered or failed."""
        _check_turn_number(turn_number)
        status = await self.store.turn_status(scope, session_id, turn_number)
        if status is None:
            raise TurnNotFound(turn_number)
        self.last_access.note(scope, session_id)
        return status

    @audited(AuditAction.TURN_FAILED)
    async def fail_turn(self, scope: Scope, session_id: UUID, turn_number: int) -> None:
        """Say that a question will get no answer; it is kept, but stays out of windows."""
        _check_turn_number(turn_number)
        if not await self.store.fail_turn(scope, session_id, turn_number):
            raise TurnNotFound(turn_number)


def _check_turn_number(turn_number: int) -> None:
    if not 1 <= turn_number <= _MAX_TURN:
        raise TurnNotFound(turn_number)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerMessages(Audited):
    """What an owner can do with the messages of all sessions."""

    store: HistoryStore
    permissions: Permissions
    clock: Clock

    @audited(AuditAction.MESSAGE_READ)
    async def list(self, scope: Scope, page: PageRequest) -> Page[Message]:
        """List the owner's messages across sessions, newest first by default."""
        stored = await self.store.list(scope, page)
        return replace(stored, items=await self.permissions.for_owner(scope, stored.items))

    @audited(AuditAction.MESSAGE_COUNTED)
    async def count(self, scope: Scope) -> int:
        """Count the owner's messages."""
        return await self.store.count(scope)

    @measured(AuditAction.MESSAGE_DELETED)
    async def delete(self, scope: Scope, message_id: UUID) -> None:
        """Delete one message, in whichever session it is."""
        if not await self.store.delete(scope, message_id, now=self.clock.now()):
            raise MessageNotFound(message_id)

    @measured(AuditAction.HISTORY_CLEARED)
    async def clear(self, scope: Scope) -> int:
        """Delete all the owner's messages and say how many; the sessions stay."""
        return await self.store.clear(scope, now=self.clock.now())

    @measured(AuditAction.HISTORY_TRIMMED)
    async def trim(self, scope: Scope, *, keep_last: int) -> int:
        """Delete all but the newest messages and say how many went."""
        if not 0 <= keep_last <= _MAX_KEPT:
            raise InvalidInput("keep_last", f"must lie between 0 and {_MAX_KEPT}")
        return await self.store.trim(scope, keep_last=keep_last, now=self.clock.now())
