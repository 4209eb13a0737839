"""Whether the background work goes on, known to all processes of a server."""

import asyncio
import multiprocessing
import time
from collections.abc import Callable
from ctypes import c_double
from enum import StrEnum
from typing import Final

from recollect.supervision import TaskSupervisor

_BEAT_SECONDS: Final = 1.0
_SILENT_SECONDS: Final = 60.0
"""The worker steps back behind those who serve: it may be late on a busy machine."""
_DEAD: Final = float("-inf")


class WorkerState(StrEnum):
    """How the background work stands."""

    OK = "ok"
    RESTARTING = "restarting"
    """A part of it has failed and is started again."""
    DEAD = "dead"
    """Its process has died, or has given no sign of life for a minute."""
    ELSEWHERE = "elsewhere"
    """Workers of their own do it: see to them where they run."""


class Heartbeat:
    """Sign of life of the worker, in memory that several processes share."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # The last sign of life, and whether a part of the work is failing.
        self._shared = multiprocessing.get_context("spawn").RawArray(c_double, [clock(), 0.0])

    @property
    def state(self) -> WorkerState:
        """How the background work stands now."""
        beat, is_failing = self._shared[:]
        if self._clock() - beat > _SILENT_SECONDS:
            return WorkerState.DEAD
        return WorkerState.RESTARTING if is_failing else WorkerState.OK

    def beat(self, *, is_failing: bool) -> None:
        """Give a sign of life."""
        self._shared[:] = [self._clock(), float(is_failing)]

    def stop(self) -> None:
        """Say that the worker has died."""
        self._shared[0] = _DEAD

    async def follow(self, supervisor: TaskSupervisor) -> None:
        """Give a sign of life every second, and tell of what is failing."""
        while True:
            self.beat(is_failing=bool(supervisor.failing))
            await asyncio.sleep(_BEAT_SECONDS)
