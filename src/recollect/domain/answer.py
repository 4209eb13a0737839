"""A question on its way to whoever answers it, and what comes back."""

from dataclasses import dataclass, field
from typing import Final

from recollect.domain.context import Context
from recollect.domain.message import MAX_CONTENT_LENGTH, NO_DETAILS, AnswerDetails
from recollect.domain.text import JsonObject, storable

_MOST_TABLES: Final = 1000


def drawing_on(details: AnswerDetails, tables: tuple[str, ...]) -> AnswerDetails:
    """What is stored about an answer; one that tells no tables may repeat those it was told.

    Otherwise whoever may no longer see a table would still be told what an answer said of it.
    """
    if not tables or details.sql_query or details.tables_used:
        return details
    told = {**details.to_json(), "tables_used": tables[:_MOST_TABLES]}
    return AnswerDetails.stored(told)  # checked already


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
    stored_as: str | None = None
    """The reply as it is remembered, where that is less than what is told; None: all of it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", storable(self.content))

    @property
    def remembered(self) -> str:
        """What is stored as the reply."""
        return storable(self.stored_as or self.content)[:MAX_CONTENT_LENGTH]
