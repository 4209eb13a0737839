"""The mode a user is in, such as active or halted."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from recollect.errors import InvalidInput

ACTIVE: Final = "active"
"""The mode of a user for whom none was set."""
HALTED: Final = "halted"
"""The mode in which no question is answered."""

_MODE: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class UserState:
    """A user's mode, and since when."""

    mode: str
    updated_at: datetime

    @property
    def is_halted(self) -> bool:
        """Whether the user gets no answers."""
        return self.mode == HALTED


def check_mode(mode: str) -> str:
    """Return a mode as it is, or refuse what is no short plain word."""
    if not isinstance(mode, str) or not _MODE.fullmatch(mode):
        raise InvalidInput("mode", "must be 1 to 64 lower-case letters, digits, '.', '_' or '-'")
    return mode
