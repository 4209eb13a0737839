"""What goes into the understanding of a follow-up, and what comes out."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.domain.conversation.message import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryMessage:
    """One message of the conversation so far; `sql_query` is the SQL behind an answer, if any."""

    role: Role
    content: str
    sql_query: str | None = None


class Method(StrEnum):
    """How the standalone question was found."""

    NONE = "none"
    """It stays as asked."""
    MODEL = "model"
    """By the follow-up model."""
    RULES = "rules"
    LLM = "llm"
    """By a large language model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """A question as it reads without its history, and how sure that reading is."""

    standalone_question: str
    """The question as asked, where no rewrite is sure enough."""
    is_follow_up: bool
    """Whether the question probably needs its history to be understood."""
    method: Method
    signals: tuple[str, ...]
    """What was done, in words."""
    confidence: float
    """The probability that the standalone question says what the user means."""
    language: str
    topic: str | None = None
    """What a follow-up seems to be about, in words of the history."""
    context_terms: tuple[str, ...] = ()
    """Words of the history that a search for a follow-up may add to it."""

    @property
    def search_text(self) -> str:
        """What to search for: a follow-up without a sure rewrite is searched with its context."""
        terms = self.context_terms if self.method is Method.NONE else ()
        return " ".join((self.standalone_question, *terms))


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The standalone form of a question that a rewriter proposes, and how far it can be trusted.

    `explanations` say in words what was done. `topic` is what the question seems to be about; it
    may be given where no rewrite is sure enough, for search alone.
    """

    standalone_question: str
    need: float
    """The probability that the question cannot be understood without its history."""
    confidence: float
    """The probability that the standalone question says what the user means."""
    explanations: tuple[str, ...] = ()
    topic: str | None = None
