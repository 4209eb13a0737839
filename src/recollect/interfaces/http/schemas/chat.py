"""Answers as JSON, and data questions."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from recollect.answerers.denodo import names_in
from recollect.domain.chat.answers import Answer, Answered
from recollect.domain.conversation.session import MAX_SESSION_NAME_LENGTH, Session
from recollect.domain.text import json_characters
from recollect.interfaces.http.schemas.contexts import SourcesOut
from recollect.interfaces.http.schemas.conversations import (
    AnyJson,
    Content,
    ModelName,
    UuidText,
    example,
    optional,
)
from recollect.interfaces.http.schemas.recall import RecalledOut, RecallOptions

_Short: TypeAlias = Annotated[str, Field(max_length=1000)]
_Count: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000, strict=True)]
_Names: TypeAlias = (
    Annotated[str, Field(max_length=100_000)]
    | Annotated[list[_Short], Field(max_length=1000, fail_fast=True)]
)


class ChatIn(RecallOptions):
    """A question; which conversation it belongs to is said by the header X-Session-ID."""

    model_config = example(query="Wat zijn de vereisten voor valbeveiliging?")

    query: Content
    model: Annotated[str, Field(min_length=1, max_length=255)] | None = optional(
        "The model that answers; default: MEMORY_LLM_MODEL."
    )
    stream: bool = Field(
        default=False,
        strict=True,
        description="Whether the answer comes in pieces, as server-sent events: `piece`, … and at "
        "the end `answer`, or `error`.",
    )


class ChatMetadata(BaseModel):
    """What memory did for an answer."""

    messages_in_context: int = Field(description="Earlier messages that the answer could draw on.")
    session_id: UUID | None
    question: str = Field(description="The question as it was understood, without its history.")
    sources: SourcesOut
    recalled: list[RecalledOut] = Field(description="Earlier exchanges it could draw on, too.")
    warnings: list[str] = Field(description="What is not as it should be; usually empty.")


class ChatOut(BaseModel):
    """An answer."""

    answer: str
    citations: list[AnyJson] = Field(description="What the answer draws on.")
    metadata: ChatMetadata

    @classmethod
    def of(cls, answered: Answered) -> Self:
        """The JSON form of an answer."""
        context = answered.context
        return cls(
            answer=answered.answer.content,
            citations=[*(answered.answer.details.citations or ())],
            metadata=ChatMetadata(
                messages_in_context=len(context.window),
                session_id=answered.session_id,
                question=context.standalone_question,
                sources=SourcesOut.of(context.sources),
                recalled=[RecalledOut.of(one) for one in context.recalled],
                warnings=list(answered.warnings),
            ),
        )


def answer_characters(answer: Answer, *, most: int) -> int:
    """About how many characters there are to write; counting ends soon after `most`."""
    fields = {**answer.details.to_json(), **answer.response}
    return len(answer.content) + json_characters(fields, most=most)


class AnswerQuestionFields(BaseModel):
    """What the AI SDK's /answerQuestion takes beside the question; forwarded only when set."""

    plot: bool | None = None
    plot_details: str | None = None
    embeddings_provider: _Short | None = None
    embeddings_model: _Short | None = None
    vector_store_provider: _Short | None = None
    llm_provider: _Short | None = None
    llm_model: ModelName | None = None
    llm_temperature: Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)] | None = None
    llm_max_tokens: Annotated[int, Field(ge=1, le=10_000_000, strict=True)] | None = None
    vdp_database_names: _Names | None = optional("Names with commas between them, or a list.")
    vdp_tag_names: _Names | None = optional("As vdp_database_names.")
    use_views: _Names | None = optional("As vdp_database_names.")
    expand_set_views: bool | None = None
    custom_instructions: Annotated[str, Field(max_length=100_000)] | None = optional(
        "What the conversation adds is put behind it."
    )
    markdown_response: bool | None = None
    vector_search_k: _Count | None = None
    vector_search_sample_data_k: _Count | None = None
    mode: Literal["default", "data", "metadata"] | None = optional(
        "What the AI SDK answers from: the data, the metadata, or what it finds fitting (default)."
    )
    disclaimer: bool | None = None
    verbose: bool | None = None
    vql_execute_rows_limit: _Count | None = None
    llm_response_rows_limit: _Count | None = None
    allow_external_associations: bool | None = None
    check_ambiguity: bool | None = None
    filter_logic: Literal["AND", "OR"] | None = None
    vector_search_total_limit: _Count | None = None
    enable_query_fixer: bool | None = None
    enable_query_reviewer: bool | None = None


