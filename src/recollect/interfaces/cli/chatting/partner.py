"""Whom the terminal talks to: a memory of its own, or a server."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from recollect.domain.context.shortening import CUT_MARK

SESSION_METADATA: Final = {"created_via": "cli"}
STOPPED: Final = {"stopped": True}
"""Metadata of a reply that the person who asked did not want to hear to its end."""

_NO_ANSWER: Final = "(no answer)"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSummary:
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
    def of(cls, answered: Mapping[str, Any]) -> "AnswerSummary":
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

    @property
    def session_id(self) -> str | None:
        """The conversation; None before its first question."""
        ...

    def ask(self, question: str) -> AsyncGenerator[str | AnswerSummary, None]:
        """The answer in pieces of text, and what is known of it as the last item."""
        ...

    async def keep_stopped(self, partial: str) -> None:
        """Keep what was heard of the last answer, so that its question stays in the context."""
        ...

    async def asked_before(self) -> Sequence[str]:
        """The questions of a resumed conversation, oldest first."""
        ...

    def start_anew(self) -> None:
        """Leave the conversation as it is; the next question begins another."""
        ...

    async def forget(self) -> None:
        """Delete the conversation; the next question begins another."""
        ...


def stopped_reply(partial: str) -> str:
    """What is stored for an answer that was stopped: what was heard of it, and a mark.

    Of an answer of which nothing was heard, recall finds nothing either.
    """
    heard = partial.rstrip()
    return f"{heard} {CUT_MARK}" if heard else _NO_ANSWER
