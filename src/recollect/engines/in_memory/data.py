"""The data of the in-memory engine."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from recollect.domain.conversation.session import NewSession
from recollect.domain.erasure.erasure import Erasure, ErasureKind
from recollect.domain.facts.fact import FactChange
from recollect.domain.facts.stored import EmbeddedFact
from recollect.domain.identity.accounts import ApiKey, UserState
from recollect.domain.identity.audit import (
    RETENTION,
    AuditAction,
    AuditChain,
    ChainedEntry,
    OwnedEntry,
)
from recollect.domain.identity.scope import Interface, Scope, TenantScope
from recollect.domain.tenants.settings import StoredSettings
from recollect.domain.text import JsonObject, JsonValue
from recollect.engines.in_memory.stored_conversation import StoredConversation
from recollect.errors import ErasureUnderWay
from recollect.ports.jobs import Job, JobKind, job_id_for
from recollect.ports.runtime import Clock


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
    """Whose memory this is, for a worker that asks about all owners."""
    started_by: Scope | None = None
    """Who started the last conversation."""
    erasures: dict[UUID, Erasure] = field(default_factory=dict)
    archives: set[str] = field(default_factory=set)
    """Those that may have sessions of the owner, by their addresses."""

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
        self.ended_visits: dict[UUID, datetime] = {}
        """With the times when they would have expired."""
        self.tenant_settings: dict[str, StoredSettings] = {}
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

    def claimed_by(self, scope: Scope) -> OwnerMemory:
        """The same, of an owner whose name is known from then on."""
        owner = self.written_by(scope.owner_id)
        owner.known_as = owner.known_as or scope
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
        started = replace(session, metadata=copy_object(session.metadata)).started(
            now=now, expires_at=expires_at
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

    def memories(self) -> list[OwnerMemory]:
        """What is stored for each owner."""
        return [*self._owners.values()]

    def known_owners(self) -> list[Scope]:
        """The users that have something stored."""
        return [owner.known_as for owner in self._owners.values() if owner.known_as]

    def known_tenants(self) -> set[str]:
        """The tenants that have keys or settings."""
        owners = self._owners.values()
        return {key.tenant for one in owners for key in one.api_keys.values()} | {
            *self.tenant_settings
        }

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
