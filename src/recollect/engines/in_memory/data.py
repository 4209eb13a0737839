"""The data of the in-memory engine."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import Message, Role
from recollect.domain.conversation.paging import Item, Order, Page, PageRequest, Position
from recollect.domain.conversation.session import (
    NewSession,
    Session,
    TurnStatus,
    name_from_question,
)
from recollect.domain.erasure.erasure import Erasure, ErasureKind
from recollect.domain.facts.fact import FactChange
from recollect.domain.identity.accounts import ApiKey, UserState
from recollect.domain.identity.audit import (
    RETENTION,
    AuditAction,
    AuditChain,
    ChainedEntry,
    OwnedEntry,
)
from recollect.domain.identity.scope import Interface, Scope, TenantScope
from recollect.domain.recall.entry import IndexedEntry
from recollect.domain.text import JsonObject, JsonValue
from recollect.errors import ErasureUnderWay
from recollect.ports.facts import EmbeddedFact
from recollect.ports.jobs import Job, JobKind, job_id_for
from recollect.ports.runtime import Clock


@dataclass(slots=True, kw_only=True)
class StoredConversation:
    """A session with its messages, turns and summary.

    The last numbers are stored apart from the messages, so that the number of a deleted message
    is never used again.
    """

    session: Session
    messages: dict[UUID, Message] = field(default_factory=dict)
    turns: dict[int, TurnStatus] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)
    """The messages that turns follow, where that was written down; see `Stored`."""
    reopened: dict[int, datetime] = field(default_factory=dict)
    """When turns became pending again."""
    last_sequence: int = 0
    last_turn: int = 0
    summary: Summary | None = None
    entries: dict[int, IndexedEntry] = field(default_factory=dict)
    """What recall finds of it, by the number of the first message."""
    due: dict[int, int] = field(default_factory=dict)
    """The turns that have changed since they were indexed, each with the number of the change."""
    indexed: dict[int, int] = field(default_factory=dict)
    """The last changes of turns that are indexed, and wait to be learnt from."""
    learnt: dict[int, int] = field(default_factory=dict)
    """Changes of turns that need no learning: they come from an import, and so do their facts."""
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
        """Record that the session was used; its end, if it has one, moves only to later."""
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
        """Record that a turn is no longer as it was indexed."""
        self.changes += 1
        self.due[turn_number] = self.changes

    def is_learnt(self, turn_number: int) -> bool:
        """Whether nothing is left to learn from a turn."""
        due = self.due.get(turn_number)
        return due is None or self.learnt.get(turn_number) == due

    def set_status(self, turn_number: int, status: TurnStatus) -> None:
        """Set how far a turn has come, which changes it."""
        self.turns[turn_number] = status
        self.change(turn_number)

    def remove(self, messages: Iterable[Message]) -> None:
        """Delete messages, and with them turns without messages and a summary of them."""
        for message in messages:
            if message.turn_number is not None:
                self.change(message.turn_number)
            del self.messages[message.message_id]
            summary = self.summary
            if summary and summary.first_sequence <= message.sequence <= summary.last_sequence:
                self.summarize(None)
        self._drop_stale_entries()
        alive = {message.turn_number for message in self.messages.values()}
        self.turns = {number: status for number, status in self.turns.items() if number in alive}
        self.due = {number: change for number, change in self.due.items() if number in alive}
        self.recount()
        self._name_anew()

    def switch(self, *, shown: Iterable[Message], hidden: Iterable[Message]) -> None:
        """Make messages active and others inactive; a summary of either is deleted."""
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
        messages = map(self.messages.get, message_ids)
        return all(message is not None and message.is_active for message in messages)

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
        """Count the messages and turns of the active branch."""
        active = self.active
        turns = {message.turn_number for message in active} - {None}
        self.session = replace(self.session, message_count=len(active), turn_count=len(turns))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredValue:
    """A value of a profile as JSON text, so that nobody holds what is stored."""

    text: str
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(slots=True, kw_only=True)
class StoredProfile:
    """The values of a profile by key, and the version that was given last."""

    values: dict[str, StoredValue] = field(default_factory=dict)
    last_version: int = 0


@dataclass(slots=True, kw_only=True)
class StoredAudit:
    """The chain of an owner's audit entries."""

    tenant: str
    chain: AuditChain
    links: list[ChainedEntry] = field(default_factory=list)

    def add(self, owned: OwnedEntry) -> None:
        """Add an entry at the end of the chain."""
        link = ChainedEntry(
            owner_id=owned.owner_id,
            tenant=owned.tenant,
            number=self.chain.last_number + 1,
            entry=owned.entry,
            hash=b"",
        )
        link = replace(link, hash=link.hash_after(self.chain.last_hash))
        self.links.append(link)
        self.chain = replace(self.chain, last_number=link.number, last_hash=link.hash)


