"""How fast this machine is, beside the one for which bounds were chosen."""

import time
from functools import cache
from typing import Final

_REFERENCE: Final = 0.08
"""CPU seconds of the counting below where bounds were chosen."""


@cache
def slowness() -> float:
    """How many times as long work takes here; never less than one."""
    return max(1.0, min(_counted() for _ in range(3)) / _REFERENCE)


def _counted() -> float:
    began = time.thread_time()
    sum(number % 7 for number in range(1_000_000))
    return time.thread_time() - began
