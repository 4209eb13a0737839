"""A context, and the forms in which models and programs take it."""

from dataclasses import dataclass

from recollect.domain.context.parts import ContextParts
from recollect.domain.context.rendering import (
    chat_messages,
    conversation_block,
    instructions,
    plain_object,
    template_variables,
)
from recollect.domain.text import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Context(ContextParts):
    """One question with everything a model needs to understand it, ready to be rendered."""

    def messages(self) -> list[dict[str, str]]:
        """The messages of a chat completion, ready for any model."""
        return chat_messages(self)

    def instructions(self) -> str:
        """The earlier conversation in sections, to go with a data question."""
        return instructions(self)

    def conversation_block(self, *, language: str = "en") -> str:
        """The conversation so far as a block of a system prompt, in English or Dutch."""
        return conversation_block(self, language=language)

    def variables(self) -> dict[str, JsonValue]:
        """The variables of a prompt template."""
        return template_variables(self)

    def to_json(self) -> dict[str, JsonValue]:
        """Everything in it as JSON, for other programs."""
        return plain_object(self)
