"""Who did what to whose memory, and when; never what was said."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

RETENTION: Final = "retention"
"""Who acts when a session has come to its end."""


class AuditAction(StrEnum):
    """What can be done that cannot be undone, or that opens a door."""

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
