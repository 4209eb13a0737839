"""Running a process until it is told to stop, and supervising several of them."""

import asyncio
import logging
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Final

import uvloop

from recollect.errors import RecollectError

_THREAD_SECONDS: Final = 5
_STOP_SECONDS: Final = 75  # the grace period, and as long as PostgreSQL may take to stop
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 30.0
_LASTING: Final = 60.0  # seconds; a process that dies after that had no trouble starting
_spawning: Final = multiprocessing.get_context("spawn")

Ready = Callable[[], object]
logger = logging.getLogger(__name__)


def run_until_stopped(work: Coroutine[object, object, None]) -> None:
    """Run a coroutine in an event loop until it ends or the process is told to stop.

    SIGTERM and Ctrl-C cancel it; from then on the process has a limited time to end.
    """
    # With Python's interval of 5 ms, the threads that embed and the one that serves wait so long
    # for each other that half the server's time is lost.
    sys.setswitchinterval(0.0005)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_run_until_signal(work))
        if runner.run(_threads_ended()):
            return
        # Everything of ours is closed. A thread that still runs cannot be interrupted, and Python
        # would wait for it.
        logger.warning("server.thread_left")
        logging.shutdown()
        os._exit(0)


async def _threads_ended() -> bool:
    """Wait a few seconds for the threads of the event loop's pool; whether they have ended."""
    joining = asyncio.create_task(asyncio.get_running_loop().shutdown_default_executor())
    ended, _ = await asyncio.wait({joining}, timeout=_THREAD_SECONDS)
    return bool(ended)


async def _run_until_signal(work: Coroutine[object, object, None]) -> None:
    task = asyncio.create_task(work)

    def stop() -> None:
        if not task.cancelling():  # a second signal must not interrupt the first one's clean-up
            task.cancel()

    # Both by name: what starts a program in the background may have it ignore Ctrl-C.
    on_stop_signal(stop, signal.SIGTERM, signal.SIGINT)
    with suppress(asyncio.CancelledError):
        await task


def on_stop_signal(stop: Callable[[], object], *numbers: signal.Signals) -> None:
    """Call `stop` at these signals, and when the process that started this one ends.

    It replaces earlier handlers. From a signal on the process has a limited time to end.
    """
    loop = asyncio.get_running_loop()

    def on_signal(_number: int, _frame: object) -> None:
        _limit_stopping()
        if not loop.is_closed():  # the signal may come while the process ends by itself
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
    """Let the system end this process if it has not ended in time, even if its loop is blocked."""
    if not signal.getitimer(signal.ITIMER_REAL)[0]:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, _STOP_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessTask:
    """What one process does, and what the supervisor does when it has died."""

    name: str
    run: Callable[[Ready], None]
    """Runs until the process is told to stop; calls its argument when it is ready."""
    on_death: Callable[[], None] = lambda: None
    is_awaited: bool = True
    """Whether the start waits until the process is ready."""


@dataclass(slots=True, kw_only=True)
class _Member:
    """A process, and the pipe on which it reports that it is ready, or what is wrong."""

    task: ProcessTask
    process: SpawnProcess
    reports: Connection
    pause: float
    """Seconds before another process replaces this one, should it die."""
    began: float = field(default_factory=time.monotonic)
    problem: str = ""

    @classmethod
    def start(cls, task: ProcessTask, *, pause: float = _FIRST_PAUSE) -> "_Member":
        reports, reporting = _spawning.Pipe(duplex=False)
        process = _spawning.Process(target=_run, args=(task.run, reporting), name=task.name)
        with _without_interrupts():  # until it is in a process group of its own
            process.start()
        reporting.close()  # here: the pipe then ends with the other process
        return cls(task=task, process=process, reports=reports, pause=pause)

    def is_ready(self) -> bool:
        """Wait for its first report."""
        try:
            self.problem = self.reports.recv_bytes().decode()
        except EOFError:
            self.problem = "a process of the server ended without saying why"
        return not self.problem

    def log_death(self) -> None:
        with suppress(EOFError):
            while self.reports.poll():
                self.problem = self.reports.recv_bytes().decode()
        facts = {
            "task": self.task.name,
            "pid": self.process.pid,
            "code": self.process.exitcode,
            "problem": self.problem,
        }
        logger.warning("server.process_died", extra={"facts": facts})

    def replacement(self) -> "_Member":
        """Another process for the same task, replaced later if this one did not last."""
        has_lasted = time.monotonic() - self.began > _LASTING
        pause = _FIRST_PAUSE if has_lasted else min(2 * self.pause, _LONGEST_PAUSE)
        return _Member.start(self.task, pause=pause)


class ProcessSupervisor:
    """Runs each task in a process until told to stop; a process that dies is replaced.

    The first starts alone: it sets up what all need, and reports a problem once.
    """

    def __init__(self, tasks: Sequence[ProcessTask]) -> None:
        self._tasks = tasks
        self._members: list[_Member] = []

    def run(self, *, ready: Ready, stopping: Callable[[], None]) -> None:
        """Start the processes, call `ready` once they are, and `stopping` at the end."""
        with _stop_signals() as stop:
            try:
                if self._start(self._tasks[:1], stop) and self._start(self._tasks[1:], stop):
                    ready()
                    self._watch(stop)
            finally:
                stopping()
                self._stop(stop)

    def _start(self, tasks: Sequence[ProcessTask], stop: Connection) -> bool:
        """Start processes and wait until they are ready; False when told to stop before.

        If the first one cannot start, none can; another that cannot is replaced later.
        """
        is_first = not self._members
        started = [_Member.start(task) for task in tasks]
        self._members += started
        for member in (one for one in started if one.task.is_awaited):
            if stop in wait([member.reports, stop]):
                return False
            if not member.is_ready() and is_first:
                raise RecollectError(member.problem)
        return True

    def _watch(self, stop: Connection) -> None:
        while stop not in wait([stop, *(member.process.sentinel for member in self._members)]):
            dead = [one for one in enumerate(self._members) if not one[1].process.is_alive()]
            for _, member in dead:
                member.task.on_death()
            for number, member in dead:
                member.log_death()
                if stop.poll(member.pause):
                    return
                self._members[number] = member.replacement()

    def _stop(self, stop: Connection) -> None:
        """Let all finish; at a second signal, or after a while, kill them."""
        while stop.poll():
            stop.recv_bytes()
        for member in self._members:
            member.process.terminate()
        deadline = time.monotonic() + _STOP_SECONDS
        while alive := [member for member in self._members if member.process.is_alive()]:
            events = wait(
                [stop, *(member.process.sentinel for member in alive)],
                timeout=max(0.0, deadline - time.monotonic()),
            )
            if not events or stop in events:
                break
        for member in self._members:
            member.process.kill()
            member.process.join()


def _run(task: Callable[[Ready], None], reporting: Connection) -> None:
    """The main function of a new process."""
    os.setpgid(0, 0)  # Ctrl-C reaches the first process, which tells the others
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        task(lambda: reporting.send_bytes(b""))
    except RecollectError as error:
        reporting.send_bytes(error.explanation.encode())
        raise SystemExit(1) from None


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block Ctrl-C in processes that are started in the block, until they unblock it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def _stop_signals() -> Iterator[Connection]:
    """A pipe that becomes readable at each signal to stop."""
    stop, sending = multiprocessing.Pipe(duplex=False)

    def send(_number: int, _frame: object) -> None:
        sending.send_bytes(b"stop")

    before = {number: signal.signal(number, send) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
