"""How a turn too long for its budget is made shorter."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias
from uuid import UUID

from recollect.domain.context.window import ConversationTurn
from recollect.domain.conversation.message import Message

CUT_MARK: Final = "[…]"
"""Stands where text was cut; the same in every language."""
_GUESSED_CHARACTERS_A_TOKEN: Final = 4
_FINEST: Final = 8192  # a part of so many characters is cut to the character

CountTokens: TypeAlias = Callable[[str], int]


class CutKind(StrEnum):
    """What became of a part of a message."""

    TEXT_SHORTENED = "text shortened"
    TEXT_LEFT_OUT = "text left out"
    SQL_LEFT_OUT = "sql left out"
    MESSAGE_LEFT_OUT = "message left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortenedPart:
    """Something a message had to lose."""

    message_id: UUID
    kind: CutKind
    characters: int
    """How many characters of the stored text or SQL are missing."""


def message_text(message: Message) -> str:
    """What a model reads of a message: its text, then its SQL if it has any."""
    parts = (message.content, message.details.sql_query)
    return "\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCost:
    """Counts what a message takes in a context."""

    count_tokens: CountTokens
    render: Callable[[Message], str] = message_text
    beside_text: int = 0
    """Tokens of each message for its role and delimiters."""

    def of(self, message: Message) -> int:
        """How many tokens the message takes."""
        return self.count_tokens(self.render(message)) + self.beside_text


def shorten_turn(
    turn: ConversationTurn, limit: int, cost: MessageCost
) -> tuple[ConversationTurn | None, tuple[ShortenedPart, ...]]:
    """Bring one turn within the limit and say what it lost; None if nothing of it fits.

    SQL stays whole: half a query is worse than none. The texts share the room it leaves, so
    that the shorter ones (most questions) stay whole and the longest ones lose their ends. A
    text whose mark alone does not fit is left out. SQL that does not fit beside the newer SQL
    of the turn is left out whole. A message with nothing left is left out itself.
    """
    without_large_sql = _keep_sql_that_fits(turn.messages, limit, cost)
    kept = _share_room(without_large_sql, limit, cost)
    cuts = tuple(cut for old in turn.messages for cut in _cuts(old, kept.get(old.message_id)))
    left = tuple(kept[m.message_id] for m in turn.messages if m.message_id in kept)
    return (replace(turn, messages=left) if left else None), cuts


def _keep_sql_that_fits(
    messages: Sequence[Message], limit: int, cost: MessageCost
) -> list[Message]:
    """The newest SQL first: a follow-up refers to that."""
    room = limit
    checked: list[Message] = []
    for message in reversed(messages):
        needed = _least(message, cost)
        fits = needed <= room
        checked.append(message if fits else _without_sql(message))
        room -= needed if fits else 0
    return checked[::-1]


def _share_room(messages: Sequence[Message], limit: int, cost: MessageCost) -> dict[UUID, Message]:
    """Each message within an equal share of what the ones before it left, cheapest first."""
    waiting = sorted(messages, key=cost.of)
    room = limit
    kept: dict[UUID, Message] = {}
    while waiting:
        reserved = sum(_least(message, cost) for message in waiting)
        message = waiting.pop(0)
        share = _least(message, cost) + (room - reserved) // (len(waiting) + 1)
        shorter = _shorten(message, share, cost)
        if shorter is not None:
            kept[message.message_id] = shorter
            room -= cost.of(shorter)
    return kept


def _least(message: Message, cost: MessageCost) -> int:
    """What must be set aside for a message: its SQL, if it has any."""
    return cost.of(replace(message, content="")) if message.details.sql_query else 0


def _shorten(message: Message, limit: int, cost: MessageCost) -> Message | None:
    if cost.of(message) <= limit:
        return message
    length = _longest_start(message, limit, cost)
    if length is not None:
        return _cut_at(message, length)
    if message.details.sql_query:
        return replace(message, content="")
    return None


def _longest_start(message: Message, limit: int, cost: MessageCost) -> int | None:
    """How many characters fit before the mark; None if not even the mark does.

    Doubles from a guess before it halves, so that a text of a megabyte is not counted whole
    again and again for a limit of some hundred tokens. Halves no more than 13 times, however
    long the text: beyond some thousand characters a few more or less do not matter.
    """

    def fits(length: int) -> bool:
        return cost.of(_cut_at(message, length)) <= limit

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


def _cuts(old: Message, new: Message | None) -> list[ShortenedPart]:
    if new is None:
        lost = len(old.content) + len(old.details.sql_query or "")
        return [_cut(old, CutKind.MESSAGE_LEFT_OUT, lost)]
    cuts = []
    if old.details.sql_query and not new.details.sql_query:
        cuts.append(_cut(old, CutKind.SQL_LEFT_OUT, len(old.details.sql_query)))
    if old.content != new.content:
        kept = len(new.content.removesuffix(CUT_MARK).rstrip())
        kind = CutKind.TEXT_SHORTENED if new.content else CutKind.TEXT_LEFT_OUT
        cuts.append(_cut(old, kind, len(old.content) - kept))
    return cuts


def _cut(message: Message, kind: CutKind, characters: int) -> ShortenedPart:
    return ShortenedPart(message_id=message.message_id, kind=kind, characters=characters)
