"""A context in the forms that clients ask for: messages, instructions, a block, variables."""

from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from pydantic import BaseModel, Field

from recollect.domain.context.context import Context
from recollect.interfaces.http.schemas.contexts import (
    FACTS,
    PROFILE,
    ChatMessage,
    ContextOut,
    chat_messages,
)
from recollect.interfaces.http.schemas.conversations import AnyObject
from recollect.interfaces.http.schemas.recall import (
    STANDALONE,
    WITH_MEANING,
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
    profile: AnyObject = PROFILE
    facts: list[str] = Field(description=FACTS)
    history: list[ChatMessage] = Field(description="The window, oldest first.")
    summary: str = Field(description="Of what came before it; empty without one.")
    recalled: list[RecalledVariable] = Field(description="Earlier exchanges, best first.")
    question: str = WITH_MEANING


class ChatMessagesOut(BaseModel):
    """The messages of a chat completion, the question last (`format=messages`)."""

    messages: list[ChatMessage]


class InstructionsOut(BaseModel):
    """The earlier conversation in sections, beside the question (`format=instructions`)."""

    question: str = Field(description="As it was asked.")
    standalone_question: str = STANDALONE
    instructions: str = Field(description="Empty where nothing was said before.")


class BlockOut(BaseModel):
    """The earlier conversation for a system prompt, beside the question (`format=block`)."""

    question: str = WITH_MEANING
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
            return ChatMessagesOut(messages=chat_messages(context))
        case ContextFormat.INSTRUCTIONS:
            return InstructionsOut(
                question=context.question,
                standalone_question=context.standalone_question,
                instructions=context.instructions(),
            )
        case ContextFormat.BLOCK:
            block = context.conversation_block(language=context.language)
            return BlockOut(question=context.question_with_meaning, block=block)
