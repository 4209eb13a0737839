"""How long a request may hold the event loop, and which ones do so longer."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from .machine import slowness
from .measured_server import LoopTime

LONGEST: Final = 0.008 * slowness()
"""CPU seconds that JSON may hold the loop: a machine six times as slow keeps to 50 ms.

Most requests take a quarter of it here; of the same request one run takes twice as long as another.
"""
ATTEMPTS: Final = 3
"""Collecting garbage may hit any request once; what is slow is slow every time."""


async def slow_requests(
    loop_time: LoopTime,
    requests: Iterable[tuple[str, Callable[[], Awaitable[object]]]],
    *,
    bound: float = LONGEST,
) -> dict[str, float]:
    """The requests that hold the loop for too long each time they are sent, in milliseconds."""
    slow: dict[str, float] = {}
    for name, send in requests:
        longest = []
        for _ in range(ATTEMPTS):
            loop_time.take()
            await send()
            longest.append(loop_time.take()[0])
            if longest[-1] <= bound:
                break
        else:
            slow[name] = round(min(longest) * 1000, 1)
    return slow
