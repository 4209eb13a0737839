"""Recall and rewritten questions as JSON."""

from datetime import datetime
from typing import Annotated, Final, Literal, TypeAlias, cast
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from recollect.domain.conversation.message import MAX_CONTENT_LENGTH
from recollect.domain.followup.dialogue import HistoryMessage, Method
from recollect.domain.recall.entry import (
    DEFAULT_RECALLED,
    MAX_RECALLED,
    RecallFilter,
    RecallOverrides,
    RecallScope,
)
from recollect.domain.recall.query import MAX_NAME_LENGTH, MAX_NAMES, MAX_QUERY_LENGTH
from recollect.inputs import RecallFilters, history_message, recall_filter
from recollect.interfaces.http.schemas.conversations import (
    Content,
    FromDomain,
    UuidText,
    example,
    optional,
)

_Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
_Names: TypeAlias = Annotated[
    list[_Name], Field(min_length=1, max_length=MAX_NAMES, fail_fast=True)
]
STANDALONE: Final = Field(
    description="What the question means without the conversation; as asked where that is unsure."
)
WITH_MEANING: Final = Field(
    description="As it was asked, with what it means below it where that is sure."
)


class RecallOptions(BaseModel):
    """What of earlier exchanges goes into the context of a question."""

    recall_k: Annotated[int, Field(ge=0, le=MAX_RECALLED, strict=True)] | None = optional(
        "Earlier exchanges at most, 0 for none; default: MEMORY_SEMANTIC_SEARCH_K."
    )
    recall_scope: Literal["user", "session", "off"] | None = optional(
        "Where they are looked for; default: MEMORY_RECALL."
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

    model_config = example(
        query="sales by region",
        k=5,
        scope="user",
        since="2026-01-01T00:00:00Z",
        tables=["shop.sales"],
    )

    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_LENGTH)]
    k: Annotated[int, Field(ge=1, le=MAX_RECALLED, strict=True)] = Field(
        default=DEFAULT_RECALLED, description="The most items."
    )
    scope: Literal["user", "session"] | None = optional(
        "In all sessions of the user, or in one; default: in the one that is named, else in all."
    )
    session_id: UuidText | None = None
    since: AwareDatetime | None = optional("Said at this time or later.")
    until: AwareDatetime | None = optional("Said before this time.")
    tables: _Names | None = optional("Answers that draw on at least one of these tables.")
    databases: _Names | None = optional("Answers that draw on no other databases than these.")
    speaker: _Name | None = optional("Said by this speaker of a log.")

    def filters(self, session_id: UUID | None) -> RecallFilter:
        """What an entry must match, in that session if one is given."""
        given = self.model_dump(include={*RecallFilters.__annotations__}, exclude_none=True)
        return recall_filter(cast("RecallFilters", given), session_id)


class RecalledOut(FromDomain):
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


class RecallOut(FromDomain):
    """What was found, best first."""

    items: list[RecalledOut]
    warnings: list[str] = Field(
        description="What kept the search from being all it could be; usually none."
    )


class HistoryMessageIn(BaseModel):
    """One message of a history."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    content: Content
    sql_query: Annotated[str, Field(max_length=MAX_CONTENT_LENGTH)] | None = None

    def to_domain(self) -> HistoryMessage:
        """The message this stands for."""
        return history_message(self.role, self.content, self.sql_query)


class RewriteIn(BaseModel):
    """A question, and the conversation it was asked in: a session's, or one given here."""

    model_config = example(
        question="What about 2023?",
        history=[
            {"role": "user", "content": "Show me total sales by region for 2024"},
            {"role": "assistant", "content": "North 2.5M, South 1.8M"},
        ],
    )

    question: Content
    session_id: UuidText | None = None
    history: Annotated[list[HistoryMessageIn], Field(max_length=1000, fail_fast=True)] | None = None
    language: Annotated[str, Field(max_length=10)] | None = optional(
        "en, nl, de, fr or es; default: told by the question."
    )


class RewriteOut(FromDomain):
    """The question as it reads by itself."""

    standalone_question: str = Field(description="As asked where no rewrite is sure enough.")
    is_follow_up: bool = Field(description="Whether it probably needs its history.")
    method: Method
    signals: list[str] = Field(description="What was done, in words.")
    confidence: float = Field(
        ge=0, le=1, description="How probably the standalone question says what the user means."
    )
    language: str
    topic: str | None = Field(description="What a follow-up seems to be about.")
    context_terms: list[str] = Field(
        description="Words of the history that a search may add to a follow-up."
    )
