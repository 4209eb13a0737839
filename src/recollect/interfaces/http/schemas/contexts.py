"""Contexts, recall and rewritten questions as JSON."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, Literal, Self, TypeAlias, cast
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from recollect.domain.context.context import Context, Sources
from recollect.domain.context.rendering import standing_object
from recollect.domain.conversation.message import MAX_CONTENT_LENGTH
from recollect.domain.facts.fact import Fact, FactType
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
    AnyObject,
    Content,
    FromDomain,
    ModelName,
    UuidText,
    example,
    optional,
)
from recollect.interfaces.http.schemas.messages import MessageOut

_Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
_Names: TypeAlias = Annotated[
    list[_Name], Field(min_length=1, max_length=MAX_NAMES, fail_fast=True)
]
_Databases: TypeAlias = Annotated[
    tuple[Annotated[str, Field(max_length=255)], ...], Field(max_length=100, fail_fast=True)
]
_STANDALONE: Final = Field(
    description="What the question means without the conversation; as asked where that is unsure."
)
_WITH_MEANING: Final = Field(
    description="As it was asked, with what it means below it where that is sure."
)

_PROFILE: Final = Field(
    description="Values stored about the user by key, as far as MEMORY_PROFILE_KEYS names them."
)
_FACTS: Final = (
    "What is known about the user and matters to the question; what the window has of it is left "
    "out."
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
    standalone_question: str = _STANDALONE
    is_follow_up: bool = Field(description="Whether it probably needs the conversation.")
    context_terms: list[str] = Field(
        description="Words of the conversation that a search may add to a follow-up."
    )
    standing_instructions: list[StandingInstructionOut] = Field(
        description="What the user wants in all answers, oldest first; what the window has of it "
        "is left out."
    )
    profile: AnyObject = _PROFILE
    summary: str | None
    window: list[MessageOut]
    recalled: list[RecalledOut] = Field(description="Earlier exchanges, best first.")
    facts: list[KnownFactOut] = Field(description=_FACTS)
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
            messages=_chat_messages(context),
            tokens=context.tokens.total,
            max_tokens=context.tokens.limit,
            truncated=context.is_truncated,
            sources=SourcesOut.of(context.sources),
            warnings=list(context.warnings),
        )


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


class StandingVariable(BaseModel):
    """A standing instruction, as a template uses it."""

    text: str
    created_at: datetime


class VariablesOut(BaseModel):
    """The variables of a prompt template (`format=variables`)."""

    standing_instructions: list[StandingVariable] = Field(
        description="What the user wants in all answers, oldest first."
    )
    profile: AnyObject = _PROFILE
    facts: list[str] = Field(description=_FACTS)
    history: list[ChatMessage] = Field(description="The window, oldest first.")
    summary: str = Field(description="Of what came before it; empty without one.")
    recalled: list[RecalledVariable] = Field(description="Earlier exchanges, best first.")
    question: str = _WITH_MEANING


class ChatMessagesOut(BaseModel):
    """The messages of a chat completion, the question last (`format=messages`)."""

    messages: list[ChatMessage]


class InstructionsOut(BaseModel):
    """The earlier conversation in sections, beside the question (`format=instructions`)."""

    question: str = Field(description="As it was asked.")
    standalone_question: str = _STANDALONE
    instructions: str = Field(description="Empty where nothing was said before.")


class BlockOut(BaseModel):
    """The earlier conversation for a system prompt, beside the question (`format=block`)."""

    question: str = _WITH_MEANING
    block: str = Field(description="In Dutch for a Dutch question, else in English.")


AnyContextOut: TypeAlias = ContextOut | VariablesOut | ChatMessagesOut | InstructionsOut | BlockOut


def in_form(context: Context, form: ContextFormat) -> AnyContextOut:
    """The JSON form of a context in a format."""
    match form:
        case ContextFormat.OBJECT:
            return ContextOut.of(context)
        case ContextFormat.VARIABLES:
            return VariablesOut.model_validate(context.variables())
        case ContextFormat.MESSAGES:
            return ChatMessagesOut(messages=_chat_messages(context))
        case ContextFormat.INSTRUCTIONS:
            return InstructionsOut(
                question=context.question,
                standalone_question=context.standalone_question,
                instructions=context.instructions(),
            )
        case ContextFormat.BLOCK:
            block = context.conversation_block(language=context.language)
            return BlockOut(question=context.question_with_meaning, block=block)


def _chat_messages(context: Context) -> list[ChatMessage]:
    return [ChatMessage(**message) for message in context.messages()]
