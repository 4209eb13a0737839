"""What a message says about its user, and how that stands to a known fact."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from recollect.domain.facts.fact import FactSource, gist_of
from recollect.domain.facts.slots import Slot


class Operation(StrEnum):
    """What a statement does to what is known."""

    ADD = "add"
    CHANGE = "change"
    """Something is no longer as it was."""
    RETRACT = "retract"
    """The user withdraws something."""


class Relation(StrEnum):
    """How a new statement stands to a known fact."""

    DUPLICATE = "duplicate"
    COMPLEMENT = "complement"
    """More about the same thing."""
    CONTRADICTION = "contradiction"
    """Only one of the two can hold; the new one does."""
    RETRACTION = "retraction"
    """The known one is withdrawn."""
    TEMPORARY = "temporary"
    """It differs for a while only; the known one holds."""
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """How a model says that a new statement stands to a known fact."""

    relation: Relation
    """The likeliest."""
    sameness: float = 0.0
    """How likely both say the same, from 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Something lasting that a user says about themselves."""

    message_id: UUID
    quote: str
    """Verbatim from the message."""
    content: str
    """The same as a self-contained sentence."""
    slot: Slot
    has_exact_slot: bool = False
    """Whether an exact rule has told the slot, which a model may misread."""
    is_event: bool = False
    """Whether it says that something is over, and counts only where a known fact is meant."""
    operation: Operation = Operation.ADD
    source: FactSource = FactSource.EXTRACTED
    confidence: float = 1.0
    language: str | None = None

    @property
    def gist(self) -> str:
        """What two statements share if one repeats the other: their words."""
        return gist_of(self.content)
