"""Sessions and messages with everything that is stored about them."""

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.session import Session, TurnStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """A turn as a message of it tells."""

    number: int
    status: TurnStatus
    follows: int | None
    """The number of the message it follows, 0 for none; None: the active branch before it."""
    is_learnt: bool
    """Whether nothing is left to learn from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord:
    """A message of any branch with its turn."""

    message: Message
    turn: TurnRecord | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """A session with its summary and the last numbers that it gave."""

    session: Session
    last_sequence: int
    last_turn: int
    summary: Summary | None


class MessagePlace(NamedTuple):
    """Where in all messages of an owner one is: by session, then by number."""

    session_id: UUID
    sequence: int


def place_of(message: Message) -> MessagePlace:
    """Return where a message is."""
    return MessagePlace(message.session_id, message.sequence)
