"""How much there is to read, in characters of plain text."""

from collections.abc import Iterable
from typing import Final

from recollect.domain.message import Message

OF_SQL: Final = 20
"""A character of SQL takes as long to read as so many of text."""
_SHORT_SQL: Final = 1_000


def characters_in(messages: Iterable[Message]) -> int:
    """How many characters there are to read in messages; long SQL counts for more."""
    return sum(
        len(message.content) + sql_characters(message.details.sql_query) for message in messages
    )


def sql_characters(sql: str | None) -> int:
    """What SQL counts as; short queries come again and again, and are read once."""
    length = len(sql or "")
    return length if length <= _SHORT_SQL else length * OF_SQL
