"""How much the tests try: a sample of what is alike, or everything."""

import os
from collections.abc import Collection, Iterable, Sequence
from typing import Final, TypeVar

VARIABLE: Final = "RECOLLECT_TESTS"
"""Environment variable: with `all`, nothing is left out, which takes an hour."""
IS_WHOLE: Final = os.environ.get(VARIABLE) == "all"

Item = TypeVar("Item")


def sample(items: Iterable[Item], *, of: Collection[Item]) -> list[Item]:
    """Return the items that are in the sample, or all items if the variable says so."""
    return [item for item in items if IS_WHOLE or item in of]


def share(items: Sequence[Item], number: int, *, of: int) -> list[Item]:
    """Return one of several shares of the items, or all of them if the variable says so."""
    return list(items) if IS_WHOLE else list(items[number % of :: of])