@dataclass(slots=True, kw_only=True)
class OwnerMemory:
    """Everything stored for one owner."""

    conversations: dict[UUID, StoredConversation] = field(default_factory=dict)
    api_keys: dict[UUID, ApiKey] = field(default_factory=dict)
    user_state: UserState | None = None
    profile: StoredProfile = field(default_factory=StoredProfile)
    audit: StoredAudit | None = None
    facts: dict[UUID, EmbeddedFact] = field(default_factory=dict)
    fact_changes: list[FactChange] = field(default_factory=list)
    """Of all facts, in the order in which they were made."""
    known_as: Scope | None = None
    """Whose conversations and facts these are, for a worker that asks about all owners."""
    started_by: Scope | None = None
    """Who started the last conversation."""
    erasures: dict[UUID, Erasure] = field(default_factory=dict)

    def is_being_erased(self, session_id: UUID | None = None) -> bool:
        """Whether everything of the owner is being erased, or that session."""
        return any(
            one.request.kind is ErasureKind.EVERYTHING
            or (session_id is not None and one.request.session_id == session_id)
            for one in self.erasures.values()
            if not one.is_done
        )

    def has_message(self, message_id: UUID, *, outside_of: UUID | None = None) -> bool:
        """Whether some message has that id, also one of an expired session not yet deleted."""
        return any(
            message_id in conversation.messages
            for session_id, conversation in self.conversations.items()
            if session_id != outside_of
        )


