"""What is to be erased, and how far an erasure has come."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Self, TypeAlias
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.identity.audit import AuditAction, AuditEntry, OwnedEntry
from recollect.domain.identity.scope import Interface, Scope, TenantScope
from recollect.domain.text import JsonObject
from recollect.errors import InvalidInput

Counts: TypeAlias = Mapping[str, int]
"""How much there was, by kind: a table of the database, the name of a vector store."""
DATABASE: Final = "database"
VECTORS: Final = "vectors"
CACHES: Final = "caches"
ENCRYPTION: Final = "encryption"
KEYS: Final = "keys"
EMPTIED: Final = "emptied"
"""Not a place: under this name an erasure notes which of several archives have nothing left."""


class ErasureKind(StrEnum):
    """How much an erasure erases."""

    EVERYTHING = "everything"
    """All of a user."""
    SESSION = "session"
    """One session, and the facts that a message of it had a part in."""
    BEFORE = "before"
    """What was said, stored or learnt before a time."""
    TENANT = "tenant"
    """All users of a tenant."""


class ErasureState(StrEnum):
    """How far an erasure has come."""

    UNDER_WAY = "under_way"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRequest:
    """What somebody wants to be erased."""

    kind: ErasureKind = ErasureKind.EVERYTHING
    session_id: UUID | None = None
    before: datetime | None = None

    @classmethod
    def of(
        cls, *, session_id: UUID | None = None, before: datetime | None = None, now: datetime
    ) -> Self:
        """Read what is to be erased of a user: everything, one session, or what is older.

        Raises:
            InvalidInput: both are given, or the time is not a time of the past with its zone.
        """
        if session_id is not None and before is not None:
            raise InvalidInput("before", "must not be given together with a session")
        if session_id is not None:
            return cls(kind=ErasureKind.SESSION, session_id=session_id)
        if before is None:
            return cls()
        if before.utcoffset() is None:
            raise InvalidInput("before", "must have a time zone, as in 2026-01-31T00:00:00Z")
        if before > now:
            raise InvalidInput("before", "must not lie in the future; leave it out for everything")
        return cls(kind=ErasureKind.BEFORE, before=before)

    def has_message(self, message: Message) -> bool:
        """Whether a message of the owner is to be erased."""
        match self.kind:
            case ErasureKind.SESSION:
                return message.session_id == self.session_id
            case ErasureKind.BEFORE:
                return self.before is not None and message.created_at < self.before
            case _:
                return True


WHOLE_TENANT: Final = ErasureRequest(kind=ErasureKind.TENANT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """One erasure, as it is stored: whose by a pseudonym, and never what was erased."""

    erasure_id: UUID
    owner_id: UUID
    """Derived from tenant and user, or of a whole tenant from that alone."""
    tenant: str
    request: ErasureRequest
    requested_by: str
    transaction_id: str
    requested_at: datetime
    expected: int = 0
    """Messages that there were when it was requested."""
    state: ErasureState = ErasureState.UNDER_WAY
    counts: Mapping[str, Counts] = field(default_factory=dict)
    """What is erased so far, by place and kind, and which archives are `EMPTIED`."""
    waits_for: str | None = None
    """What could not be reached when it was tried last."""
    part_of: UUID | None = None
    """The erasure of a tenant that it belongs to."""
    receipt: JsonObject | None = None
    """Once it is done."""

    @classmethod
    def requested(
        cls,
        scope: Scope | TenantScope,
        request: ErasureRequest,
        *,
        erasure_id: UUID,
        at: datetime,
        part_of: UUID | None = None,
    ) -> Self:
        """An erasure that has not begun; the store that begins it counts what is expected."""
        return cls(
            erasure_id=erasure_id,
            owner_id=scope.owner_id,
            tenant=scope.tenant,
            request=request,
            requested_by=scope.actor,
            transaction_id=scope.transaction_id,
            requested_at=at,
            part_of=part_of,
        )

    @property
    def erased(self) -> Mapping[str, Counts]:
        """What is erased so far, by place and kind, for whoever asked for it."""
        return {place: counts for place, counts in self.counts.items() if place != EMPTIED}

    @property
    def is_done(self) -> bool:
        """Whether everything is erased, and verified."""
        return self.state is ErasureState.DONE

    def audit_entry(self, *, at: datetime) -> OwnedEntry:
        """What the audit log tells of it once it is done."""
        entry = AuditEntry(
            action=AuditAction.MEMORY_ERASED,
            target=str(self.erasure_id),
            count=self.erased_messages,
            actor=self.requested_by,
            transaction_id=self.transaction_id,
            at=at,
            interface=Interface.WORKER,
        )
        return OwnedEntry(self.owner_id, self.tenant, entry)

    @property
    def erased_messages(self) -> int:
        """How many messages are erased so far, for a display of progress."""
        return self.counts.get(DATABASE, {}).get("messages", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was looked for once everything was erased, and how much of it was found."""

    remaining: Mapping[str, Counts]
    """What is left, by place and kind; what was looked at and is empty is there with a zero."""
    sampled_phrases: int = 0
    """Phrases taken from messages before these were erased."""
    found_phrases: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        left = any(number for counts in self.remaining.values() for number in counts.values())
        return not left and not self.found_phrases

    def remains(self) -> str:
        """Name what is left, for operators."""
        names = [
            f"{place}.{kind}: {number}"
            for place, counts in self.remaining.items()
            for kind, number in counts.items()
            if number
        ]
        if self.found_phrases:
            names.append(f"phrases: {self.found_phrases}")
        return ", ".join(names)
