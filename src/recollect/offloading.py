"""Work on texts, kept off the event loop where they are long."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

AT_ONCE: Final = 20_000
"""Characters that are worked on at once: that takes a few milliseconds."""

Result = TypeVar("Result")


async def off_loop(work: Callable[[], Result], *, characters: int) -> Result:
    """Do the work, in a thread if it is about more characters than are worked on at once.

    No server answers anybody while its event loop works: whatever reads a text of any length
    goes this way. It must take no lock that others hold for long, and call nothing that keeps
    Python's interpreter lock for long.
    """
    if characters <= AT_ONCE:
        return work()
    return await asyncio.to_thread(work)
