"""Facts about users as JSON."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, Field, SkipValidation

from recollect.domain.facts.fact import (
    MAX_CONTENT,
    ChangeKind,
    FactRecord,
    FactSource,
    FactStatus,
    FactType,
    Priority,
)
from recollect.domain.facts.query import FoundFact
from recollect.domain.facts.transfer import MAX_IMPORTED
from recollect.interfaces.http.schemas.conversations import (
    AnyObject,
    FromDomain,
    example,
    optional,
)

_Content = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_CONTENT,
        description="One sentence that can be understood alone; secrets are refused.",
    ),
]


def _only_text(value: object) -> object:
    """Refuse what is no text: an enumeration would write it all into its error."""
    if value is None or isinstance(value, str):
        return value
    raise ValueError("must be a text")


_Type = Annotated[FactType, BeforeValidator(_only_text)]
_Priority = Annotated[Priority, BeforeValidator(_only_text)]


class FactIn(BaseModel):
    """A fact to store."""

    model_config = example(content="We report in euros.", type="procedure", priority="high")

    content: _Content
    type: _Type = FactType.FACT
    priority: _Priority | None = optional("Default: that of the type.")


class FactPatch(BaseModel):
    """What to change; what is left out or null stays as it is."""

    model_config = example(content="We report in dollars.", priority="critical")

    content: _Content | None = None
    type: _Type | None = None
    priority: _Priority | None = None


class EvidenceOut(FromDomain):
    """The words that a fact was learnt from."""

    session_id: UUID
    message_id: UUID
    turn_number: int | None
    quote: str = Field(description="Verbatim from the user's message.")


class FactOut(FromDomain):
    """A fact about the user."""

    fact_id: UUID
    type: FactType
    priority: Priority
    content: str
    status: FactStatus
    source: FactSource = Field(
        description="Learnt in passing (extracted), at the user's request (stated), or api."
    )
    evidence: EvidenceOut | None = Field(description="null where no message says it.")
    slot: str | None = Field(description="What it is about, such as employer; null if unknown.")
    language: str | None
    confidence: float
    tables: list[str] = Field(description="Who may not see them gets no such fact.")
    valid_from: datetime
    valid_to: datetime | None = Field(description="null while it holds.")
    created_at: datetime
    updated_at: datetime
    accessed_at: datetime = Field(description="When it was last used in a context.")
    access_count: int
    version: int = Field(description="Counts the changes; also in the header ETag.")


class FoundFactOut(FactOut):
    """A fact of a list; of a search by meaning with its similarity."""

    similarity: float | None = optional(
        "How near it is to `search`, up to 1; null where words alone were compared."
    )

    @classmethod
    def found(cls, found: FoundFact) -> Self:
        """Convert a result of a search."""
        return cls(**FactOut.of(found.fact).__dict__, similarity=found.similarity)


class FactChangeOut(FromDomain):
    """A line of a fact's history."""

    version: int = Field(description="The version that the change made.")
    kind: ChangeKind
    at: datetime
    actor: str = Field(description="Who changed it: user, extractor, api, dashboard or retention.")
    content: str
    status: FactStatus
    reason: str | None
    message_id: UUID | None = Field(description="The message that led to it.")


class FactRecordOut(FactOut):
    """A fact with its history."""

    history: list[FactChangeOut] = Field(description="Oldest first.")

    @classmethod
    def of_record(cls, record: FactRecord) -> Self:
        """Convert a fact with its history."""
        history = [FactChangeOut.of(change) for change in record.history]
        return cls(**FactOut.of(record.fact).__dict__, history=history)


class FactStatsOut(FromDomain):
    """How many facts there are."""

    total: int = Field(description="Of any status.")
    by_type: dict[str, int] = Field(description="Active ones.")
    by_priority: dict[str, int] = Field(description="Active ones.")
    by_status: dict[str, int]
    by_week: dict[str, int] = Field(description="Created ones, by the Monday of the week.")


class ExportedChangeOut(FactChangeOut):
    """A line of the history as an export has it."""

    fact_id: UUID
    statement: str | None = Field(description="The words of what the message says.")


class ExportedFactOut(FactOut):
    """A fact as an export has it."""

    history: list[ExportedChangeOut] = Field(description="Oldest first.")


class FactExport(BaseModel):
    """All facts of a user."""

    facts: list[ExportedFactOut] = Field(description="Of any status, oldest first.")


class FactImport(BaseModel):
    """Facts to store, as an export has them; of each, only `content` is required."""

    model_config = example(facts=[{"content": "We report in euros.", "type": "procedure"}])

    # Each is read by the service: all at once would hold the event loop for too long.
    facts: Annotated[
        list[SkipValidation[AnyObject]], Field(description=f"At most {MAX_IMPORTED:,}.")
    ]


class ImportReportOut(FromDomain):
    """What became of the facts of an import."""

    added: int
    skipped: int = Field(description="There already, active or not, or given twice.")
    conflicting: int = Field(
        description="About something of which the user has another one, such as the employer."
    )


class DeletedFacts(BaseModel):
    """How much was deleted."""

    deleted: int = Field(description="Number of facts.", examples=[3])
