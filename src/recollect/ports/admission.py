"""The place that a request has among those that a process works on at once."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Protocol


class Place(Protocol):
    """A place that others may use while its holder only waits."""

    def step_aside(self) -> None:
        """Leave the place to others; may be called several times before `step_back`."""

    def step_back(self) -> None:
        """Take it again, at once: as often as it was left."""

    async def give_way(self) -> None:
        """Leave the place for good, and wait while others are at work, for a moment at most."""


current_place: Final[ContextVar[Place | None]] = ContextVar("current_place", default=None)
"""The place of the request being served; None: nobody counts."""


@contextmanager
def waiting_outside() -> Iterator[None]:
    """Leave the request's place to others while it waits for another service, such as a model."""
    place = current_place.get()
    if place is None:
        yield
        return
    place.step_aside()
    try:
        yield
    finally:
        place.step_back()


async def give_way() -> None:
    """Let other requests go first, before the next piece of long work such as an export.

    Waits while others are at work, and no longer than a moment, so that what gives way always
    comes further. Where nobody counts requests, others get one turn of the event loop.
    """
    place = current_place.get()
    if place is None:
        await asyncio.sleep(0)
    else:
        await place.give_way()
