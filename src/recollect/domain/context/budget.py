"""Fitting the turns of a window into a number of tokens."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias
from uuid import UUID

from recollect.domain.context.context import message_text
from recollect.domain.context.window import BudgetShares, ConversationTurn
from recollect.domain.conversation.message import Message

CUT_MARK: Final = "[…]"
"""Stands where text was cut; the same in every language."""
_GUESSED_CHARACTERS_A_TOKEN: Final = 4
_FINEST: Final = 8192  # characters; up to that length a text is cut to the character

CountTokens: TypeAlias = Callable[[str], int]
Cost: TypeAlias = Callable[[Message], int]


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


def fit(
    turns: Sequence[ConversationTurn],
    limit: int,
    count_tokens: CountTokens,
    *,
    render: Callable[[Message], str] = message_text,
    tokens_per_message: int = 0,
) -> FittedTurns:
    """Keep as many of the last turns as the limit has room for, oldest dropped first, whole.

    The last turn (the last with a number, or else the last message) is always kept. Alone over
    the limit, it keeps its SQL whole and its texts are shortened, each with a mark; see
    `_shorten_turn` for what goes when even that is too much. The total is never over the limit.

    Args:
        turns: a window, oldest first.
        limit: the most tokens the kept turns may take together.
        count_tokens: how many tokens a text is.
        render: the text that stands for a message in the context.
        tokens_per_message: what each message costs beside its text, for its role and delimiters.
    """
    if not turns:
        return FittedTurns(turns=(), tokens=0)
    count = cache(count_tokens)  # a text is counted up to four times; a megabyte takes 100 ms

    def cost(message: Message) -> int:
        return count(render(message)) + tokens_per_message

    last = _last_turn(turns)
    tokens = _tokens_of(turns[last], cost)
    if tokens > limit:
        return _only_shortened(turns, last, limit, cost)
    fitting = {last}
    for place in reversed([place for place in range(len(turns)) if place != last]):
        more = _tokens_of(turns[place], cost)
        if tokens + more > limit:
            break
        tokens += more
        fitting.add(place)
    dropped = set(range(len(turns))) - fitting
    return FittedTurns(turns=_at(turns, fitting), tokens=tokens, dropped=_at(turns, dropped))


def _last_turn(turns: Sequence[ConversationTurn]) -> int:
    numbered = (place for place, turn in enumerate(turns) if turn.number is not None)
    return max(numbered, default=len(turns) - 1)


def _tokens_of(turn: ConversationTurn, cost: Cost) -> int:
    return sum(cost(message) for message in turn.messages)


def _at(turns: Sequence[ConversationTurn], places: Iterable[int]) -> tuple[ConversationTurn, ...]:
    return tuple(turns[place] for place in sorted(places))


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
    return sum(len(_uncut(m.content)) + len(m.details.sql_query or "") for m in messages)


def _uncut(text: str) -> str:
    return text.removesuffix(CUT_MARK).rstrip() if text.endswith(CUT_MARK) else text


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
        fits = needed <= room
        checked.append(message if fits else _without_sql(message))
        room -= needed if fits else 0
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


def _without_sql(message: Message) -> Message:
    return replace(message, details=replace(message.details, sql_query=None))
