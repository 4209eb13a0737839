"""The audit log: what was done to whose memory, chained by hash; never what was said."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple
from uuid import UUID

from recollect.domain.identity.scope import Interface, Scope, TenantScope

RETENTION: Final = "retention"
"""The actor in the audit log when a session expires."""
MAX_ITEMS: Final = 100
"""The most ids that one entry has; its count is always the whole number."""
FIRST_HASH: Final = bytes(32)
"""What the first entry of a chain is hashed after."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class AuditAction(StrEnum):
    """Actions in the audit log."""

    SESSION_CREATED = "session.created"
    SESSION_READ = "session.read"
    SESSION_CHANGED = "session.changed"
    SESSION_DELETED = "session.deleted"
    SESSION_EXPIRED = "session.expired"
    MESSAGE_WRITTEN = "message.written"
    MESSAGE_READ = "message.read"
    MESSAGE_COUNTED = "message.counted"
    MESSAGE_DELETED = "message.deleted"
    MESSAGES_CLEARED = "messages.cleared"
    HISTORY_CLEARED = "history.cleared"
    HISTORY_TRIMMED = "history.trimmed"
    TURN_READ = "turn.read"
    TURN_FAILED = "turn.failed"
    CONTEXT_READ = "context.read"
    RECALL_READ = "recall.read"
    STATE_READ = "state.read"
    STATE_CHANGED = "state.changed"
    STATE_DELETED = "state.deleted"
    PROFILE_READ = "profile.read"
    PROFILE_CHANGED = "profile.changed"
    PROFILE_KEY_DELETED = "profile_key.deleted"
    PROFILE_CLEARED = "profile.cleared"
    FACT_CREATED = "fact.created"
    FACT_LEARNT = "fact.learnt"
    FACT_READ = "fact.read"
    FACT_COUNTED = "fact.counted"
    FACT_CHANGED = "fact.changed"
    FACT_PRUNED = "fact.pruned"
    FACT_EXPORTED = "fact.exported"
    FACT_IMPORTED = "fact.imported"
    FACT_DELETED = "fact.deleted"
    FACTS_CLEARED = "facts.cleared"
    MEMORY_EXPORT_STARTED = "memory.export_started"
    """Recorded before anything is written, whatever becomes of it."""
    MEMORY_EXPORTED = "memory.exported"
    """Everything of a user, or what was written until nobody read on; the count is that of the
    items."""
    MEMORY_IMPORTED = "memory.imported"
    MEMORY_ERASED = "memory.erased"
    """The target is the erasure's id, the count that of the messages erased."""
    ENCRYPTION_KEY_ROTATED = "encryption_key.rotated"
    """Data keys of a tenant's users were wrapped by another master key, whose id is the target."""
    CONTENT_ENCRYPTED = "content.encrypted"
    """What was stored plain of a tenant's users; the count is that of the rows."""
    API_KEY_CREATED = "api_key.created"
    API_KEY_READ = "api_key.read"
    API_KEY_REVOKED = "api_key.revoked"
    TENANT_SETTINGS_READ = "tenant_settings.read"
    TENANT_SETTINGS_CHANGED = "tenant_settings.changed"
    """The target is the names of the settings that changed, without their values."""
    USER_READ = "user.read"
    """The users of a tenant were listed."""
    AUDIT_READ = "audit.read"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One action: who did what to how many things, and when."""

    action: str
    """An `AuditAction`; a text, for what another version wrote is read as it is."""
    target: str
    """The id of what was worked on or of what it is in, a profile's key, or a mode; else empty."""
    count: int
    actor: str
    transaction_id: str
    at: datetime
    interface: str = Interface.LIBRARY
    items: tuple[UUID, ...] = ()
    """The ids of what was read or written, at most `MAX_ITEMS` of them."""