class InMemoryData:
    """The memories of all owners, shared by the stores of one engine."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._owners: defaultdict[UUID, OwnerMemory] = defaultdict(OwnerMemory)
        self.receipt_key: bytes | None = None
        self.jobs: dict[tuple[UUID, UUID], Job] = {}
        """By owner and job id: two owners may have sessions, and so jobs, of the same id."""

    def now(self) -> datetime:
        """The time by which sessions expire."""
        return self._clock.now()

    def of(self, owner_id: UUID) -> OwnerMemory:
        """What is stored for this owner, and for nobody else."""
        return self._owners[owner_id]

    def written_by(self, owner_id: UUID, session_id: UUID | None = None) -> OwnerMemory:
        """The same for whoever stores something; raises `ErasureUnderWay` while it is erased."""
        owner = self._owners[owner_id]
        if owner.is_being_erased(session_id):
            raise ErasureUnderWay
        return owner

    def replace(self, owner_id: UUID, memory: OwnerMemory) -> None:
        """Put another memory in the place of an owner's."""
        self._owners[owner_id] = memory

    def start(
        self, scope: Scope, session: NewSession, *, now: datetime, expires_at: datetime | None
    ) -> StoredConversation:
        """Start a conversation that is not there; an expired one of that id is deleted."""
        owner = self.written_by(scope.owner_id, session.session_id)
        owner.started_by, owner.known_as = scope, owner.known_as or scope
        conversations = owner.conversations
        if session.session_id in conversations:
            self.delete_expired(scope.owner_id, session.session_id, now=now)
        started = Session(
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
        conversations[session.session_id] = StoredConversation(session=started)
        return conversations[session.session_id]

    def conversation(self, scope: Scope, session_id: UUID) -> StoredConversation | None:
        """The owner's conversation of that id, or None; also if it has expired."""
        stored = self.of(scope.owner_id).conversations.get(session_id)
        return None if stored is None or stored.has_expired(self._clock.now()) else stored

    def conversations(self, scope: Scope) -> list[StoredConversation]:
        """The owner's conversations that have not expired."""
        now = self._clock.now()
        stored = self.of(scope.owner_id).conversations.values()
        return [conversation for conversation in stored if not conversation.has_expired(now)]

    def all_conversations(self) -> list[tuple[UUID, StoredConversation]]:
        """The conversations of all owners, each with its owner's id."""
        owners = self._owners.items()
        return [
            (owner_id, one) for owner_id, owner in owners for one in owner.conversations.values()
        ]

    def known(self) -> list[tuple[Scope, StoredConversation]]:
        """The conversations of all owners that have messages, but for expired ones."""
        now = self._clock.now()
        return [
            (scope, conversation)
            for owner_id, conversation in self.all_conversations()
            if (scope := self.of(owner_id).known_as) and not conversation.has_expired(now)
        ]

    def erasures(self) -> list[Erasure]:
        """The erasures of all owners."""
        return [one for owner in self._owners.values() for one in owner.erasures.values()]

    def known_owners(self) -> list[Scope]:
        """The owners that have stored messages or facts."""
        return [owner.known_as for owner in self._owners.values() if owner.known_as]

    def expired(self, now: datetime) -> list[tuple[UUID, StoredConversation]]:
        """The expired conversations of all owners, with their owners' ids, oldest end first."""
        return sorted(
            (pair for pair in self.all_conversations() if pair[1].has_expired(now)),
            key=lambda pair: (pair[1].session.expires_at, pair[1].session.session_id),
        )

    def delete_expired(self, owner_id: UUID, session_id: UUID, *, now: datetime) -> None:
        """Delete an expired conversation, and write so into its owner's audit log."""
        owner = self.of(owner_id)
        deleted, started_by = owner.conversations.pop(session_id), owner.started_by
        assert started_by is not None  # noqa: S101  # a conversation has been started
        retention = replace(
            started_by, actor=RETENTION, interface=Interface.WORKER, transaction_id=""
        )
        action, count = AuditAction.SESSION_EXPIRED, len(deleted.messages)
        self.audit(retention, action, session_id, count=count, now=now)

    def audit(
        self,
        scope: Scope | TenantScope,
        action: AuditAction,
        target: object,
        *,
        count: int = 1,
        now: datetime | None = None,
    ) -> None:
        """Add an entry to the owner's audit log."""
        at = now or self._clock.now()
        self.append_audit(OwnedEntry.of(scope, action, target, count=count, at=at))

    def append_audit(self, owned: OwnedEntry) -> None:
        """Add an entry to the chain of its owner."""
        owner = self.of(owned.owner_id)
        if owner.audit is None:
            owner.audit = StoredAudit(
                tenant=owned.tenant, chain=AuditChain(owner_id=owned.owner_id)
            )
        owner.audit.add(owned)

    def audits(self, tenant: str | None = None) -> list[StoredAudit]:
        """The chains of a tenant, or of all, in the order of their owners."""
        chains = (owner.audit for _, owner in sorted(self._owners.items()) if owner.audit)
        return [one for one in chains if tenant in {None, one.tenant}]

    def user_of(self, owner_id: UUID) -> str | None:
        """The name of an owner of whom something is stored beside audit entries."""
        scope = self.of(owner_id).known_as or self.of(owner_id).started_by
        return scope.user if scope else None

    def queue_compaction(self, scope: Scope, session_id: UUID, *, now: datetime) -> None:
        """Queue the compaction of a session, unless it waits already."""
        job = Job(
            job_id=job_id_for(JobKind.COMPACT, session_id),
            kind=JobKind.COMPACT,
            scope=Scope(tenant=scope.tenant, user=scope.user),
            session_id=session_id,
            attempts=0,
            scheduled_at=now,
        )
        self.jobs.setdefault((scope.owner_id, job.job_id), job)


@dataclass(frozen=True, slots=True)
class InMemoryStore:
    """A store on the data that all stores of an engine share."""

    data: InMemoryData


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
    position_of: Callable[[Item], Position],
) -> Page[Item]:
    """Sort the items by their positions and return the requested page."""
    after = request.position(kind)
    is_descending = request.order is Order.DESC
    rows = [(item, position_of(item)) for item in items]
    if after is not None:
        rows = [row for row in rows if (row[1] < after if is_descending else row[1] > after)]
    rows.sort(key=lambda row: row[1], reverse=is_descending)
    return request.page(rows[request.offset : request.offset + request.limit + 1])