class MemoryChatIn(AnswerQuestionFields):
    """A question for /answerQuestion, the conversation it belongs to, and what memory may do.

    Fields that are not listed here are passed on to the AI SDK, with a warning that names them.
    """

    model_config = {
        **example(
            question="Show me total sales by region for 2024", vdp_database_names="banking_db"
        ),
        "extra": "allow",
    }

    question: Content
    session_id: UuidText | None = optional(
        "The conversation to resume; missing or blank: by the preset."
    )
    session_name: Annotated[str, Field(max_length=MAX_SESSION_NAME_LENGTH)] | None = optional(
        "Name of a new conversation; default: its first question."
    )
    use_memory: Annotated[bool, Field(strict=True)] = Field(
        default=True, description="False for a plain call: nothing is read, nothing is stored."
    )
    max_history_messages: Annotated[int, Field(ge=0, le=1000, strict=True)] | None = optional(
        "Messages or turns in the window; default: the preset's."
    )
    semantic_search_k: Annotated[int, Field(ge=0, le=100, strict=True)] | None = optional(
        "Similar earlier questions to recall; default: MEMORY_SEMANTIC_SEARCH_K."
    )

    def options(self) -> dict[str, JsonValue]:
        """What goes to the answerer: only what was set, also fields of newer versions."""
        known = {name: getattr(self, name) for name in AnswerQuestionFields.model_fields}
        given = known | (self.model_extra or {})
        return {name: value for name, value in given.items() if value is not None}

    def unknown(self) -> tuple[str, ...]:
        """The fields that only a newer version of the AI SDK may know."""
        return tuple(sorted(self.model_extra or ()))

    def databases(self) -> tuple[str, ...]:
        """The databases that the question names."""
        return names_in(self.vdp_database_names)

    def tags(self) -> tuple[str, ...]:
        """The tags that the question names."""
        return names_in(self.vdp_tag_names)


class ConversationMetadata(BaseModel):
    """The conversation as it is after the answer; empty where nothing was stored."""

    conversation_id: str | None = None
    session_name: str | None = None
    message_count: int | None = optional("Questions and answers together.")
    turn_count: int | None = optional("Questions.")
    created_at: datetime | None = None
    updated_at: datetime | None = None
    expires_at: datetime | None = None
    is_summarized: bool | None = None

    @classmethod
    def of(cls, session: Session) -> Self:
        """The metadata of a session."""
        return cls(
            conversation_id=str(session.session_id),
            session_name=session.name,
            message_count=session.message_count,
            turn_count=session.turn_count,
            created_at=session.created_at,
            updated_at=session.updated_at,
            expires_at=session.expires_at,
            is_summarized=session.is_summarized,
        )


class MemoryContextUsed(BaseModel):
    """What memory added to the question."""

    history_messages_count: int = Field(description="Earlier messages that were included.")
    similar_queries_count: int = Field(description="Similar earlier questions that were included.")
    context_tokens: int = Field(description="Tokens that memory added to the question.")
    context_truncated: bool = Field(description="Whether something was left out to fit.")
    standalone_question: str = Field(description="The question as it was asked of the data.")

    @classmethod
    def of(cls, answered: Answered) -> Self:
        """What an answer was given."""
        context = answered.context
        return cls(
            history_messages_count=len(context.window),
            similar_queries_count=len(context.recalled),
            context_tokens=context.tokens.total - context.tokens.question,
            context_truncated=context.is_truncated,
            standalone_question=context.standalone_question,
        )


class MemoryChatOut(BaseModel):
    """An answer as /answerQuestion gives it, whatever else that version says, and memory's part."""

    model_config = ConfigDict(extra="allow")

    answer: str
    sql_query: str = ""
    query_explanation: str = ""
    tokens: dict[str, JsonValue] = Field(default_factory=dict)
    execution_result: dict[str, AnyJson] = Field(default_factory=dict)
    related_questions: list[str] = Field(default_factory=list)
    tables_used: list[str] = Field(default_factory=list, description="The tables of the query.")
    raw_graph: str = ""
    sql_execution_time: float = 0
    vector_store_search_time: float = 0
    llm_time: float = 0
    total_execution_time: float = 0
    conversation_metadata: ConversationMetadata
    memory_context_used: MemoryContextUsed
    memory_retrieval_time: float = Field(description="Seconds until the question was put.")
    warnings: list[str] = Field(description="What is not as it should be; usually empty.")

    @classmethod
    def of(cls, answered: Answered, session: Session | None, warnings: list[str]) -> Self:
        """The JSON form of an answer; of the session only its id where it cannot be read."""
        known = str(answered.session_id) if answered.session_id else None
        return cls.model_validate(
            {
                **_plain(answered),
                **answered.answer.response,
                "answer": answered.answer.content,
                "conversation_metadata": ConversationMetadata.of(session)
                if session
                else ConversationMetadata(conversation_id=known),
                "memory_context_used": MemoryContextUsed.of(answered),
                "memory_retrieval_time": round(answered.timings.memory, 6),
                "warnings": warnings,
            }
        )


def _plain(answered: Answered) -> dict[str, Any]:
    """The fields of an answer that came from no data platform."""
    details = answered.answer.details
    tokens = details.tokens
    return {
        "sql_query": details.sql_query or "",
        "query_explanation": details.query_explanation or "",
        "tokens": {"total_tokens": tokens} if isinstance(tokens, int) else tokens or {},
        "tables_used": list(details.tables_used or ()),
        "llm_time": round(answered.timings.answer, 6),
        "total_execution_time": round(answered.timings.total, 6),
    }
