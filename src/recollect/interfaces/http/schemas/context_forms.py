"""A context in the form that its reader wants."""

from datetime import datetime
from enum import StrEnum
from typing import Self, TypeAlias

from pydantic import BaseModel, Field

from recollect.domain.context import Context
from recollect.interfaces.http.schemas.contexts import ChatMessage, ContextOut


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
