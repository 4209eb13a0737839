"""Work of drivers that block, in threads of their own that can be interrupted."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Final, TypeVar

from recollect.answerers.sql_database.data import BUSY, WAIT_SECONDS, StatementFailed
from recollect.concurrency import in_daemon_thread
from recollect.errors import DatabaseUnavailable

Result = TypeVar("Result")
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0


class RunningStatement:
    """One piece of blocking work in a thread, and how to end it early."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._interrupt: Callable[[], object] | None = None
        self._has_ended = threading.Event()
        self._is_stopped = False

    @contextmanager
    def interrupted_by(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """Say how to end the work of this block; `StatementFailed` where it is to end already."""
        with self._lock:
            if self._is_stopped:
                raise StatementFailed("it was interrupted")
            self._interrupt = interrupt
        try:
            yield
        finally:
            with self._lock:  # afterwards another statement has the connection
                self._interrupt = None

    def end(self) -> None:
        """Note that the thread does nothing more."""
        self._has_ended.set()

    def stop(self) -> None:
        """Interrupt the work, without waiting until it has ended."""
        with self._lock:
            if self._is_stopped:
                return
            self._is_stopped = True
        threading.Thread(target=self._interrupt_until_ended, daemon=True).start()

    def _interrupt_until_ended(self) -> None:
        """Interrupt again and again: a driver that is between two statements takes no notice."""
        pause = _FIRST_PAUSE
        while not self._has_ended.is_set():
            with self._lock, suppress(Exception):  # whatever a driver raises: the next try follows
                if self._interrupt is not None:
                    self._interrupt()
            self._has_ended.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


class StatementThreads:
    """Runs blocking work in at most `limit` threads, and interrupts what takes too long.

    A thread counts until its work has really ended. They are daemon threads of their own: what
    cannot be interrupted takes no thread of the event loop's pool, and no process waits for it
    when it ends.
    """

    def __init__(self, *, limit: int) -> None:
        self._free = asyncio.Semaphore(limit)
        self._running: set[RunningStatement] = set()

    async def run(
        self,
        work: Callable[[RunningStatement], Result],
        *,
        timeout: float,  # noqa: ASYNC109  # of the work alone, not of the wait for a thread
    ) -> Result:
        """Return what the work returns; `StatementFailed` if it takes longer.

        `DatabaseUnavailable` if all threads stay busy. Cancelled or late work is interrupted.
        """
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._free.acquire()
        except TimeoutError:
            raise DatabaseUnavailable(BUSY) from None
        running = RunningStatement()
        outcome = self._start(work, running)
        try:
            async with asyncio.timeout(timeout):
                return await asyncio.wrap_future(outcome)
        except TimeoutError:
            raise StatementFailed(f"it took more than {timeout:g} seconds") from None
        finally:
            if not outcome.done():
                running.stop()

    async def close(self, close_driver: Callable[[], object]) -> None:
        """Interrupt everything, wait a few seconds until it has ended, and close the driver."""
        for running in list(self._running):
            running.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(WAIT_SECONDS):
                while self._running:  # noqa: ASYNC110  # threads report by this set alone
                    await asyncio.sleep(_FIRST_PAUSE)
        with suppress(StatementFailed, DatabaseUnavailable):  # closed with the process, then
            await self.run(lambda _: close_driver(), timeout=WAIT_SECONDS)

    def _start(
        self, work: Callable[[RunningStatement], Result], running: RunningStatement
    ) -> Future[Result]:
        loop = asyncio.get_running_loop()

        def run() -> Result:
            try:
                return work(running)
            finally:
                running.end()
                with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                    loop.call_soon_threadsafe(self._release, running)

        self._running.add(running)
        return in_daemon_thread(run, name="sql-statement")

    def _release(self, running: RunningStatement) -> None:
        self._running.discard(running)
        self._free.release()
