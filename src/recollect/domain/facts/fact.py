"""A fact about a user, where it comes from, and the history of its changes."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Self
from uuid import UUID

from recollect.domain.facts.reading.secrets import holds_secret
from recollect.domain.language import words_of
from recollect.domain.text import check_text, without_breaks
from recollect.errors import InvalidInput

MAX_CONTENT: Final = 500
MERGED_BY: Final = "; "
"""What stands between statements that were merged into one fact."""
"""The most characters of a fact."""
MAX_QUOTE: Final = 500


class FactType(StrEnum):
    """What kind of knowledge a fact is."""

    FACT = "fact"
    PREFERENCE = "preference"
    CONTEXT = "context"
    """What the user is working on for now."""
    PROCEDURE = "procedure"
    """How things are done or meant at the user's."""
    ENTITY = "entity"
    RELATIONSHIP = "relationship"

    @property
    def default_priority(self) -> "Priority":
        """How much facts of the type matter unless somebody says otherwise."""
        return _PRIORITIES[self]


class Priority(StrEnum):
    """How much a fact matters, and so how slowly it fades."""

    CRITICAL = "critical"
    """Never fades."""
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """Its place among all, the more it matters the higher."""
        return _RANKS[self]


_RANKS: Final = {priority: rank for rank, priority in enumerate(reversed(Priority))}
_PRIORITIES: Final = {
    FactType.FACT: Priority.HIGH,
    FactType.PREFERENCE: Priority.MEDIUM,
    FactType.CONTEXT: Priority.LOW,
    FactType.PROCEDURE: Priority.MEDIUM,
    FactType.ENTITY: Priority.MEDIUM,
    FactType.RELATIONSHIP: Priority.LOW,
}


class FactStatus(StrEnum):
    """Whether a fact holds."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    """Another fact has taken its place."""
    RETRACTED = "retracted"
    """The user has withdrawn it."""
    PRUNED = "pruned"
    """It was not used for so long that it has faded."""


class FactSource(StrEnum):
    """How a fact came to be."""

    EXTRACTED = "extracted"
    """From what the user said in passing."""
    STATED = "stated"
    """The user asked to remember it, or said that it is to hold from then on."""
    API = "api"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The words of a user's message that a fact was learnt from."""

    session_id: UUID
    message_id: UUID
    turn_number: int | None
    quote: str
    """Verbatim from the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One statement about a user."""

    fact_id: UUID
    type: FactType
    priority: Priority
    content: str
    """Self-contained, in the user's language."""
    source: FactSource
    created_at: datetime
    updated_at: datetime
    accessed_at: datetime
    """When it was last used in a context."""
    valid_from: datetime
    valid_to: datetime | None = None
    """When it ceased to hold; None while it holds."""
    status: FactStatus = FactStatus.ACTIVE
    slot: str | None = None
    """What it is about; None if unknown."""
    language: str | None = None
    confidence: float = 1.0
    evidence: Evidence | None = None
    """None for facts that no message says."""
    tables: tuple[str, ...] = ()
    """The tables that the answer of its turn uses: who may not see them gets no such fact."""
    access_count: int = 0
    version: int = 1
    """Counts the changes; not the accesses."""

    @property
    def gist(self) -> str:
        """What two facts share if one repeats the other: their words."""
        return gist_of(self.content)

    def says(self, gist: str) -> bool:
        """Whether it repeats a statement, alone or beside others that were merged into it."""
        if self.gist == gist:
            return True
        parts = self.content.split(MERGED_BY)
        return len(parts) > 1 and any(gist_of(part) == gist for part in parts)

    @property
    def is_active(self) -> bool:
        """Whether it holds."""
        return self.status is FactStatus.ACTIVE

    def ended(self, status: FactStatus, at: datetime) -> Self:
        """The fact as it no longer holds."""
        return self.changed(at, status=status, valid_to=at)

    def restored(self, at: datetime) -> Self:
        """The fact as it holds again."""
        return replace(self.changed(at, status=FactStatus.ACTIVE, valid_to=None), accessed_at=at)

    def changed(self, at: datetime, **changes: object) -> Self:
        """The next version of the fact."""
        return replace(self, updated_at=at, version=self.version + 1, **changes)  # type: ignore[arg-type]


def gist_of(content: str) -> str:
    """The words of a statement, without case and punctuation; the statement if it has none."""
    return " ".join(words_of(content)) or content


class ChangeKind(StrEnum):
    """What happened to a fact."""

    CREATED = "created"
    REINFORCED = "reinforced"
    """It was said again."""
    MERGED = "merged"
    """More of the same was added to it."""
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    EDITED = "edited"
    PRUNED = "pruned"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChange:
    """A line of a fact's history."""

    fact_id: UUID
    version: int
    """The version that the change made."""
    kind: ChangeKind
    at: datetime
    actor: str
    """Who changed it: `user`, `extractor`, `api`, `dashboard`, `retention`."""
    content: str
    status: FactStatus
    reason: str | None = None
    message_id: UUID | None = None
    """The message that led to it."""
    statement: str | None = None
    """The gist of what that message says: it is learnt once, however often it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRecord:
    """A fact with the history of its changes, oldest first."""

    fact: Fact
    history: tuple[FactChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEdit:
    """The next version of a fact with the line of its history."""

    fact: Fact
    change: FactChange
    is_rewritten: bool = False
    """Whether its content is another than before."""

    @property
    def is_new(self) -> bool:
        """Whether the fact was not there before."""
        return self.fact.version == 1


def checked_content(text: str) -> str:
    """The content of a fact as it is stored; `InvalidInput` if it cannot be one."""
    content = without_breaks(check_text(text, "content", max_length=MAX_CONTENT))
    if not content:
        raise InvalidInput("content", "must not be blank")
    return without_secret(content, "content")


def without_secret(text: str, field: str) -> str:
    """Return the text as it is; `InvalidInput` if a secret is in it."""
    if holds_secret(text):
        problem = "holds a secret, such as a password or the number of a card: none is stored"
        raise InvalidInput(field, problem)
    return text
