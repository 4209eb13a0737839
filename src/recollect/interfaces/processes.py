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
from typing import Final, NamedTuple

import uvloop

from recollect.errors import DatabaseUnavailable, RecollectError

_THREAD_SECONDS: Final = 5
_STOP_SECONDS: Final = 75  # the grace period, and as long as PostgreSQL may take to stop
_TURN_SECONDS: Final = 0.0005
logger = logging.getLogger(__name__)
Ready = Callable[[], None]
Task = Callable[[Ready], None]
"""What a process does until it is told to stop; it says when it is ready."""


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


class Post(NamedTuple):
    """What one process does, and what is to be done when it has died."""

    task: Task
    leave: Callable[[], None] = lambda: None


_FIRST_PAUSE: Final = 1.0


_LONGEST_PAUSE: Final = 30.0


_LASTING: Final = 60.0  # seconds; who dies after that had no trouble starting


_STOP_LIMIT: Final = 75.0


_READY: Final = b""


_SILENT: Final = "a process of the server ended without saying why"


_spawning: Final = multiprocessing.get_context("spawn")


@dataclass(slots=True, kw_only=True)
class _Member:
    """A process, what it does, and where it says that it is ready, or what is wrong."""

    name: str
    post: Post
    process: SpawnProcess
    saying: Connection
    pause: float
    """Seconds to wait before another takes its place."""
    began: float = field(default_factory=time.monotonic)
    problem: str = ""

    @classmethod
    def start(cls, name: str, post: Post, *, pause: float = _FIRST_PAUSE) -> "_Member":
        saying, said = _spawning.Pipe(duplex=False)
        process = _spawning.Process(target=_work, args=(post.task, said), name=name)
        with _without_interrupts():  # until it is in a group of its own
            process.start()
        said.close()  # here: it ends with the process that may use it
        return cls(name=name, post=post, process=process, saying=saying, pause=pause)

    def listen(self) -> bool:
        """Wait for its first word; whether that is that it is ready."""
        try:
            self.problem = self.saying.recv_bytes().decode()
        except EOFError:
            self.problem = _SILENT
        return not self.problem

    def last_word(self) -> str:
        """What it said last that is wrong."""
        with suppress(EOFError):
            while self.saying.poll():
                self.problem = self.saying.recv_bytes().decode()
        return self.problem

    def again(self) -> "_Member":
        """Another in its place; the next one later, if this one did not last."""
        has_lasted = time.monotonic() - self.began > _LASTING
        pause = _FIRST_PAUSE if has_lasted else min(2 * self.pause, _LONGEST_PAUSE)
        return _Member.start(self.name, self.post, pause=pause)


class ProcessSupervisor:
    """Keeps processes running until it is told to stop; one that dies is replaced.

    The first starts alone: it sets up what all need, and what is wrong is said once.
    """

    def __init__(self, *, serving: Sequence[Post], working: Sequence[Post]) -> None:
        self._serving = serving
        self._working = working
        self._members: list[_Member] = []

    def run(self, *, ready: Ready, stopping: Callable[[], None]) -> None:
        """Keep a process at each post; call `ready` once all have started.

        `stopping` is called when they are told to stop.
        """
        first, *others = self._serving
        with _told_to_stop() as told:
            try:
                if self._begin([first], told) and self._begin(others, told, self._working):
                    ready()
                    self._watch(told)
            finally:
                stopping()
                self._stop(told)

    def _begin(
        self, serving: Sequence[Post], told: Connection, working: Sequence[Post] = ()
    ) -> bool:
        """Start some and wait until they are ready; False when told to stop before they are.

        If the first cannot start, none can; another that cannot is replaced later.
        """
        before = len(self._members)
        for name, posts in (("serving", serving), ("working", working)):
            for post in posts:
                self._members.append(_Member.start(name, post))
        for member in self._members[before:]:
            if told in wait([member.saying, told]):
                return False
            if not member.listen() and not before:
                raise RecollectError(member.problem)
        return True

    def _watch(self, told: Connection) -> None:
        while told not in wait([told, *(member.process.sentinel for member in self._members)]):
            for place, member in enumerate(self._members):
                if member.process.is_alive():
                    continue
                member.post.leave()
                facts = {
                    "task": member.name,
                    "pid": member.process.pid,
                    "code": member.process.exitcode,
                    "problem": member.last_word(),
                }
                logger.warning("server.process_died", extra={"facts": facts})
                if told.poll(member.pause):
                    return
                self._members[place] = member.again()

    def _stop(self, told: Connection) -> None:
        """Let all finish; when told once more, or after a while, no longer."""
        while told.poll():
            told.recv_bytes()
        for member in self._members:
            member.process.terminate()
        deadline = time.monotonic() + _STOP_LIMIT
        while left := [one for one in self._members if one.process.is_alive()]:
            found = wait(
                [told, *(member.process.sentinel for member in left)],
                timeout=max(0.0, deadline - time.monotonic()),
            )
            if not found or told in found:
                break
        for member in self._members:
            member.process.kill()
            member.process.join()


def _work(task: Task, said: Connection) -> None:
    """What a new process does."""
    os.setpgid(0, 0)  # an interrupt from the keyboard is the first process's to hand on
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        task(lambda: said.send_bytes(_READY))
    except RecollectError as error:
        problem = error.explanation if isinstance(error, DatabaseUnavailable) else str(error)
        said.send_bytes(problem.encode())
        raise SystemExit(1) from None


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """What starts meanwhile is not interrupted from the keyboard until it says so."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def _told_to_stop() -> Iterator[Connection]:
    """Becomes readable each time this process is told to stop."""
    told, telling = multiprocessing.Pipe(duplex=False)

    def tell(_number: int, _frame: object) -> None:
        telling.send_bytes(b"stop")

    before = {number: signal.signal(number, tell) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
