"""What a model is told: the question, and what memory adds to it."""

from dataclasses import dataclass
from uuid import UUID

from recollect.domain import rendering
from recollect.domain.message import Message
from recollect.domain.text import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where every part of a context comes from."""

    messages: tuple[UUID, ...] = ()
    summary: tuple[int, int] | None = None
    """The first and last sequence number of the messages that the summary stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """How much a model has to read."""

    question: int = 0
    summary: int = 0
    window: int = 0
    limit: int = 0

    @property
    def total(self) -> int:
        """All parts together; never over the limit."""
        return self.question + self.summary + self.window


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What had to be left out to stay within the limit."""

    turns: int = 0
    characters: int = 0
    summary: bool = False

    def __bool__(self) -> bool:
        return bool(self.turns or self.characters or self.summary)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One question with everything a model needs to understand it."""

    question: str
    """The question, standing by itself."""
    asked: str
    """The question as it was asked."""
    is_follow_up: bool = False
    summary: str | None
    window: tuple[Message, ...]
    """The last messages, oldest first."""
    tokens: Tokens
    cut: Cut
    sources: Sources

    @property
    def is_truncated(self) -> bool:
        """Whether something was left out to stay within the limit."""
        return bool(self.cut)

    def messages(self) -> list[dict[str, str]]:
        """The messages of a chat completion, ready for any model."""
        return rendering.chat_messages(self)

    def instructions(self) -> str:
        """The earlier conversation in sections, to go with a data question."""
        return rendering.instructions(self)

    def conversation_block(self, *, language: str = "en") -> str:
        """The conversation so far as a block of a system prompt, in English or Dutch."""
        return rendering.conversation_block(self, language=language)

    def variables(self) -> dict[str, JsonValue]:
        """The variables of a prompt template."""
        return rendering.template_variables(self)

    def to_json(self) -> dict[str, JsonValue]:
        """Everything in it as JSON, for other programs."""
        return rendering.plain_object(self)
