"""The parts of a context: the question, and what memory adds to it."""

from dataclasses import dataclass, replace
from typing import Self
from uuid import UUID

from recollect.domain.conversation.message import Message, characters_in
from recollect.domain.recall.recalled import Recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where every part of a context comes from."""

    messages: tuple[UUID, ...] = ()
    summary: tuple[int, int] | None = None
    """The first and last sequence number of the messages that the summary stands for."""
    recalled: tuple[UUID, ...] = ()
    """The messages of everything that was recalled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """How much a model has to read."""

    question: int = 0
    summary: int = 0
    window: int = 0
    recalled: int = 0
    limit: int = 0

    @property
    def total(self) -> int:
        """All parts together; never over the limit."""
        return self.question + self.summary + self.window + self.recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation:
    """What had to be left out to stay within the limit."""

    turns: int = 0
    characters: int = 0
    summary: bool = False
    recalled: int = 0
    """How many recalled exchanges there was no room for."""

    def __bool__(self) -> bool:
        return bool(self.turns or self.characters or self.summary or self.recalled)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextParts:
    """One question with everything a model needs to understand it."""

    question: str
    """The question, standing by itself."""
    asked: str
    """The question as it was asked."""
    is_follow_up: bool = False
    language: str = "en"
    """The language of the question, as far as its pack is installed."""
    summary: str | None
    window: tuple[Message, ...]
    """The last messages, oldest first."""
    recalled: tuple[Recalled, ...] = ()
    """What was said before and may have to do with the question, best first."""
    tables: tuple[str, ...] = ()
    """The tables that what memory tells draws on, as `database.view`."""
    tokens: Tokens
    cut: Truncation
    sources: Sources
    warnings: tuple[str, ...] = ()
    """What whoever asked should know: that something could not be looked up, and is missing."""

    @property
    def is_truncated(self) -> bool:
        """Whether something was left out to stay within the limit."""
        return bool(self.cut)

    @property
    def characters(self) -> int:
        """About how many characters there are to render."""
        told = sum(len(one.text) for one in self.recalled) + len(self.summary or "")
        return len(self.question) + told + characters_in(self.window)

    def without_memory(self) -> Self:
        """The question as it was asked, with nothing that memory adds."""
        return replace(
            self,
            question=self.asked,
            is_follow_up=False,
            summary=None,
            window=(),
            recalled=(),
            tables=(),
            tokens=Tokens(question=self.tokens.question, limit=self.tokens.limit),
            cut=Truncation(),
            sources=Sources(),
            warnings=(),
        )
