"""Recall as JSON."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from recollect.domain.recall.asking import MAX_NAME_LENGTH, MAX_NAMES, MAX_QUERY_LENGTH
from recollect.domain.recall.entry import RecallFilter
from recollect.domain.recall.policy import (
    DEFAULT_RECALLED,
    MAX_RECALLED,
    RecallScope,
    RecallWish,
)
from recollect.domain.recall.recalled import Recalled, Recollection

_Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
_Names = Annotated[list[_Name], Field(min_length=1, max_length=MAX_NAMES, fail_fast=True)]


class RecallOptions(BaseModel):
    """What of earlier exchanges goes into the context of a question."""

    recall_k: Annotated[int, Field(ge=0, le=MAX_RECALLED, strict=True)] | None = Field(
        default=None,
        description="Earlier exchanges at most, 0 for none; default: MEMORY_SEMANTIC_SEARCH_K.",
    )
    recall_scope: Literal["user", "session", "off"] | None = Field(
        default=None, description="Where they are looked for; default: MEMORY_RECALL."
    )
    recall_elsewhere: bool = Field(
        default=True,
        strict=True,
        description="False: nothing of other sessions is recalled, whatever is set.",
    )

    def recall(self) -> RecallWish:
        """What it wants recalled."""
        scope = None if self.recall_scope is None else RecallScope(self.recall_scope)
        return RecallWish(scope=scope, k=self.recall_k, elsewhere=self.recall_elsewhere)


class RecallIn(BaseModel):
    """What to look for, and where."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "query": "sales by region",
                "k": 5,
                "scope": "user",
                "since": "2026-01-01T00:00:00Z",
                "tables": ["shop.sales"],
            }
        },
    )

    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_LENGTH)]
    k: Annotated[int, Field(ge=1, le=MAX_RECALLED, strict=True)] = Field(
        default=DEFAULT_RECALLED, description="The most items."
    )
    scope: Literal["user", "session"] | None = Field(
        default=None,
        description="In all sessions of the user, or in one; default: in the one that is named, "
        "else in all.",
    )
    session_id: Annotated[str, Field(json_schema_extra={"format": "uuid"})] | None = None
    since: AwareDatetime | None = Field(default=None, description="Said at this time or later.")
    until: AwareDatetime | None = Field(default=None, description="Said before this time.")
    tables: _Names | None = Field(
        default=None, description="Answers that draw on at least one of these tables."
    )
    databases: _Names | None = Field(
        default=None, description="Answers that draw on no other databases than these."
    )
    speaker: _Name | None = Field(default=None, description="Said by this speaker of a log.")

    def narrowed(self, session_id: UUID | None) -> RecallFilter:
        """What the search is narrowed to."""
        return RecallFilter(
            session_id=session_id,
            since=self.since,
            until=self.until,
            tables=None if self.tables is None else frozenset(self.tables),
            databases=None if self.databases is None else frozenset(self.databases),
            speaker=self.speaker,
        )


class RecalledOut(BaseModel):
    """One earlier exchange, or one message of a plain log."""

    score: float = Field(ge=0, le=1, description="To be compared within one answer only.")
    session_id: UUID
    message_ids: list[UUID] = Field(description="Its messages in the order they were said.")
    text: str
    speaker: str | None
    tables: list[str] = Field(description="The tables its answer draws on.")
    created_at: datetime
    lexical: float = Field(description="BM25 of the words; 0 where none is shared.")
    semantic: float | None = Field(
        description="Cosine of the meanings; null where they were not compared."
    )

    @classmethod
    def of(cls, found: Recalled) -> Self:
        """The JSON form of what was found."""
        return cls(
            score=found.score,
            session_id=found.session_id,
            message_ids=list(found.message_ids),
            text=found.text,
            speaker=found.speaker,
            tables=list(found.tables),
            created_at=found.created_at,
            lexical=found.lexical,
            semantic=found.semantic,
        )


class RecallOut(BaseModel):
    """What was found, best first."""

    items: list[RecalledOut]
    warnings: list[str] = Field(
        description="What kept the search from being all it could be; usually none."
    )

    @classmethod
    def of(cls, recollection: Recollection) -> Self:
        """The JSON form of a recollection."""
        items = [RecalledOut.of(item) for item in recollection.items]
        return cls(items=items, warnings=list(recollection.warnings))
