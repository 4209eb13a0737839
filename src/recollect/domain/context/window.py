"""Which of the last messages a model is given: by the size of its window, cut to fit its tokens."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import attrgetter
from typing import Final, TypeAlias
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.model_names import NO_OVERRIDES, SizeOverrides, is_hosted, model_size
from recollect.errors import InvalidInput

AS_MANY_AS_FIT: Final = 50
"""Turns of a window that only its tokens bound: more than that do not fit, or say nothing."""
_WHOLE: Final = 100
MAX_WINDOW_SIZE: Final = 1000
_MESSAGES_A_TURN: Final = 2  # a question and its reply
CUT_MARK: Final = "[…]"
"""Stands where text was cut; the same in every language."""
_GUESSED_CHARACTERS_A_TOKEN: Final = 4
_FINEST: Final = 8192  # characters; up to that length a text is cut to the character

Cost: TypeAlias = Callable[[Message], int]


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
    for message in sorted(messages, key=attrgetter("sequence")):
        # Sequences start at 1, so a message of no turn gets a key that no turn has.
        key = -message.sequence if message.turn_number is None else message.turn_number
        gathered.setdefault(key, []).append(message)
    return tuple(
        ConversationTurn(number=together[0].turn_number, messages=tuple(together))
        for together in gathered.values()
    )


def messages_in(turns: Iterable[ConversationTurn]) -> tuple[Message, ...]:
    """All messages of the turns in their order."""
    return tuple(sorted((m for turn in turns for m in turn.messages), key=attrgetter("sequence")))


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
    if size == 0 or not turns:
        return ()
    if policy.unit is WindowUnit.TURNS:
        numbered = [place for place, turn in enumerate(turns) if turn.number is not None]
        return tuple(turns[numbered[-size] if len(numbered) > size else 0 :])
    first = messages_in(turns)[-size:][0].sequence
    shortened = (
        (turn, tuple(message for message in turn.messages if message.sequence >= first))
        for turn in turns
    )
    return tuple(replace(turn, messages=messages) for turn, messages in shortened if messages)


def readable_tokens(context_window: int, shares: BudgetShares) -> int:
    """How much of a model's context window may be read: all but the share of its answer."""
    return context_window - context_window * shares.answer // 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTurns:
    """The turns that fit, and what did not."""

    turns: tuple[ConversationTurn, ...]
    tokens: int
    """What the kept turns take; never more than the limit."""
    dropped: tuple[ConversationTurn, ...] = ()
    """Turns left out whole, oldest first."""
    lost_characters: int | None = None
    """What the last turn lost, if it alone was over the limit; None where it is whole."""

    @property
    def is_truncated(self) -> bool:
        """Whether anything is missing."""
        return bool(self.dropped) or self.lost_characters is not None


def fit(turns: Sequence[ConversationTurn], limit: int, cost: Cost) -> FittedTurns:
    """Keep as many of the last turns as the limit has room for, oldest dropped first, whole.

    The last turn (the last with a number, or else the last message) is always kept. Alone over
    the limit, it keeps its SQL whole and its texts are shortened, each with a mark; see
    `_shorten_turn` for what goes when even that is too much. The total is never over the limit.

    The cost of a message is asked for up to four times.
    """
    if not turns:
        return FittedTurns(turns=(), tokens=0)
    numbered = (place for place, turn in enumerate(turns) if turn.number is not None)
    last = max(numbered, default=len(turns) - 1)
    tokens = _tokens_of(turns[last], cost)
    if tokens > limit:
        return _only_shortened(turns, last, limit, cost)
    others = [turn for place, turn in enumerate(turns) if place != last]
    first = len(others)
    while first and tokens + (more := _tokens_of(others[first - 1], cost)) <= limit:
        tokens, first = tokens + more, first - 1
    kept = others[first:]
    kept.insert(max(last - first, 0), turns[last])
    return FittedTurns(turns=tuple(kept), tokens=tokens, dropped=tuple(others[:first]))


def _tokens_of(turn: ConversationTurn, cost: Cost) -> int:
    return sum(cost(message) for message in turn.messages)


