"""Which of the last messages a model is given, by the size of its window."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from recollect.domain.conversation.message import Message
from recollect.domain.model_names import NO_OVERRIDES, SizeOverrides, is_hosted, model_size
from recollect.errors import InvalidInput

AS_MANY_AS_FIT: Final = 50
"""Turns of a window that only its tokens bound: more than that do not fit, or say nothing."""
_WHOLE: Final = 100
MAX_WINDOW_SIZE: Final = 1000
_MESSAGES_A_TURN: Final = 2  # a question and its reply


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetShares:
    """How a model's context window is parted, in percent."""

    system: int
    history: int
    retrieved: int
    answer: int

    def __post_init__(self) -> None:
        parts = (self.system, self.history, self.retrieved, self.answer)
        if min(parts) < 0 or sum(parts) != _WHOLE:
            raise InvalidInput("budget shares", f"must be 0 or more and add up to {_WHOLE}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """Models of about one size, and what a conversation may cost them."""

    name: str
    max_billions: float
    """The largest model of the tier, itself included."""
    turns: int
    """How many of the last turns the window holds, as far as its tokens allow."""
    compacts_after: int
    """How many turns without a summary are summarised."""
    kept_turns: int
    """How many turns stay word for word when older ones are summarised."""
    shares: BudgetShares


TINY: Final = Tier(
    name="tiny",
    max_billions=3,
    turns=AS_MANY_AS_FIT,
    compacts_after=10,
    kept_turns=2,
    shares=BudgetShares(system=10, history=10, retrieved=60, answer=20),
)
SMALL: Final = Tier(
    name="small",
    max_billions=9,
    turns=6,
    compacts_after=6,
    kept_turns=5,
    shares=BudgetShares(system=10, history=15, retrieved=55, answer=20),
)
MEDIUM: Final = Tier(
    name="medium",
    max_billions=34,
    turns=10,
    compacts_after=10,
    kept_turns=8,
    shares=BudgetShares(system=10, history=15, retrieved=60, answer=15),
)
LARGE: Final = Tier(
    name="large",
    max_billions=math.inf,
    turns=15,
    compacts_after=15,
    kept_turns=12,
    shares=BudgetShares(system=10, history=15, retrieved=60, answer=15),
)
TIERS: Final = (TINY, SMALL, MEDIUM, LARGE)


def tier_of(model: str | None, *, overrides: SizeOverrides = NO_OVERRIDES) -> Tier:
    """The tier of the model of that name.

    Where its size is not known a hosted model is large and any other one small; so is a model
    without a name, since a small context suits every model.
    """
    size = model_size(model, overrides=overrides)
    if size is None:
        return LARGE if is_hosted(model) else SMALL
    return tier_for_size(size)


def tier_for_size(billions: float) -> Tier:
    """The tier of a model with that number of parameters."""
    return next((tier for tier in TIERS if billions <= tier.max_billions), LARGE)


class WindowUnit(StrEnum):
    """What a window is counted in."""

    MESSAGES = "messages"
    TURNS = "turns"


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowPolicy:
    """How long a window is."""

    unit: WindowUnit
    size: int | None = None
    """How many messages or turns; None for as many turns as suit the model's tier."""

    def __post_init__(self) -> None:
        if self.size is not None and not 0 <= self.size <= MAX_WINDOW_SIZE:
            raise InvalidInput("window size", f"must lie between 0 and {MAX_WINDOW_SIZE}")

    def size_for(self, tier: Tier) -> int:
        """How many messages or turns the window holds for a model of that tier."""
        if self.size is not None:
            return self.size
        return tier.turns * (_MESSAGES_A_TURN if self.unit is WindowUnit.MESSAGES else 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationTurn:
    """A turn with its messages, or one message that belongs to no turn."""

    number: int | None
    """None for a message of no turn: a system message, or a greeting before any question."""
    messages: tuple[Message, ...]
    """Oldest first, never empty."""

    def __post_init__(self) -> None:
        if not self.messages:
            raise ValueError("a turn has at least one message")


def conversation_turns(messages: Iterable[Message]) -> tuple[ConversationTurn, ...]:
    """Put stored messages together by turn, in the order in which the turns began.

    A late reply joins its question.
    """
    gathered: dict[int, list[Message]] = {}
    for message in sorted(messages, key=_sequence):
        # Sequences start at 1, so a message of no turn gets a key that no turn has.
        key = -message.sequence if message.turn_number is None else message.turn_number
        gathered.setdefault(key, []).append(message)
    return tuple(
        ConversationTurn(number=together[0].turn_number, messages=tuple(together))
        for together in gathered.values()
    )


def messages_in(turns: Iterable[ConversationTurn]) -> tuple[Message, ...]:
    """All messages of the turns in their order."""
    return tuple(sorted((m for turn in turns for m in turn.messages), key=_sequence))


def choose_window(
    turns: Sequence[ConversationTurn], policy: WindowPolicy, tier: Tier
) -> tuple[ConversationTurn, ...]:
    """The end of the conversation that the policy gives to a model of that tier, oldest first.

    Counted in turns, the window has the last turns, whole, with the messages of no turn that
    follow the first of them; when there are no older turns, with those before it too.

    Counted in messages, it has exactly that number of the last messages, or all if there are
    fewer. The oldest turn in it may then lack its question: its end, the answer, is what a
    follow-up refers to.
    """
    size = policy.size_for(tier)
    if size == 0:
        return ()
    is_in_turns = policy.unit is WindowUnit.TURNS
    return _last_turns(turns, size) if is_in_turns else _last_messages(turns, size)


def _last_turns(turns: Sequence[ConversationTurn], size: int) -> tuple[ConversationTurn, ...]:
    numbered = [place for place, turn in enumerate(turns) if turn.number is not None]
    start = numbered[-size] if len(numbered) > size else 0
    return tuple(turns[start:])


def _last_messages(turns: Sequence[ConversationTurn], size: int) -> tuple[ConversationTurn, ...]:
    last = messages_in(turns)[-size:]
    if not last:
        return ()
    first = last[0].sequence
    shortened = (
        (turn, tuple(message for message in turn.messages if message.sequence >= first))
        for turn in turns
    )
    return tuple(replace(turn, messages=messages) for turn, messages in shortened if messages)


def _sequence(message: Message) -> int:
    return message.sequence
