"""What was found again, as it is told."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple, Self
from uuid import UUID

TOLD_CHARACTERS: Final = 1000
"""The most characters of one entry that a model is told; its session has the rest."""
_MARK: Final = "…"


class Recalled(NamedTuple):
    """One earlier exchange, or one message of a plain log, and why it was found."""

    score: float
    """How well it answers the question, from 0 to 1; to be compared within one answer only."""
    session_id: UUID
    message_ids: tuple[UUID, ...]
    """Its messages in the order they were said."""
    text: str
    created_at: datetime
    speaker: str | None = None
    tables: tuple[str, ...] = ()
    """The tables its answer draws on."""
    lexical: float = 0.0
    """BM25 of its words; 0 where it shares none with the question."""
    semantic: float | None = None
    """Cosine of the meanings; None where they were not compared."""

    def shortened(self, characters: int = TOLD_CHARACTERS) -> Self:
        """The same in at most so many characters, with a mark where it was cut."""
        if len(self.text) <= characters:
            return self
        return self._replace(text=self.text[: characters - len(_MARK)].rstrip() + _MARK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """What was found for a question, best first."""

    items: tuple[Recalled, ...] = ()
    warnings: tuple[str, ...] = ()
    """What kept the search from being all that it could be, for whoever asked."""
