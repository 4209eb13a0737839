"""A question and its reply."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Final

from recollect.domain.message import NewMessage, Role

LEAST_PATIENCE: Final = timedelta(minutes=10)
"""The least time that a question waits for its answer: clients may run tools in between."""


def patience(*, answer_timeout: float) -> timedelta:
    """How long a question may wait for its answer before whoever had it is taken to be gone.

    Twice as long as an answer may take, for what memory does before and after it.
    """
    return max(LEAST_PATIENCE, timedelta(seconds=2 * answer_timeout))


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


def answered_turns(
    messages: Sequence[NewMessage], offsets: Sequence[int | None]
) -> dict[int, bool]:
    """Say of each turn that `turn_offsets` gave the messages whether one of them answers it."""
    answered: dict[int, bool] = {}
    for message, offset in zip(messages, offsets, strict=True):
        if offset is not None:
            answered[offset] = answered.get(offset, False) or message.role is Role.ASSISTANT
    return answered


def split_into_parts(
    messages: Sequence[NewMessage], *, size: int
) -> Iterator[Sequence[NewMessage]]:
    """Part messages into whole turns and into replies that belong to a turn before.

    A part begins with a question, or has none. None is longer than `size`.
    """
    first = 0
    while first < len(messages):
        end = min(first + size, len(messages))
        if messages[first].role is not Role.USER:
            questions = (n for n in range(first, end) if messages[n].role is Role.USER)
            end = next(questions, end)
        yield messages[first:end]
        first = end
