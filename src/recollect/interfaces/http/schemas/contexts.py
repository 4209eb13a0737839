"""Contexts as JSON, in every form."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from recollect.domain.context.context import Context, Sources
from recollect.interfaces.http.schemas.messages import Content, MessageOut
from recollect.interfaces.http.schemas.recall import RecalledOut, RecallOptions

Databases = Annotated[
    tuple[Annotated[str, Field(max_length=255)], ...], Field(max_length=100, fail_fast=True)
]


class ContextIn(RecallOptions):
    """A question to be put into its context."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"question": "What about 2023?", "model": "gpt-4o"}},
    )

    question: Content
    model: Annotated[str, Field(max_length=255)] | None = Field(
        default=None, description="The model that will read it; default: MEMORY_LLM_MODEL."
    )
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000, strict=True)] | None = Field(
        default=None, description="The most tokens; default: MEMORY_MAX_CONTEXT_TOKENS."
    )
    window: Annotated[int, Field(ge=0, le=1000, strict=True)] | None = Field(
        default=None, description="Messages or turns in the window; default: the preset's."
    )
    databases: Databases | None = Field(
        default=None, description="Only what draws on these databases, or on none; default: any."
    )


class ChatMessage(BaseModel):
    """A message as chat models take it."""

    role: str
    content: str


class SummaryRange(BaseModel):
    """The messages that a summary stands for, by their sequence numbers."""

    first_sequence: int
    last_sequence: int


class SourcesOut(BaseModel):
    """Where the context comes from."""

    messages: list[UUID] = Field(description="The messages of the window.")
    summary: SummaryRange | None = Field(description="What the summary stands for.")
    recalled: list[UUID] = Field(description="The messages of what was recalled.")

    @classmethod
    def of(cls, sources: Sources) -> Self:
        """The JSON form of a context's sources."""
        return cls(
            messages=list(sources.messages),
            summary=_range(sources),
            recalled=list(sources.recalled),
        )


class ContextOut(BaseModel):
    """What a model is told."""

    question: str
    summary: str | None
    window: list[MessageOut]
    recalled: list[RecalledOut] = Field(description="Earlier exchanges, best first.")
    facts: list[JsonValue] = Field(description="Facts about the user; none yet.")
    messages: list[ChatMessage] = Field(description="All of it, ready for a chat model.")
    tokens: int
    max_tokens: int
    truncated: bool = Field(description="Whether something was left out to fit.")
    sources: SourcesOut
    warnings: list[str] = Field(description="What could not be looked up, and is missing.")

    @classmethod
    def of(cls, context: Context) -> Self:
        """The JSON form of a context."""
        return cls(
            question=context.question,
            summary=context.summary,
            window=[MessageOut.of(message) for message in context.window],
            recalled=[RecalledOut.of(found) for found in context.recalled],
            facts=[],
            messages=[ChatMessage(**message) for message in context.messages()],
            tokens=context.tokens.total,
            max_tokens=context.tokens.limit,
            truncated=context.is_truncated,
            sources=SourcesOut.of(context.sources),
            warnings=list(context.warnings),
        )


def _range(sources: Sources) -> SummaryRange | None:
    if sources.summary is None:
        return None
    first, last = sources.summary
    return SummaryRange(first_sequence=first, last_sequence=last)


class ContextFormat(StrEnum):
    """What a context is rendered as."""

    OBJECT = "object"
    VARIABLES = "variables"
    MESSAGES = "messages"
    INSTRUCTIONS = "instructions"
    BLOCK = "block"


class RecalledVariable(BaseModel):
    """Something said before, as a template uses it."""

    text: str
    speaker: str | None
    created_at: datetime


class VariablesOut(BaseModel):
    """The variables of a prompt template (`format=variables`)."""

    history: list[ChatMessage] = Field(description="The window, oldest first.")
    summary: str = Field(description="Of what came before it; empty without one.")
    recalled: list[RecalledVariable] = Field(description="Earlier exchanges, best first.")
    question: str

    @classmethod
    def of(cls, context: Context) -> Self:
        """The variables that a context fills."""
        return cls.model_validate(context.variables())


class ChatMessagesOut(BaseModel):
    """The messages of a chat completion, the question last (`format=messages`)."""

    messages: list[ChatMessage]


class InstructionsOut(BaseModel):
    """The earlier conversation in sections, beside the question (`format=instructions`)."""

    question: str
    instructions: str = Field(description="Empty where nothing was said before.")


class BlockOut(BaseModel):
    """The earlier conversation for a system prompt, beside the question (`format=block`)."""

    question: str
    block: str = Field(description="In Dutch for a Dutch question, else in English.")


AnyContextOut: TypeAlias = ContextOut | VariablesOut | ChatMessagesOut | InstructionsOut | BlockOut


def in_form(context: Context, form: ContextFormat) -> AnyContextOut:
    """The JSON form of a context that was asked for."""
    match form:
        case ContextFormat.OBJECT:
            return ContextOut.of(context)
        case ContextFormat.VARIABLES:
            return VariablesOut.of(context)
        case ContextFormat.MESSAGES:
            return ChatMessagesOut(messages=[ChatMessage(**m) for m in context.messages()])
        case ContextFormat.INSTRUCTIONS:
            return InstructionsOut(question=context.question, instructions=context.instructions())
        case ContextFormat.BLOCK:
            block = context.conversation_block(language=context.language)
            return BlockOut(question=context.question, block=block)
