"""What the in-memory engine remembers of each owner."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import Message, Role
from recollect.domain.conversation.paging import Item, Order, Page, PageRequest, Position
from recollect.domain.conversation.session import Session, name_from_question
from recollect.domain.conversation.turns import TurnStatus
from recollect.domain.identity.accounts import ApiKey, AuditAction, AuditEntry, UserState
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.job import Job
from recollect.domain.recall.entry import IndexedEntry
from recollect.domain.text import JsonObject, JsonValue
from recollect.ports.runtime import Clock


@dataclass(slots=True, kw_only=True)
class StoredConversation:
    """A session with its messages, turns and summary.

    The last numbers given out are kept apart from what is there now, so that a deleted
    message's number is never given again.
    """

    session: Session
    messages: dict[UUID, Message] = field(default_factory=dict)
    turns: dict[int, TurnStatus] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)
    """The messages that turns follow, where that was written down; see `domain.branches`."""
    reopened: dict[int, datetime] = field(default_factory=dict)
    """When turns were asked again."""
    last_sequence: int = 0
    last_turn: int = 0
    summary: Summary | None = None
    entries: dict[int, IndexedEntry] = field(default_factory=dict)
    """What recall finds of it, by the number of the first message."""
    due: dict[int, int] = field(default_factory=dict)
    """The turns that have changed since they were indexed, each with the number of the change."""
    changes: int = 0

    @property
    def active(self) -> tuple[Message, ...]:
        """The messages of the active branch, oldest first."""
        return tuple(message for message in self.messages.values() if message.is_active)

    @property
    def summarized_through(self) -> int:
        """The last message that the summary stands for; 0 without one."""
        return 0 if self.summary is None else self.summary.last_sequence

    def has_expired(self, now: datetime) -> bool:
        """Whether the session has come to its end."""
        end = self.session.expires_at
        return end is not None and end <= now

    def use(self, *, now: datetime, expires_at: datetime | None) -> None:
        """Note that the session was used; its end, if it has one, may move but only away."""
        end = self.session.expires_at
        if end is not None and expires_at is not None:
            end = max(end, expires_at)
        time = max(self.session.last_accessed_at, now)
        self.session = replace(self.session, last_accessed_at=time, expires_at=end)

    def summarize(self, summary: Summary | None) -> None:
        """Put a summary, or none, in the place of the one before."""
        self.summary = summary
        self.session = replace(
            self.session,
            summary=None if summary is None else summary.text,
            summary_tables=() if summary is None else summary.tables,
        )

    def change(self, turn_number: int) -> None:
        """Note that a turn is no longer as it was indexed."""
        self.changes += 1
        self.due[turn_number] = self.changes

    def remove(self, messages: Iterable[Message]) -> None:
        """Take messages out, and with them what lives by them: turns, and a summary of them."""
        for message in messages:
            if message.turn_number is not None:
                self.change(message.turn_number)
            del self.messages[message.message_id]
            if self._is_summarized(message):
                self.summarize(None)
        self._drop_stale_entries()
        alive = {message.turn_number for message in self.messages.values()}
        self.turns = {number: status for number, status in self.turns.items() if number in alive}
        self.due = {number: change for number, change in self.due.items() if number in alive}
        self.recount()
        self._name_anew()

    def switch(self, *, shown: Iterable[Message], hidden: Iterable[Message]) -> None:
        """Make messages active and others inactive; a summary that tells of either goes."""
        for messages, is_active in ((shown, True), (hidden, False)):
            for message in messages:
                if message.turn_number is not None:
                    self.change(message.turn_number)
                self.messages[message.message_id] = replace(message, is_active=is_active)
                if self.summarized_through >= message.sequence:
                    self.summarize(None)
        self._drop_stale_entries()
        self.recount()

    def has_all(self, message_ids: Iterable[UUID]) -> bool:
        """Whether all these messages are still there, on the active branch."""
        found = map(self.messages.get, message_ids)
        return all(message is not None and message.is_active for message in found)

    def name_after(self, question: Message | None) -> None:
        """Name the session after a question, or take the name that it has from one."""
        name = None if question is None else name_from_question(question.content)
        turn = question.turn_number if question is not None and name else None
        self.session = replace(self.session, name=name, name_turn=turn)

    def _name_anew(self) -> None:
        """Where the question is gone that gave the name, name it after the first one left."""
        questions = [m for m in self.messages.values() if m.role is Role.USER]
        turn = self.session.name_turn
        if turn is not None and all(question.turn_number != turn for question in questions):
            self.name_after(next((one for one in questions if one.is_active), None))

    def _drop_stale_entries(self) -> None:
        self.entries = {
            sequence: indexed
            for sequence, indexed in self.entries.items()
            if self.has_all(indexed.entry.message_ids)
        }

    def recount(self) -> None:
        """Make the session tell how many messages and turns the active branch has now."""
        active = self.active
        turns = {message.turn_number for message in active} - {None}
        self.session = replace(self.session, message_count=len(active), turn_count=len(turns))

    def _is_summarized(self, message: Message) -> bool:
        if self.summary is None:
            return False
        return self.summary.first_sequence <= message.sequence <= self.summary.last_sequence


@dataclass(slots=True, kw_only=True)
class OwnerMemory:
    """Everything kept for one owner."""

    conversations: dict[UUID, StoredConversation] = field(default_factory=dict)
    api_keys: dict[UUID, ApiKey] = field(default_factory=dict)
    user_state: UserState | None = None
    audit_entries: list[AuditEntry] = field(default_factory=list)
    known_as: Scope | None = None
    """Whose conversations these are, for a worker that asks about all owners."""

    def has_message(self, message_id: UUID) -> bool:
        """Whether some message has that id, also one of an expired session not yet deleted."""
        return any(message_id in found.messages for found in self.conversations.values())


class InMemoryState:
    """The memories of all owners, shared by the stores of one engine."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._owners: defaultdict[UUID, OwnerMemory] = defaultdict(OwnerMemory)
        self.jobs: dict[tuple[UUID, UUID], Job] = {}
        """By owner and job id: two owners may have sessions, and so jobs, of the same id."""

    def of(self, owner_id: UUID) -> OwnerMemory:
        """What is kept for this owner, and for nobody else."""
        return self._owners[owner_id]

    def conversation(self, scope: Scope, session_id: UUID) -> StoredConversation | None:
        """The owner's conversation of that id, or None; also if it has expired."""
        found = self.of(scope.owner_id).conversations.get(session_id)
        return None if found is None or found.has_expired(self._clock.now()) else found

    def conversations(self, scope: Scope) -> list[StoredConversation]:
        """The owner's conversations that have not expired."""
        now = self._clock.now()
        found = self.of(scope.owner_id).conversations.values()
        return [conversation for conversation in found if not conversation.has_expired(now)]

    def all_conversations(self) -> list[StoredConversation]:
        """The conversations of all owners."""
        owners = self._owners.values()
        return [found for owner in owners for found in owner.conversations.values()]

    def known(self) -> list[tuple[Scope, StoredConversation]]:
        """The conversations of all owners in which something was said, but for expired ones."""
        now = self._clock.now()
        return [
            (owner.known_as, conversation)
            for owner in self._owners.values()
            for conversation in owner.conversations.values()
            if owner.known_as is not None and not conversation.has_expired(now)
        ]

    def expired(self, now: datetime) -> list[tuple[UUID, StoredConversation]]:
        """The expired conversations of all owners, with their owners' ids, oldest end first."""
        found = [
            (owner_id, conversation)
            for owner_id, owner in self._owners.items()
            for conversation in owner.conversations.values()
            if conversation.has_expired(now)
        ]
        return sorted(
            found, key=lambda pair: (pair[1].session.expires_at, pair[1].session.session_id)
        )

    def delete_expired(self, owner_id: UUID, session_id: UUID, *, now: datetime) -> None:
        """Delete an expired conversation, and write so into its owner's audit log."""
        owner = self.of(owner_id)
        deleted = owner.conversations.pop(session_id)
        entry = AuditEntry(
            action=AuditAction.SESSION_EXPIRED,
            target=str(session_id),
            count=len(deleted.messages),
            actor="retention",
            transaction_id="",
            at=now,
        )
        owner.audit_entries.append(entry)

    def audit(
        self,
        scope: Scope | TenantScope,
        action: AuditAction,
        *,
        target: object,
        count: int,
        now: datetime,
    ) -> None:
        """Write a line into the owner's audit log."""
        entry = AuditEntry(
            action=action,
            target=str(target),
            count=count,
            actor=scope.actor,
            transaction_id=scope.transaction_id,
            at=now,
        )
        self.of(scope.owner_id).audit_entries.append(entry)


def copy_object(value: JsonObject) -> JsonObject:
    """Copy a JSON object, so that what its giver does to it later changes nothing stored."""
    return {key: _copy_json(item) for key, item in value.items()}


def _copy_json(value: JsonValue) -> JsonValue:
    match value:
        case Mapping():
            return copy_object(value)
        case list() | tuple():
            return [_copy_json(item) for item in value]
        case _:
            return value


def cut_page(
    items: Iterable[Item],
    request: PageRequest,
    kind: type[Position],
    *,
    position_of: Callable[[Item], Position],
) -> Page[Item]:
    """Sort the items by their positions and return the page that was asked for."""
    after = request.position(kind)
    is_descending = request.order is Order.DESC
    rows = [(item, position_of(item)) for item in items]
    if after is not None:
        rows = [row for row in rows if (row[1] < after if is_descending else row[1] > after)]
    rows.sort(key=lambda row: row[1], reverse=is_descending)
    return request.page(rows[request.offset : request.offset + request.limit + 1])
