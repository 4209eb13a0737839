"""Whom the terminal talks to: a memory of its own, or a server."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is known of an answer when it is over."""

    answer: str
    question: str
    """The question as it was understood."""
    session_id: str | None
    messages_in_context: int = 0
    has_summary: bool = False
    recalled: Sequence[Mapping[str, Any]] = ()
    citations: Sequence[object] = ()
    warnings: Sequence[str] = field(default=())

    @classmethod
    def of(cls, answered: Mapping[str, Any]) -> "Told":
        """Read the JSON form of an answer, whoever made it."""
        metadata = answered["metadata"]
        return cls(
            answer=answered["answer"],
            question=metadata["question"],
            session_id=metadata["session_id"],
            messages_in_context=metadata["messages_in_context"],
            has_summary=metadata["sources"]["summary"] is not None,
            recalled=metadata["recalled"],
            citations=answered["citations"],
            warnings=metadata["warnings"],
        )


class Partner(Protocol):
    """Answers within one conversation at a time."""

    def ask(self, question: str) -> AsyncGenerator[str | Told, None]:
        """The answer in pieces of text, and what is known of it as the last item."""
        ...

    async def asked_before(self) -> Sequence[str]:
        """The questions of a resumed conversation, oldest first."""
        ...

    def start_anew(self) -> None:
        """Forget which conversation this is; the next question begins another."""
        ...
