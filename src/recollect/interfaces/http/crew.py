"""Several processes that serve one address, and one that does the background work.

In one process Python runs one thread at a time: a machine with more processors answers more with
more processes. They share nothing but the database and the socket they listen on.
"""

import logging
import multiprocessing
import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Final

from recollect.errors import RecollectError
from recollect.settings import Settings

_PAUSE_SECONDS: Final = 1.0
_STOP_SECONDS: Final = 20.0
_READY: Final = b""
_SILENT: Final = "a process of the server ended without saying why"

Ready = Callable[[], None]
Task = Callable[[Settings, socket.socket, Ready], None]
"""What a process does until it is told to stop; it says when it is ready."""

_spawning: Final = multiprocessing.get_context("spawn")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """A process, what it does, and where it says that it is ready."""

    task: Task
    process: SpawnProcess
    ready: Connection


class Crew:
    """Keeps processes running until it is told to stop; one that dies is replaced.

    The first starts alone: it sets up what all need, and what is wrong is said once.
    """

    def __init__(self, settings: Settings, listener: socket.socket) -> None:
        self._settings = settings
        self._listener = listener
        self._members: list[_Member] = []

    def run(self, first: Task, *others: Task, ready: Ready) -> None:
        """Keep a process at each of these tasks; call `ready` once all are."""
        with _told_to_stop() as told:
            try:
                if self._begin([first], told) and self._begin(others, told):
                    ready()
                    self._watch(told)
            finally:
                self._stop()

    def _begin(self, tasks: Sequence[Task], told: Connection) -> bool:
        """Start some and wait until they are ready; False when told to stop before one is.

        One that cannot be while all others can is replaced later, as one that dies.
        """
        begun = [self._start(task) for task in tasks]
        self._members += begun
        for member in begun:
            if told in wait([member.ready, told]):
                return False
            problem = _problem_of(member)
            if problem and begun == self._members:
                raise RecollectError(problem)
        return True

    def _start(self, task: Task) -> _Member:
        ready, saying = _spawning.Pipe(duplex=False)
        process = _spawning.Process(
            target=_work, args=(task, self._settings, self._listener, saying)
        )
        process.start()
        saying.close()  # here: it ends with the process that may use it
        return _Member(task=task, process=process, ready=ready)

    def _watch(self, told: Connection) -> None:
        while told not in wait([told, *(member.process.sentinel for member in self._members)]):
            for member in [one for one in self._members if not one.process.is_alive()]:
                facts = {"code": member.process.exitcode, "problem": _problem_of(member)}
                logger.warning("server.process_died", extra={"facts": facts})
                if told.poll(_PAUSE_SECONDS):
                    return
                self._members[self._members.index(member)] = self._start(member.task)

    def _stop(self) -> None:
        for member in self._members:
            member.process.terminate()
        for member in self._members:
            member.process.join(_STOP_SECONDS)
            member.process.kill()
            member.process.join()


def _problem_of(member: _Member) -> str:
    """What a process says is wrong: nothing when it is ready."""
    try:
        return member.ready.recv_bytes().decode()
    except EOFError:
        return _SILENT


def _work(task: Task, settings: Settings, listener: socket.socket, saying: Connection) -> None:
    """What a new process does."""
    os.setpgid(0, 0)  # an interrupt from the keyboard is the first process's to hand on
    try:
        task(settings, listener, lambda: saying.send_bytes(_READY))
    except RecollectError as error:
        saying.send_bytes(str(error).encode())
        raise SystemExit(1) from None


@contextmanager
def _told_to_stop() -> Iterator[Connection]:
    """Becomes readable when this process is told to stop."""
    told, telling = multiprocessing.Pipe(duplex=False)

    def tell(_number: int, _frame: object) -> None:
        telling.send_bytes(b"stop")

    before = {number: signal.signal(number, tell) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
