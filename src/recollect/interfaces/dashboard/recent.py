"""Results that count as current for some seconds, so that many open pages cost as much as one."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar, cast
from uuid import UUID

Result = TypeVar("Result")
_MOST: Final = 1_000
"""Results that are kept at once; each is some hundred numbers."""


class Key(NamedTuple):
    """What a result is, and for whom it was read."""

    name: str
    owner_id: UUID | None = None
    """Whose memory it is about; None: the whole server."""
    actor: str = ""
    """Who reads it: what each of them reads of others is in the audit log."""


class _Reading(NamedTuple):
    task: "asyncio.Task[Any]"
    until: float


@dataclass(slots=True, kw_only=True)
class RecentResults:
    """Reads each result once, however many wait for it, and keeps it for a while."""

    seconds: float
    clock: Callable[[], float] = time.monotonic
    _readings: dict[Key, _Reading] = field(default_factory=dict)

    async def get(self, key: Key, read: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result of a key; one that failed is read again by the next who asks."""
        reading = self._readings.get(key)
        if reading is None or reading.until <= self.clock() or _has_failed(reading.task):
            return await self.renewed(key, read)
        return cast("Result", await asyncio.shield(reading.task))

    async def renewed(self, key: Key, read: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result as it is now, for all who ask from now on."""
        self._readings.pop(key, None)
        while len(self._readings) >= _MOST:
            del self._readings[next(iter(self._readings))]
        task = asyncio.create_task(read())
        self._readings[key] = _Reading(task, self.clock() + self.seconds)
        # Whoever asked first may leave; others wait for the same.
        shielded: Awaitable[Result] = asyncio.shield(task)
        return await shielded

    def forget(self, owner_id: UUID) -> None:
        """Drop what is kept of an owner, whose memory has changed."""
        for key in [key for key in self._readings if key.owner_id == owner_id]:
            del self._readings[key]


def _has_failed(task: "asyncio.Task[Any]") -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
