"""A small cache of what another process may change: a few seconds old at most."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Final, Generic, TypeVar

from recollect.errors import Unavailable
from recollect.ports.runtime import Clock

FRESH: Final = timedelta(seconds=2)
"""A value that is younger is used as it is."""
LONGEST: Final = timedelta(seconds=5)
"""A value that is younger is used, and read again meanwhile; for an older one the caller waits."""
_PATIENCE: Final = 1.0
"""Seconds that a caller waits while an older value is known."""
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(slots=True, kw_only=True, eq=False)
class RefreshedCache(Generic[Key, Value]):
    """Reads values through; who asks often never waits.

    Calls for the same key at the same time share one reading. Failures are not cached, and leave
    the last value known.
    """

    read: Callable[[Key], Awaitable[Value]]
    clock: Clock
    most: int = 10_000
    _entries: OrderedDict[Key, tuple[Value, datetime]] = field(default_factory=OrderedDict)
    _reading: "dict[Key, asyncio.Task[Value]]" = field(default_factory=dict)

    async def get(self, key: Key) -> Value:
        """Return a value of the last few seconds.

        Raises:
            Unavailable: it cannot be read now; `last_known` may have an older one.
        """
        known = self._entries.get(key)
        if known is None:
            # A caller that is cancelled must not cancel the reading that others wait for.
            return await asyncio.shield(self._started(key))
        value, read_at = known
        age = self.clock.now() - read_at
        if timedelta() <= age < FRESH:
            return value
        task = self._started(key)
        if timedelta() <= age < LONGEST:
            return value
        await asyncio.wait({task}, timeout=_PATIENCE)
        if not task.done():
            raise Unavailable("a value could not be read again in time")
        return task.result()

    def last_known(self, key: Key) -> Value | None:
        """The value that was read last, however old; None if there is none."""
        known = self._entries.get(key)
        return None if known is None else known[0]

    def put(self, key: Key, value: Value) -> None:
        """Set what is known to be the value now; a reading that is under way does not count."""
        self._reading.pop(key, None)
        self._store(key, value, self.clock.now())

    def forget(self, key: Key) -> None:
        """Let the next caller read the value."""
        self._reading.pop(key, None)
        self._entries.pop(key, None)

    async def settle(self) -> None:
        """Wait until nothing is being read any more; what fails is nobody's loss."""
        await asyncio.gather(*self._reading.values(), return_exceptions=True)

    def _started(self, key: Key) -> "asyncio.Task[Value]":
        task = self._reading.get(key)
        if task is None:
            task = asyncio.ensure_future(self._read(key))
            self._reading[key] = task
            task.add_done_callback(partial(self._finish, key))
        return task

    async def _read(self, key: Key) -> Value:
        began = self.clock.now()
        value = await self.read(key)
        if self._reading.get(key) is asyncio.current_task():
            self._store(key, value, began)
        return value

    def _store(self, key: Key, value: Value, read_at: datetime) -> None:
        self._entries[key] = value, read_at
        self._entries.move_to_end(key)
        while len(self._entries) > self.most:
            self._entries.popitem(last=False)

    def _finish(self, key: Key, done: "asyncio.Task[Value]") -> None:
        if self._reading.get(key) is done:
            del self._reading[key]
        if not done.cancelled():
            done.exception()  # retrieved, in case nobody waits for it any more
