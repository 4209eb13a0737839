"""Recall and rewriting as JSON."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from recollect.domain.conversation.message import MAX_CONTENT_LENGTH, Role
from recollect.domain.followup.dialogue import Method, Rewrite, Said, Signal
from recollect.domain.recall.entry import RecallFilter
from recollect.domain.recall.query import MAX_NAME_LENGTH, MAX_NAMES, MAX_QUERY_LENGTH
from recollect.domain.recall.recalled import (
    DEFAULT_RECALLED,
    MAX_RECALLED,
    Recalled,
    RecallOverrides,
    RecallScope,
    Recollection,
)
from recollect.domain.text import check_text
from recollect.interfaces.http.schemas.messages import Content

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

    def recall(self) -> RecallOverrides:
        """What it wants recalled."""
        scope = None if self.recall_scope is None else RecallScope(self.recall_scope)
        return RecallOverrides(scope=scope, k=self.recall_k, elsewhere=self.recall_elsewhere)


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

    def filters(self, session_id: UUID | None) -> RecallFilter:
        """What the search is filters to."""
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


class HistoryMessageIn(BaseModel):
    """One message of a history."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    content: Content
    sql_query: Annotated[str, Field(max_length=MAX_CONTENT_LENGTH)] | None = None

    def to_domain(self) -> Said:
        """What this stands for."""
        check_text(self.content, "content", max_length=MAX_CONTENT_LENGTH)
        if self.sql_query is not None:
            check_text(self.sql_query, "sql_query", max_length=MAX_CONTENT_LENGTH)
        return Said(role=Role(self.role), content=self.content, sql_query=self.sql_query)


class RewriteIn(BaseModel):
    """A question, and the conversation it was asked in: a session's, or one given here."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "question": "What about 2023?",
                "history": [
                    {"role": "user", "content": "Show me total sales by region for 2024"},
                    {"role": "assistant", "content": "North 2.5M, South 1.8M"},
                ],
            }
        },
    )

    question: Content
    session_id: Annotated[str, Field(json_schema_extra={"format": "uuid"})] | None = None
    history: Annotated[list[HistoryMessageIn], Field(max_length=1000, fail_fast=True)] | None = None
    model: Annotated[str, Field(max_length=255)] | None = Field(
        default=None, description="The model that answers; default: MEMORY_LLM_MODEL."
    )
    language: Annotated[str, Field(max_length=10)] | None = Field(
        default=None, description="en, nl, de, fr or es; default: told by the question."
    )


class RewriteOut(BaseModel):
    """The question as it reads by itself."""

    standalone_question: str
    is_follow_up: bool
    method: Method
    signals: list[Signal] = Field(description="What in the question points back.")
    confidence: float = Field(ge=0, le=1)
    language: str

    @classmethod
    def of(cls, rewrite: Rewrite) -> Self:
        """The JSON form of a rewrite."""
        return cls.model_validate(rewrite, from_attributes=True)
