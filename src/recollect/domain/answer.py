"""A question on its way to whoever answers it, and what comes back."""

from dataclasses import dataclass, field

from recollect.domain.context import Context
from recollect.domain.message import NO_DETAILS, AnswerDetails
from recollect.domain.text import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an answerer is given."""

    context: Context
    """The question with what memory adds to it, which may be nothing."""
    options: JsonObject = field(default_factory=dict)
    """What the request says to this answerer alone; only what was set."""
    model: str | None = None
    """The model the request asks for; None leaves it to the settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is told to the user and stored as the reply."""

    content: str
    details: AnswerDetails = NO_DETAILS
    response: JsonObject = field(default_factory=dict)
    """Everything else the upstream said, for clients that know it; never stored."""
