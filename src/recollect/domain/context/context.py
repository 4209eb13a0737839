"""A context, and the forms in which models and programs take it.

The stable parts of each form come first and the question last, which keeps the prompt caches of
models useful.
"""

from dataclasses import dataclass, replace
from typing import Self
from uuid import UUID

from recollect.domain.context.rendering import (
    EARLIER,
    GUIDANCE,
    PAST_QUERIES,
    RECENT,
    block_line,
    earlier_line,
    iso_time,
    labels_in,
    message_object,
    past_query,
    quoted,
    recalled_object,
    recalled_text,
    section_lines,
    summary_text,
    window_messages,
)
from recollect.domain.conversation.message import Message, Role, characters_in
from recollect.domain.recall.recalled import Recalled
from recollect.domain.text import JsonValue


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
class Context:
    """One question with everything a model needs to understand it, ready to be rendered."""

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
    """What the user should know: that something could not be looked up, and is missing."""

    @property
    def is_truncated(self) -> bool:
        """Whether something was left out to stay within the limit."""
        return bool(self.cut)

    @property
    def characters(self) -> int:
        """About how many characters there are to render."""
        memory = sum(len(one.text) for one in self.recalled) + len(self.summary or "")
        return len(self.question) + memory + characters_in(self.window)

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

    def messages(self) -> list[dict[str, str]]:
        """The messages of a chat completion: at most one system message, the question last.

        What was recalled changes with every question, so it comes with the question: all that
        stays the same comes first, and strict chat templates accept it.
        """
        window = window_messages(self.window)
        instructions = [one["content"] for one in window if one["role"] == Role.SYSTEM]
        leading = "\n\n".join(filter(None, [*instructions, summary_text(self.summary)]))
        question = "\n\n".join(filter(None, [recalled_text(self.recalled), self.question]))
        return [
            *([{"role": str(Role.SYSTEM), "content": leading}] if leading else []),
            *(one for one in window if one["role"] != Role.SYSTEM),
            {"role": str(Role.USER), "content": question},
        ]

    def instructions(self) -> str:
        """The earlier conversation in sections, to go with a data question; empty without one."""
        sections = [EARLIER, quoted(self.summary)] if self.summary else []
        sections += [RECENT, *map(section_lines, self.window)] if self.window else []
        sections += [PAST_QUERIES, *map(past_query, self.recalled)] if self.recalled else []
        return "\n".join([*sections, "", GUIDANCE]) if sections else ""

    def conversation_block(self, *, language: str = "en") -> str:
        """The conversation so far as a block of a system prompt, in English or Dutch."""
        labels = labels_in(language)
        lines = [labels.heading] if self.window or self.summary else []
        if self.summary:
            lines.append(f'{labels.summary}: "{quoted(self.summary)}"')
        lines += [block_line(message, language=language) for message in self.window]
        if self.recalled:
            lines.append(labels.recalled)
        lines += [earlier_line(recalled, language=language) for recalled in self.recalled]
        return "\n\n".join(lines)

    def variables(self) -> dict[str, JsonValue]:
        """The variables of a prompt template: history, summary, recalled entries, the question."""
        return {
            "history": [{"role": str(m.role), "content": m.content} for m in self.window],
            "summary": self.summary or "",
            "recalled": [
                {"text": one.text, "speaker": one.speaker, "created_at": iso_time(one.created_at)}
                for one in self.recalled
            ],
            "question": self.question,
        }

    def to_json(self) -> dict[str, JsonValue]:
        """Everything in it as JSON, for other programs."""
        ends = self.sources.summary
        return {
            "question": self.question,
            "summary": self.summary,
            "window": [message_object(message) for message in self.window],
            "recalled": [recalled_object(one) for one in self.recalled],
            "facts": [],
            "messages": self.messages(),
            "tokens": self.tokens.total,
            "max_tokens": self.tokens.limit,
            "truncated": self.is_truncated,
            "sources": {
                "messages": [str(identifier) for identifier in self.sources.messages],
                "summary": ends and {"first_sequence": ends[0], "last_sequence": ends[1]},
                "recalled": [str(identifier) for identifier in self.sources.recalled],
            },
            "warnings": list(self.warnings),
        }
