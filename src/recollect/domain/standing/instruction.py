"""A standing instruction of a user, and which of many go into a context."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.language import words_of

MAX_STANDING: Final = 50
"""The most standing instructions of one context."""
DEFAULT_STANDING: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingInstruction:
    """How a user wants all answers from now on, in their own words; a sentence of a message."""

    session_id: UUID
    turn_number: int
    message_id: UUID
    text: str
    said_at: datetime

    @property
    def gist(self) -> tuple[str, ...]:
        """What two instructions share if one repeats the other: their words."""
        return tuple(words_of(self.text))


def newest_of_each(
    instructions: Iterable[StandingInstruction], *, most: int
) -> tuple[StandingInstruction, ...]:
    """The first ones of those that come newest first, none of them a repetition."""
    newest: dict[tuple[str, ...], StandingInstruction] = {}
    for one in instructions:
        if len(newest) == most:
            break
        newest.setdefault(one.gist, one)
    return tuple(newest.values())
