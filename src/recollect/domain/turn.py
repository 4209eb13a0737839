"""A question and its reply."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from recollect.domain.message import NewMessage, Role


class TurnStatus(StrEnum):
    """How far a turn has come."""

    PENDING = "pending"
    COMPLETE = "complete"
    FAILED = "failed"


def turn_offsets(messages: Sequence[NewMessage]) -> Iterator[int | None]:
    """Say for each message which turn it belongs to, counted from the session's latest one.

    A user message opens the next turn (1, 2, …), a reply belongs to the turn before it, which
    for the first one is the session's latest (0). A system message belongs to no turn (None).
    """
    opened = 0
    for message in messages:
        if message.role is Role.SYSTEM:
            yield None
            continue
        if message.role is Role.USER:
            opened += 1
        yield opened
