"""Contexts as JSON."""

from datetime import datetime
from typing import Annotated, Final, Self, TypeAlias
from uuid import UUID

from pydantic import BaseModel, Field

from recollect.domain.context.context import Context, Sources
from recollect.domain.context.rendering import standing_object
from recollect.domain.facts.fact import Fact, FactType
from recollect.interfaces.http.schemas.conversations import (
    AnyObject,
    Content,
    ModelName,
    example,
    optional,
)
from recollect.interfaces.http.schemas.messages import MessageOut
from recollect.interfaces.http.schemas.recall import (
    STANDALONE,
    RecalledOut,
    RecallOptions,
)

_Databases: TypeAlias = Annotated[
    tuple[Annotated[str, Field(max_length=255)], ...], Field(max_length=100, fail_fast=True)
]
PROFILE: Final = Field(
    description="Values stored about the user by key, as far as MEMORY_PROFILE_KEYS names them."
)
FACTS: Final = (
    "What is known about the user and matters to the question; what the window has of it is left "
    "out."
)


class ContextIn(RecallOptions):
    """A question to be put into its context."""

    model_config = example(question="What about 2023?", model="gpt-4o")

    question: Content
    model: ModelName | None = optional("The model that will read it; default: MEMORY_LLM_MODEL.")
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000, strict=True)] | None = optional(
        "The most tokens; default: MEMORY_MAX_CONTEXT_TOKENS."
    )
    window: Annotated[int, Field(ge=0, le=1000, strict=True)] | None = optional(
        "Messages or turns in the window; default: the preset's."
    )
    databases: _Databases | None = optional(
        "Only what draws on these databases, or on none; default: any."
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
    standing_instructions: list[UUID] = Field(
        description="The messages in which the user gave them."
    )
    facts: list[UUID] = Field(description="The messages that the facts come from.")

    @classmethod
    def of(cls, sources: Sources) -> Self:
        """The JSON form of a context's sources."""
        summary = None
        if sources.summary is not None:
            first, last = sources.summary
            summary = SummaryRange(first_sequence=first, last_sequence=last)
        return cls(
            messages=list(sources.messages),
            summary=summary,
            recalled=list(sources.recalled),
            standing_instructions=list(sources.standing_instructions),
            facts=list(sources.facts),
        )


class StandingInstructionOut(BaseModel):
    """What the user wants in all answers, in their own words."""

    fact_id: UUID = Field(description="The fact that it is; forget that to end it.")
    text: str = Field(description="A sentence of one of the user's messages.")
    session_id: UUID | None = Field(description="null where no message says it.")
    message_id: UUID | None = Field(description="null where no message says it.")
    created_at: datetime = Field(description="When it was last given, or changed.")


class KnownFactOut(BaseModel):
    """A fact about the user, in a context."""

    id: UUID
    content: str = Field(description="A sentence in the user's language.")
    type: FactType
    quote: str | None = Field(description="What the user said; null for what no message says.")
    created_at: datetime

    @classmethod
    def of(cls, fact: Fact) -> Self:
        """The JSON form of a fact."""
        return cls(
            id=fact.fact_id,
            content=fact.content,
            type=fact.type,
            quote=fact.evidence.quote if fact.evidence else None,
            created_at=fact.created_at,
        )


class ContextOut(BaseModel):
    """What a model is told."""

    question: str = Field(description="As it was asked.")
    standalone_question: str = STANDALONE
    is_follow_up: bool = Field(description="Whether it probably needs the conversation.")
    context_terms: list[str] = Field(
        description="Words of the conversation that a search may add to a follow-up."
    )
    standing_instructions: list[StandingInstructionOut] = Field(
        description="What the user wants in all answers, oldest first; what the window has of it "
        "is left out."
    )
    profile: AnyObject = PROFILE
    summary: str | None
    window: list[MessageOut]
    recalled: list[RecalledOut] = Field(description="Earlier exchanges, best first.")
    facts: list[KnownFactOut] = Field(description=FACTS)
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
            standalone_question=context.standalone_question,
            is_follow_up=context.is_follow_up,
            context_terms=list(context.context_terms),
            standing_instructions=[
                StandingInstructionOut.model_validate(standing_object(one))
                for one in context.standing_instructions
            ],
            profile={item.key: item.value for item in context.profile},
            summary=context.summary,
            window=[MessageOut.of(message) for message in context.window],
            recalled=[RecalledOut.of(entry) for entry in context.recalled],
            facts=[KnownFactOut.of(fact) for fact in context.facts],
            messages=chat_messages(context),
            tokens=context.tokens.total,
            max_tokens=context.tokens.limit,
            truncated=context.is_truncated,
            sources=SourcesOut.of(context.sources),
            warnings=list(context.warnings),
        )


def chat_messages(context: Context) -> list[ChatMessage]:
    """The messages that a model is given with a context."""
    return [ChatMessage(**message) for message in context.messages()]
