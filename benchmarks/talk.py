"""What is asked in a benchmark: questions about data and their follow-ups, seldom the same."""

import random
from collections.abc import Iterator
from typing import Final

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


def answer(chance: random.Random) -> str:
    """A reply such as these questions get."""
    north, south, east = (chance.randint(100, 9_900) / 1_000 for _ in range(3))
    return f"North {north:.1f}M, South {south:.1f}M and East {east:.1f}M."
