"""What is said in benchmarks: questions about data and their follow-ups, and stored messages."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from recollect.domain.conversation.message import NO_DETAILS, Message, Role

_MEASURES: Final = (
    *("total sales", "gross margin", "new customers", "open orders", "late deliveries"),
    *("returned goods", "warranty claims", "support tickets", "energy use", "travel costs"),
    *("website visits", "unpaid invoices", "stock levels", "overtime hours", "sick days"),
)
_GROUPINGS: Final = ("region", "month", "product line", "department", "supplier", "sales channel")
_PLACES: Final = ("the north", "Utrecht", "Belgium", "the main warehouse", "Hamburg", "the west")
_YEARS: Final = range(2005, 2027)


def conversation(chance: random.Random) -> Iterator[str]:
    """Questions in threes: one that stands alone, and two that follow it up."""
    while True:
        year, other = chance.sample(_YEARS, 2)
        measure, grouping = chance.choice(_MEASURES), chance.choice(_GROUPINGS)
        yield f"Show me {measure} by {grouping} for {year}"
        yield f"What about {other}?"
        yield f"How many of them are in {chance.choice(_PLACES)}?"


def question(chance: random.Random) -> str:
    """A question that stands alone; one of some thousand."""
    measure, grouping = chance.choice(_MEASURES), chance.choice(_GROUPINGS)
    place, year = chance.choice(_PLACES), chance.choice(_YEARS)
    return f"Which {measure} did {place} have by {grouping} in {year}?"


def answer(chance: random.Random) -> str:
    """A reply such as these questions get."""
    north, south, east = (chance.randint(100, 9_900) / 1_000 for _ in range(3))
    return f"North {north:.1f}M, South {south:.1f}M and East {east:.1f}M."


def stored_message(sequence: int, role: Role, content: str) -> Message:
    """A message as it is stored, with its place in its session."""
    return Message(
        message_id=UUID(int=sequence),
        session_id=UUID(int=0),
        sequence=sequence,
        turn_number=(sequence + 1) // 2,
        role=role,
        content=content,
        metadata={},
        details=NO_DETAILS,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
