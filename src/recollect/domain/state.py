"""The mode a user is in, such as active or halted."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from recollect.domain.text import check_name

ACTIVE: Final = "active"
"""The mode of a user for whom none was set."""
HALTED: Final = "halted"
"""The mode in which no question is answered, in upper or lower case."""

MAX_MODE_LENGTH: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class UserState:
    """A user's mode, and since when."""

    mode: str
    updated_at: datetime

    @property
    def is_halted(self) -> bool:
        """Whether the user gets no answers."""
        return self.mode.casefold() == HALTED


def check_mode(mode: str) -> str:
    """Return a mode without the blanks around it; refuse one that is blank, long or unprintable."""
    trimmed = mode.strip() if isinstance(mode, str) else mode
    return check_name(trimmed, "mode", max_length=MAX_MODE_LENGTH)
