"""What is left of messages whose tables may not, or not wholly, be seen."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from recollect.domain.access import Access, Visibility
from recollect.domain.answer_tables import placed
from recollect.domain.message import NO_DETAILS, AnswerDetails, Message, Role
from recollect.domain.table_names import normalised

WITHHELD: Final = "[…]"
"""Stands where something may not be shown; the same in every language."""

TurnKey = tuple[UUID, int]
"""A session, and the number of a turn in it."""


def turn_of(message: Message) -> TurnKey:
    """What a message shares with the others of its turn; a key of its own outside of turns."""
    number = message.turn_number
    return message.session_id, -message.sequence if number is None else number


@dataclass(frozen=True, slots=True, kw_only=True)
class Withholding:
    """Takes from messages what an owner may not see."""

    access: Access
    tables_of: Callable[[Message], tuple[str, ...]]
    """The tables that a message draws on."""
    shape_of: Callable[[str], str | None]
    """SQL without its values; None if it cannot be read."""

    def visibilities(self, messages: Iterable[Message]) -> dict[TurnKey, Visibility]:
        """How much may be seen of each turn: a question is worth what its answers are."""
        seen: dict[TurnKey, Visibility] = {}
        for message in messages:
            visibility = self.access.visibility_of(self.tables_of(message))
            turn = turn_of(message)
            seen[turn] = min(visibility, seen.get(turn, Visibility.ALL))
        return seen

    def told(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages as a model is given them: turns not to be seen are left out whole."""
        seen = self.visibilities(messages)
        shown = (self._part(message, seen[turn_of(message)]) for message in messages)
        return tuple(message for message in shown if message.visibility)

    def shown(self, messages: Sequence[Message], beside: Sequence[Message]) -> tuple[Message, ...]:
        """The messages as their owner lists them: what is not to be seen keeps place and id.

        `beside` are the other messages of their turns, which count as well.
        """
        seen = self.visibilities([*messages, *beside])
        return tuple(self._part(message, seen[turn_of(message)]) for message in messages)

    def _part(self, message: Message, visibility: Visibility) -> Message:
        match visibility:
            case Visibility.ALL:
                return replace(message, details=self._without_hidden_names(message.details))
            case Visibility.SHAPE if message.role is not Role.ASSISTANT:
                return replace(message, visibility=visibility)
            case Visibility.SHAPE:
                details = self._shape(message.details)
            case Visibility.NOTHING:
                details = NO_DETAILS
        return replace(
            message, content=WITHHELD, metadata={}, details=details, visibility=visibility
        )

    def _shape(self, details: AnswerDetails) -> AnswerDetails:
        return AnswerDetails(
            sql_query=self.shape_of(details.sql_query) if details.sql_query else None,
            tables_used=self._without_hidden_names(details).tables_used,
            tokens=details.tokens,
            execution_time_ms=details.execution_time_ms,
            model=details.model,
        )

    def _without_hidden_names(self, details: AnswerDetails) -> AnswerDetails:
        """Tables that were found for an answer and not used may be ones not to be seen."""
        if not details.tables_used:
            return details
        names = [n for n in details.tables_used if self._may_be_named(n, details)]
        if len(names) == len(details.tables_used):
            return details
        return replace(details, tables_used=tuple(names))

    def _may_be_named(self, table: str, details: AnswerDetails) -> bool:
        return bool(self.access.visibility_of(placed(normalised(table), details)))
