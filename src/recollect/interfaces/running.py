"""Running a process until it is told to stop, and ending it in order within a limited time."""

import asyncio
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Final

import uvloop

_THREAD_SECONDS: Final = 5
_STOP_SECONDS: Final = 75  # the grace period, and as long as PostgreSQL may take to stop
_TURN_SECONDS: Final = 0.0005

logger = logging.getLogger(__name__)


def run_until_stopped(work: Coroutine[object, object, None]) -> None:
    """Do something in an event loop of its own until it ends or the process is told to stop.

    At SIGTERM and Ctrl-C the work is cancelled; from then on the process has a limited time to end.
    """
    # Threads that embed take turns with the one that serves: as Python has it, each waits for the
    # other for 5 ms at a time, and half the server's time is lost.
    sys.setswitchinterval(_TURN_SECONDS)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_until_told(work))
        if runner.run(_threads_ended()):
            return
        # Everything of ours is closed. What still runs in a thread is somebody else's work that
        # cannot be interrupted, and Python would wait for it.
        logger.warning("server.thread_left")
        logging.shutdown()
        os._exit(0)


async def _threads_ended() -> bool:
    """Wait a few seconds for the threads of the event loop's pool; whether they have ended."""
    joining = asyncio.create_task(asyncio.get_running_loop().shutdown_default_executor())
    ended, _ = await asyncio.wait({joining}, timeout=_THREAD_SECONDS)
    return bool(ended)


async def _until_told(work: Coroutine[object, object, None]) -> None:
    """Do something until the process is told to stop, also while it still starts."""
    working = asyncio.create_task(work)

    def stop() -> None:
        if not working.cancelling():  # a second signal must not cancel how the first is obeyed
            working.cancel()

    # Both by name: what starts a program in the background may have it ignore Ctrl-C.
    on_stop_signal(stop, signal.SIGTERM, signal.SIGINT)
    with suppress(asyncio.CancelledError):
        await working


def on_stop_signal(stop: Callable[[], object], *numbers: signal.Signals) -> None:
    """Stop at these signals, and when the process that started this one, if one did, is gone.

    What was to be done before that is not done any more. From then on the process has a limited
    time to end.
    """
    loop = asyncio.get_running_loop()

    def on_signal(_number: int, _frame: object) -> None:
        _limit_stopping()
        if not loop.is_closed():  # told while it ends by itself
            loop.call_soon_threadsafe(stop)

    def on_orphaned(sentinel: int) -> None:
        _limit_stopping()
        loop.remove_reader(sentinel)
        stop()

    for number in numbers:
        signal.signal(number, on_signal)
    parent = multiprocessing.parent_process()
    if parent is not None:
        loop.add_reader(parent.sentinel, on_orphaned, parent.sentinel)


def _limit_stopping() -> None:
    """Let the system end this process if it has not ended in time, whatever holds it.

    A signal's own handler sets this, which runs also while the event loop is held.
    """
    if not signal.getitimer(signal.ITIMER_REAL)[0]:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, _STOP_SECONDS)
