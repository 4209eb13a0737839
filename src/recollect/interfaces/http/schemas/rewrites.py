"""Rewritten questions as JSON."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from recollect.domain.followup.dialogue import Method, Rewrite, Said, Signal
from recollect.domain.message import MAX_CONTENT_LENGTH, Role
from recollect.domain.text import check_text
from recollect.interfaces.http.schemas.messages import Content


class SaidIn(BaseModel):
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
    history: Annotated[list[SaidIn], Field(max_length=1000, fail_fast=True)] | None = None
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
