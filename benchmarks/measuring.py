"""Measuring ways to do the same work in turns, so that noise hits all of them alike."""

import asyncio
import random
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Final

from dataset import StoredSession
from stage import HTTP, Stage
from ways import Way

ROUNDS: Final = 25
"""Turns that each cell's time is cut into; what is compared runs within a second."""

_ROUNDS_UNTIL_TIDY: Final = 5
_WARM_UP_TURNS: Final = 10
_WARM_UP_READS: Final = 6_000
"""By each client. A page that a connection has not seen yet costs it about 5 µs once, and of the
pages of a million messages each read meets a dozen: its time would be that of a new connection."""
_CHANCE: Final = random.Random(2)  # noqa: S311  # the same sessions on every run, no secrets


class Operation(StrEnum):
    """What is timed."""

    READ = "last-10 read"
    WRITE = "2-message write"
    READ_LONG = "read, long session"
    WRITE_LONG = "write, long session"

    @property
    def is_write(self) -> bool:
        """Whether it leaves something to undo."""
        return self in {Operation.WRITE, Operation.WRITE_LONG}

    @property
    def is_on_long_session(self) -> bool:
        """Whether it works on the one long session."""
        return self in {Operation.READ_LONG, Operation.WRITE_LONG}

    def of(self, way: Way) -> Callable[[StoredSession], Awaitable[None]]:
        """The way's own method for it."""
        return way.write if self.is_write else way.read


@dataclass(frozen=True, slots=True)
class Task:
    """An operation by so many clients at once on a database of that size."""

    operation: Operation
    clients: int
    size: int


Samples = Mapping[tuple[Task, str], Sequence[Sequence[float]]]
"""Seconds taken, by task and way, round by round."""


async def measure(
    stages: Sequence[Stage], *, client_counts: Sequence[int], seconds: float
) -> Samples:
    """Time every task in every way, each for so many seconds in all."""
    samples: dict[tuple[Task, str], list[list[float]]] = defaultdict(list)
    for stage in stages:
        await _warm_up(stage, max(client_counts))
    for number in range(1, ROUNDS + 1):
        print(f"\rround {number} of {ROUNDS} …", end="", file=sys.stderr, flush=True)
        for operation, clients in product(Operation, client_counts):
            for stage, way in _in_turn(stages, operation, clients):
                slice_ = await _run_slice(stage, way, operation, clients, seconds / ROUNDS)
                samples[Task(operation, clients, stage.dataset.size), way].append(slice_)
        if number % _ROUNDS_UNTIL_TIDY == 0:
            for stage in stages:
                await stage.tidy()
    print(file=sys.stderr)
    return samples


def _in_turn(
    stages: Sequence[Stage], operation: Operation, clients: int
) -> Iterator[tuple[Stage, str]]:
    """Every way on every database, shuffled, so that none always follows the same other one."""
    if operation.is_on_long_session:
        # Writers of one session wait for each other, which is not what this is about.
        stages = [stage for stage in stages if stage.dataset.long_session and clients == 1]
    turns = [(stage, way) for stage in stages for way in stage.ways]
    _CHANCE.shuffle(turns)
    yield from turns


async def _warm_up(stage: Stage, clients: int) -> None:
    """Open every connection, prepare every statement on it, let the server settle on plans.

    What is measured is a server that has been at work: its connections know most of its pages.
    Over HTTP, where that would take minutes, it is a hundredth of the time of a request.
    """
    print(f"warming up on {stage.dataset.size:,} messages …", file=sys.stderr)
    sessions = stage.dataset.sessions
    for name, way in stage.ways.items():
        await _repeat(way.read, sessions, clients=clients, times=_WARM_UP_TURNS)
        await _repeat(way.write, sessions, clients=clients, times=_WARM_UP_TURNS)
        if name != HTTP:
            reads = min(_WARM_UP_READS, 10 * len(sessions))
            await _repeat(way.read, sessions, clients=clients, times=reads)
    await stage.tidy()


async def _repeat(
    act: Callable[[StoredSession], Awaitable[None]],
    sessions: Sequence[StoredSession],
    *,
    clients: int,
    times: int,
) -> None:
    async def work() -> None:
        for session in _CHANCE.choices(sessions, k=times):
            await act(session)

    await asyncio.gather(*(work() for _ in range(clients)))


async def _run_slice(
    stage: Stage, way: str, operation: Operation, clients: int, seconds: float
) -> list[float]:
    act = operation.of(stage.ways[way])
    samples: list[float] = []
    until = time.perf_counter() + seconds
    shares = _shares(stage, operation, clients)
    await asyncio.gather(*(_work(act, share, samples, until) for share in shares))
    if operation.is_write:
        await stage.undo_writes()
    return samples


def _shares(stage: Stage, operation: Operation, clients: int) -> list[Sequence[StoredSession]]:
    """Sessions of its own for each client, as far as there are enough."""
    long_session = stage.dataset.long_session
    if operation.is_on_long_session and long_session:
        return [[long_session]] * clients
    sessions = stage.dataset.sessions
    return [sessions[number::clients] or sessions for number in range(clients)]


async def _work(
    act: Callable[[StoredSession], Awaitable[None]],
    sessions: Sequence[StoredSession],
    samples: list[float],
    until: float,
) -> None:
    await act(_CHANCE.choice(sessions))  # not timed: a connection may have to be opened again
    ended = 0.0
    while ended < until:
        session = _CHANCE.choice(sessions)
        began = time.perf_counter()
        await act(session)
        ended = time.perf_counter()
        samples.append(ended - began)
