"""Work beside the event loop: long texts in threads, and supervised background tasks."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from pathlib import PurePath
from traceback import extract_tb
from typing import Final, TypeVar

from recollect.errors import RecollectError
from recollect.ports.metrics import TASK_FAILURES
from recollect.ports.telemetry import UNMEASURED, Telemetry

AT_ONCE: Final = 20_000
"""Characters that are worked on at once: that takes a few milliseconds."""
Result = TypeVar("Result")
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0
_LASTING: Final = 60.0  # seconds; a task that fails after that had no trouble starting
_SETTLING: Final = 10.0  # seconds that a restarted task has to run before it counts as well
logger = logging.getLogger(__name__)


async def off_loop(work: Callable[[], Result], *, characters: int) -> Result:
    """Do the work, in a thread if it is about more characters than are worked on at once.

    No server answers anybody while its event loop works: whatever reads a text of any length
    goes this way. It must take no lock that others hold for long, and call nothing that keeps
    Python's interpreter lock for long.
    """
    if characters <= AT_ONCE:
        return work()
    return await asyncio.to_thread(work)


async def finish_writing(writing: "asyncio.Task[None]", give_up: Callable[[], None]) -> None:
    """Wait until a background task has written everything; cancelled, give up what is left."""
    try:
        await asyncio.wait([writing])
    except asyncio.CancelledError:
        give_up()
        writing.cancel()
        raise


def in_daemon_thread(work: Callable[[], Result], *, name: str) -> Future[Result]:
    """Start work in a thread of its own, which keeps no process from ending should it hang."""
    outcome: Future[Result] = Future()
    outcome.set_running_or_notify_cancel()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001  # raised again where it is awaited
            outcome.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return outcome


class TaskSupervisor:
    """Runs background tasks; one that fails is logged, counted and started again.

    The pause before each restart is twice the last one, up to a minute. Cancelling ends a task at
    once; a cancellation that comes from inside the task is a failure like any other.
    """

    def __init__(
        self, telemetry: Telemetry = UNMEASURED, *, first_pause: float = _FIRST_PAUSE
    ) -> None:
        self._telemetry = telemetry
        self._first_pause = first_pause
        self._failing_until: dict[str, float] = {}

    @property
    def failing(self) -> tuple[str, ...]:
        """The tasks that have failed, and have not run for a while since."""
        now = asyncio.get_running_loop().time()
        return tuple(name for name, until in self._failing_until.items() if now < until)

    async def run(
        self, name: str, work: Callable[[], Awaitable[None]], *, is_endless: bool = True
    ) -> None:
        """Do the work, starting it again whenever it fails.

        Work that is endless fails by ending; other work is done when it ends by itself.
        """
        loop = asyncio.get_running_loop()
        pause = self._first_pause
        while True:
            began = loop.time()
            error = await _failure_of(work, is_endless=is_endless)
            if error is None:
                self._failing_until.pop(name, None)
                return
            if loop.time() - began > _LASTING:
                pause = self._first_pause
            self._note(name, error, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _note(self, name: str, error: BaseException, pause: float) -> None:
        log_failure(name, error, restart_seconds=pause)
        self._telemetry.count(TASK_FAILURES, name)
        now = asyncio.get_running_loop().time()
        self._failing_until[name] = now + pause + _SETTLING


class EndedByItself(Exception):
    """Work that should never end has ended."""


async def _failure_of(
    work: Callable[[], Awaitable[None]], *, is_endless: bool
) -> BaseException | None:
    """Do the work and return the error it failed with; None if it has ended as it should."""
    try:
        await work()
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return error
    except Exception as error:  # noqa: BLE001  # whatever it is, the work goes on
        return error
    return EndedByItself() if is_endless else None


def log_failure(task: str, error: BaseException, **facts: object) -> None:
    """Log the failure of a task: the kind of error and where, never its text."""
    place = extract_tb(error.__traceback__)[-1:]
    at = [f"{PurePath(frame.filename).name}:{frame.lineno}" for frame in place]
    facts = {"task": task, "error": type(error).__name__, "at": "".join(at), **facts}
    logger.error("task.failed", extra={"facts": facts})


@asynccontextmanager
async def running_beside(work: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Run a coroutine as a task beside the block, and cancel it at the end."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def watch(task: "asyncio.Task[object]", name: str) -> None:
    """Log an unexpected failure of a task that nobody may be waiting for."""

    def look(done: "asyncio.Task[object]") -> None:
        error = None if done.cancelled() else done.exception()
        if error is not None and not isinstance(error, RecollectError):
            log_failure(name, error)

    task.add_done_callback(look)
