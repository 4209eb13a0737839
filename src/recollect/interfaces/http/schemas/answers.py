"""Questions and answers of /chat as JSON."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from recollect.domain.answer import Answer
from recollect.domain.inquiry import Answered
from recollect.domain.json_values import json_characters
from recollect.interfaces.http.schemas.common import AnyJson
from recollect.interfaces.http.schemas.contexts import SourcesOut
from recollect.interfaces.http.schemas.messages import Content
from recollect.interfaces.http.schemas.recall import RecalledOut, RecallOptions


class ChatIn(RecallOptions):
    """A question; which conversation it belongs to is said by the header X-Session-ID."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"query": "Wat zijn de vereisten voor valbeveiliging?"}},
    )

    query: Content
    model: Annotated[str, Field(min_length=1, max_length=255)] | None = Field(
        default=None, description="The model that answers; default: MEMORY_LLM_MODEL."
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
                question=context.question,
                sources=SourcesOut.of(context.sources),
                recalled=[RecalledOut.of(one) for one in context.recalled],
                warnings=list(answered.warnings),
            ),
        )


def answer_characters(answer: Answer, *, most: int) -> int:
    """About how many characters there are to write; counting ends soon after `most`."""
    told = {**answer.details.to_json(), **answer.response}
    return len(answer.content) + json_characters(told, most=most)
