"""Conversations written as lines of text, and follow-ups rewritten with them."""

from collections.abc import Sequence

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import Proposal, Rewrite, Said
from recollect.domain.followup.rewrite import rewrite

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}


def conversation(*lines: str) -> tuple[Said, ...]:
    """Read lines such as "user: Who was Marie Curie?"."""
    parts = (line.partition(": ") for line in lines)
    return tuple(Said(role=_ROLES[role], content=content) for role, _, content in parts)


def rewrite_after(question: str, *, after: tuple[str, ...] | str, language: str = "en") -> Rewrite:
    """Rewrite a question that follows one or several questions of the user."""
    questions = (after,) if isinstance(after, str) else after
    history = conversation(*(f"user: {text}" for text in questions))
    return rewrite(question, history, language=language)


def standalone(question: str, *, after: tuple[str, ...] | str, language: str = "en") -> str:
    """Return only the standalone question of `rewrite_after`."""
    return rewrite_after(question, after=after, language=language).standalone_question


class RepeatingModel:
    """A follow-up model that adds the whole history to each question, and is sure of it."""

    def load(self) -> None:
        """Nothing: there is nothing to load."""

    def propose(self, question: str, history: Sequence[Said], *, language: str) -> Proposal:
        """The question and everything before it."""
        before = " ".join(f"{said.content} {said.sql_query or ''}" for said in history)
        return Proposal(
            standalone_question=f"{question} {before}", need=1.0, confidence=1.0, topic=before
        )
