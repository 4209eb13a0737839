"""Several processes that serve one address, and one that does the background work.

In one process Python runs one thread at a time: a machine with more processors answers more with
more processes. They share nothing but the database and the address.
"""

import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Final, NamedTuple

from recollect.errors import DatabaseUnavailable, RecollectError

Ready = Callable[[], None]
Task = Callable[[Ready], None]
"""What a process does until it is told to stop; it says when it is ready."""


class Post(NamedTuple):
    """What one process does, and what is to be done when it has died."""

    task: Task
    leave: Callable[[], None] = lambda: None


_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 30.0
_LASTING: Final = 60.0  # seconds; who dies after that had no trouble starting
_STOP_SECONDS: Final = 75.0  # ten for those who still ask, and as long as PostgreSQL may take
_READY: Final = b""
_SILENT: Final = "a process of the server ended without saying why"

_spawning: Final = multiprocessing.get_context("spawn")

logger = logging.getLogger(__name__)


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
        deadline = time.monotonic() + _STOP_SECONDS
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
