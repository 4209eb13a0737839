"""How many tokens each part of a context may take, and how a window is made to fit."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Self

from recollect.domain.context.shortening import (
    CountTokens,
    MessageCost,
    ShortenedPart,
    message_text,
    shorten_turn,
)
from recollect.domain.context.window import BudgetShares, ConversationTurn
from recollect.domain.conversation.message import Message

_WHOLE: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Tokens for each part of what a model reads and writes."""

    system: int
    history: int
    retrieved: int
    answer: int

    @property
    def total(self) -> int:
        """All parts together."""
        return self.system + self.history + self.retrieved + self.answer

    def capped(self, max_context_tokens: int) -> Self:
        """The same with history and retrieved, what memory adds, in at most so many tokens.

        If they have more, both shrink alike; the other parts stay as they are.
        """
        added = self.history + self.retrieved
        if added <= max_context_tokens:
            return self
        history = self.history * max_context_tokens // added
        return replace(self, history=history, retrieved=max_context_tokens - history)


def budget_for(context_window: int, shares: BudgetShares) -> Budget:
    """Part a model's context window by the shares; what rounding leaves goes to history."""
    system, retrieved, answer = (
        context_window * share // _WHOLE
        for share in (shares.system, shares.retrieved, shares.answer)
    )
    history = context_window - system - retrieved - answer
    return Budget(system=system, history=history, retrieved=retrieved, answer=answer)


def redistribute(budget: Budget, needs: Budget) -> Budget:
    """Give what some parts do not need to history first, then to what was retrieved.

    No part gets more than it needs, nor all of them more than the budget. What nobody needs
    is left over; system and answer never grow beyond their shares.
    """
    system = min(budget.system, needs.system)
    answer = min(budget.answer, needs.answer)
    retrieved = min(budget.retrieved, needs.retrieved)
    history = min(needs.history, budget.total - system - answer - retrieved)
    retrieved = min(needs.retrieved, budget.total - system - answer - history)
    return Budget(system=system, history=history, retrieved=retrieved, answer=answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTurns:
    """The turns that fit, and what did not."""

    turns: tuple[ConversationTurn, ...]
    tokens: int
    """What the kept turns take; never more than the limit."""
    dropped: tuple[ConversationTurn, ...] = ()
    """Turns left out whole, oldest first."""
    cuts: tuple[ShortenedPart, ...] = ()
    """What the last turn had to lose, if it alone was over the limit."""

    @property
    def is_truncated(self) -> bool:
        """Whether anything is missing."""
        return bool(self.dropped or self.cuts)


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
    `shorten_turn` for what goes when even that is too much. The total is never over the limit.

    Args:
        turns: a window, oldest first.
        limit: the most tokens the kept turns may take together.
        count_tokens: how many tokens a text is.
        render: the text that stands for a message in the context.
        tokens_per_message: what each message costs beside its text, for its role and delimiters.
    """
    if not turns:
        return FittedTurns(turns=(), tokens=0)
    # A long text is asked for up to four times, and a megabyte takes 100 ms to count.
    cost = MessageCost(
        count_tokens=cache(count_tokens), render=render, beside_text=tokens_per_message
    )
    last = _last_turn(turns)
    tokens = _tokens_of(turns[last], cost)
    if tokens > limit:
        return _only_shortened(turns, last, limit, cost)
    kept = {last}
    for place in reversed([place for place in range(len(turns)) if place != last]):
        more = _tokens_of(turns[place], cost)
        if tokens + more > limit:
            break
        tokens += more
        kept.add(place)
    return FittedTurns(
        turns=_at(turns, kept), tokens=tokens, dropped=_at(turns, set(range(len(turns))) - kept)
    )


def _last_turn(turns: Sequence[ConversationTurn]) -> int:
    numbered = (place for place, turn in enumerate(turns) if turn.number is not None)
    return max(numbered, default=len(turns) - 1)


def _tokens_of(turn: ConversationTurn, cost: MessageCost) -> int:
    return sum(cost.of(message) for message in turn.messages)


def _at(turns: Sequence[ConversationTurn], places: Iterable[int]) -> tuple[ConversationTurn, ...]:
    return tuple(turns[place] for place in sorted(places))


def _only_shortened(
    turns: Sequence[ConversationTurn], last: int, limit: int, cost: MessageCost
) -> FittedTurns:
    shortened, cuts = shorten_turn(turns[last], limit, cost)
    return FittedTurns(
        turns=() if shortened is None else (shortened,),
        tokens=0 if shortened is None else _tokens_of(shortened, cost),
        dropped=(*turns[:last], *turns[last + 1 :]),
        cuts=cuts,
    )