class OwnedEntry(NamedTuple):
    """An entry that is not stored yet, and whose memory it is about."""

    owner_id: UUID
    tenant: str
    entry: AuditEntry

    @classmethod
    def of(
        cls,
        scope: Scope | TenantScope,
        action: AuditAction,
        target: object = "",
        *,
        count: int = 1,
        items: Sequence[UUID] = (),
        at: datetime,
    ) -> "OwnedEntry":
        """Describe what the scope's actor did; nothing of the scope is kept but who and whose."""
        entry = AuditEntry(
            action=action,
            target=str(target),
            count=count,
            actor=scope.actor,
            transaction_id=scope.transaction_id,
            at=at,
            interface=scope.interface,
            items=tuple(items[:MAX_ITEMS]),
        )
        return cls(scope.owner_id, scope.tenant, entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainedEntry:
    """A stored entry with its place in the chain of its owner."""

    owner_id: UUID
    tenant: str
    number: int
    """Counts an owner's entries from 1, without gaps."""
    entry: AuditEntry
    hash: bytes
    user: str | None = None
    """The owner's name; None where nothing else is stored of the owner, or not any more."""

    def hash_after(self, previous: bytes) -> bytes:
        """The hash that this entry must have after the entry with the previous one.

        SHA-256 over that hash and the fields as a JSON array, as PostgreSQL writes `jsonb`.
        """
        entry = self.entry
        fields = (
            str(self.owner_id),
            self.tenant,
            self.number,
            entry.action,
            entry.target,
            [str(item) for item in entry.items],
            entry.count,
            entry.actor,
            entry.interface,
            entry.transaction_id,
            (entry.at - _EPOCH) // timedelta(microseconds=1),
        )
        return hashlib.sha256(previous + json.dumps(fields, ensure_ascii=False).encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditChain:
    """Where the chain of an owner's entries begins and ends."""

    owner_id: UUID
    begins_after: int = 0
    """The number of the last entry that retention has deleted; 0 before it has deleted any."""
    begin_hash: bytes = FIRST_HASH
    """The hash of that entry."""
    last_number: int = 0
    last_hash: bytes = FIRST_HASH


class ChainFault(StrEnum):
    """What is wrong with a chain."""

    MISSING = "missing"
    """The entry is not there."""
    ALTERED = "altered"
    """The entry is not the one that was written."""
    UNCHAINED = "unchained"
    """The entry is outside of its owner's chain."""


class BrokenLink(NamedTuple):
    """The first entry of a chain that is not as it was written."""

    owner_id: UUID
    number: int
    fault: ChainFault


class ChainCheck:
    """Checks the entries of a chain one after the other, in the order of their numbers."""

    def __init__(self, chain: AuditChain) -> None:
        self._chain = chain
        self.number = chain.begins_after
        self._hash = chain.begin_hash

    def fault_of(self, link: ChainedEntry) -> BrokenLink | None:
        """What is wrong at the next entry; None if it follows the one before."""
        number = self.number + 1
        if link.number < number:
            return self._broken(link.number, ChainFault.UNCHAINED)
        if link.number > number:
            return self._broken(number, ChainFault.MISSING)
        if link.hash != link.hash_after(self._hash):
            return self._broken(number, ChainFault.ALTERED)
        self.number, self._hash = number, link.hash
        return None

    def fault_at_end(self) -> BrokenLink | None:
        """What is wrong once all entries have been seen."""
        if self.number < self._chain.last_number:
            return self._broken(self.number + 1, ChainFault.MISSING)
        if self._hash != self._chain.last_hash:
            return self._broken(self.number, ChainFault.ALTERED)
        return None

    def _broken(self, number: int, fault: ChainFault) -> BrokenLink:
        return BrokenLink(self._chain.owner_id, number, fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which entries of a tenant are listed."""

    owner_id: UUID | None = None
    """The owner whose memory they are about; None for all of the tenant."""
    action: AuditAction | None = None
    since: datetime | None = None
    until: datetime | None = None
    """Before this time."""

    def matches(self, link: ChainedEntry) -> bool:
        """Whether an entry is listed."""
        at = link.entry.at
        return (
            self.owner_id in {None, link.owner_id}
            and self.action in {None, link.entry.action}
            and (self.since is None or at >= self.since)
            and (self.until is None or at < self.until)
        )


class AuditFailure(StrEnum):
    """What happens to operations that cannot be recorded."""

    WARN = "warn"
    """They go on; what is not recorded is logged and counted."""
    FAIL = "fail"
    """They are refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPolicy:
    """Which operations are recorded beside deletions, how strictly, and for how long."""

    is_on: bool = False
    """Whether reads and ordinary writes are recorded, too."""
    failure: AuditFailure = AuditFailure.WARN
    patience: timedelta = timedelta(seconds=30)
    """How long writing entries may fail before operations are refused."""
    retention: timedelta | None = None
    """How long entries are kept; None for ever."""
