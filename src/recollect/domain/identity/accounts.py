"""User states and the audit log."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from recollect.domain.text import check_name

RETENTION: Final = "retention"
"""The actor in the audit log when a session expires."""


ACTIVE: Final = "active"
"""The mode of a user for whom none was set."""


HALTED: Final = "halted"
"""The mode in which no question is answered, in upper or lower case."""


MAX_MODE_LENGTH: Final = 64


class AuditAction(StrEnum):
    """Actions in the audit log: deleting data, and changing access."""

    SESSION_DELETED = "session.deleted"
    SESSION_EXPIRED = "session.expired"
    MESSAGE_DELETED = "message.deleted"
    MESSAGES_CLEARED = "messages.cleared"
    HISTORY_CLEARED = "history.cleared"
    HISTORY_TRIMMED = "history.trimmed"
    STATE_CHANGED = "state.changed"
    STATE_DELETED = "state.deleted"
    API_KEY_CREATED = "api_key.created"
    API_KEY_REVOKED = "api_key.revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One line of the audit log."""

    action: AuditAction
    target: str
    count: int
    actor: str
    transaction_id: str
    at: datetime


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
