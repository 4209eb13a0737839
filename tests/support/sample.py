"""How much the tests of hostile texts try: a sample on every run, all of it where asked for."""

import os
from collections.abc import Collection, Iterable
from typing import Final, TypeVar

VARIABLE: Final = "HOSTILE_TEXTS"
"""Set to `all`, every text is tried at every length; that takes minutes."""
IS_WHOLE: Final = os.environ.get(VARIABLE) == "all"

Item = TypeVar("Item")


def sample(items: Iterable[Item], *, of: Collection[Item]) -> list[Item]:
    """The items of the sample, in their order; all items where everything is tried."""
    return [item for item in items if IS_WHOLE or item in of]