def _only_shortened(
    turns: Sequence[ConversationTurn], last: int, limit: int, cost: Cost
) -> FittedTurns:
    shortened = _shorten_turn(turns[last], limit, cost)
    left = _characters(shortened.messages) if shortened else 0
    return FittedTurns(
        turns=() if shortened is None else (shortened,),
        tokens=0 if shortened is None else _tokens_of(shortened, cost),
        dropped=(*turns[:last], *turns[last + 1 :]),
        lost_characters=_characters(turns[last].messages) - left,
    )


def _characters(messages: Iterable[Message]) -> int:
    """The characters of stored text and SQL, without the marks and blanks of a cut."""
    count = 0
    for message in messages:
        content, is_cut = message.content, message.content.endswith(CUT_MARK)
        count += len(content.removesuffix(CUT_MARK).rstrip() if is_cut else content)
        count += len(message.details.sql_query or "")
    return count


def _shorten_turn(turn: ConversationTurn, limit: int, cost: Cost) -> ConversationTurn | None:
    """Bring one turn within the limit; None if nothing of it fits.

    SQL stays whole: half a query is worse than none. The texts share the room it leaves, so
    that the shorter ones (most questions) stay whole and the longest ones lose their ends. A
    text whose mark alone does not fit is left out. SQL that does not fit beside the newer SQL
    of the turn is left out whole. A message with nothing left is left out itself.
    """
    fitting = _share_room(_keep_sql_that_fits(turn.messages, limit, cost), limit, cost)
    left = tuple(fitting[m.message_id] for m in turn.messages if m.message_id in fitting)
    return replace(turn, messages=left) if left else None


def _keep_sql_that_fits(messages: Sequence[Message], limit: int, cost: Cost) -> list[Message]:
    """The newest SQL first: a follow-up refers to that."""
    room = limit
    checked: list[Message] = []
    for message in reversed(messages):
        needed = _least(message, cost)
        if needed <= room:
            room -= needed
            checked.append(message)
        else:
            checked.append(replace(message, details=replace(message.details, sql_query=None)))
    return checked[::-1]


def _share_room(messages: Sequence[Message], limit: int, cost: Cost) -> dict[UUID, Message]:
    """Each message within an equal share of what the ones before it left, cheapest first."""
    waiting = sorted(messages, key=cost)
    room = limit
    fitting: dict[UUID, Message] = {}
    while waiting:
        reserved = sum(_least(message, cost) for message in waiting)
        message = waiting.pop(0)
        share = _least(message, cost) + (room - reserved) // (len(waiting) + 1)
        shorter = _shorten(message, share, cost)
        if shorter is not None:
            fitting[message.message_id] = shorter
            room -= cost(shorter)
    return fitting


def _least(message: Message, cost: Cost) -> int:
    """What must be set aside for a message: its SQL, if it has any."""
    return cost(replace(message, content="")) if message.details.sql_query else 0


def _shorten(message: Message, limit: int, cost: Cost) -> Message | None:
    if cost(message) <= limit:
        return message
    length = _longest_start(message, limit, cost)
    if length is not None:
        return _cut_at(message, length)
    return replace(message, content="") if message.details.sql_query else None


def _longest_start(message: Message, limit: int, cost: Cost) -> int | None:
    """How many characters fit before the mark; None if not even the mark does.

    Doubles from a guess before it halves, so that a text of a megabyte is not counted whole
    again and again for a limit of some hundred tokens. Halves no more than 13 times, however
    long the text: beyond some thousand characters a few more or less do not matter.
    """

    def fits(length: int) -> bool:
        return cost(_cut_at(message, length)) <= limit

    if not fits(0):
        return None
    low, high = 0, min(len(message.content), max(limit, 1) * _GUESSED_CHARACTERS_A_TOKEN)
    while high < len(message.content) and fits(high):
        low, high = high, min(len(message.content), high * 2)
    while high - low > max(1, high // _FINEST):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _cut_at(message: Message, length: int) -> Message:
    start = message.content[:length].rstrip()
    return replace(message, content=f"{start} {CUT_MARK}" if start else CUT_MARK)
