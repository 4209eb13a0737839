"""Several processes at one socket; here all of them are in one, over real connections."""

import asyncio
import errno
import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest

from recollect.interfaces.http.serving import accept_balancer
from recollect.interfaces.http.serving.accept_balancer import (
    AcceptBalancer,
    BalancerSlot,
    balancer_slots,
)
from support.timeouts import PATIENCE


class Process:
    """One that serves what it takes, which is to keep it."""

    def __init__(self, slot: BalancerSlot, *, busy_with: int = 0) -> None:
        self.taken = [socket.socket() for _ in range(busy_with)]
        self.balancer = AcceptBalancer(slot=slot, connections=self.taken, admit=self.admit)

    async def admit(self, connection: socket.socket) -> None:
        self.taken.append(connection)

    def end_all(self) -> None:
        for connection in self.taken:
            connection.close()
        self.taken.clear()


class Failing(socket.socket):
    """A socket of a process that has too many open files, once."""

    has_failed = False

    def accept(self) -> tuple[socket.socket, object]:
        if not self.has_failed:
            self.has_failed = True
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def two(listener: socket.socket) -> Iterator[list[Process]]:
    with of_two(listener, busy_with=(0, 0)) as both:
        yield both


@contextmanager
def of_two(listener: socket.socket, *, busy_with: tuple[int, int]) -> Iterator[list[Process]]:
    """Each with the socket under a number of its own, as processes have it."""
    at = [replace(slot, listener=slot.listener.dup()) for slot in balancer_slots(listener, 2)]
    both = [Process(slot, busy_with=load) for slot, load in zip(at, busy_with, strict=True)]
    yield both
    for process in both:
        process.end_all()
        process.balancer.slot.listener.close()


@contextmanager
def accepting(*processes: Process) -> Iterator[None]:
    for process in processes:
        process.balancer.open()
    try:
        yield
    finally:
        for process in processes:
            process.balancer.close()


def connect(listener: socket.socket, opened: ExitStack, count: int) -> None:
    for _ in range(count):
        opened.enter_context(socket.create_connection(listener.getsockname()))


async def until_taken(processes: list[Process], count: int) -> list[int]:
    async with asyncio.timeout(PATIENCE):
        while sum(len(process.taken) for process in processes) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return [len(process.taken) for process in processes]


async def test_connections_that_come_at_once_are_shared_out_evenly(
    listener: socket.socket, two: list[Process], opened: ExitStack
) -> None:
    with accepting(*two):
        connect(listener, opened, 20)
        assert await until_taken(two, 20) == [10, 10]


async def test_the_next_connection_goes_to_the_process_with_fewer(
    listener: socket.socket, opened: ExitStack
) -> None:
    with of_two(listener, busy_with=(5, 0)) as (busy, idle):
        with accepting(busy, idle):
            for count in range(1, 6):  # one after the other
                connect(listener, opened, 1)
                await until_taken([idle], count)
        assert len(busy.taken) == 5


async def test_a_process_that_accepts_nothing_is_not_waited_for(
    listener: socket.socket, two: list[Process], opened: ExitStack
) -> None:
    working, busy = two
    with accepting(working):
        assert busy.balancer.count() == 0  # it says so, and then does not come
        connect(listener, opened, 3)
        assert await until_taken([working], 3) == [3]


async def test_closed_connections_no_longer_count_for_balancing(
    listener: socket.socket, two: list[Process], opened: ExitStack
) -> None:
    first, _ = two
    with accepting(*two):
        connect(listener, opened, 4)
        assert await until_taken(two, 4) == [2, 2]
        first.end_all()
        assert first.balancer.count() == 0
        for count in (3, 4):
            connect(listener, opened, 1)
            await until_taken(two, count)
    assert [len(process.taken) for process in two] == [2, 2]


async def test_a_process_that_has_not_started_or_has_stopped_is_not_waited_for(
    listener: socket.socket, two: list[Process], opened: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accept_balancer, "_DEFER_SECONDS", 10 * PATIENCE)
    first, second = two
    with accepting(first):
        connect(listener, opened, 2)
        assert await until_taken([first], 2) == [2]
        with accepting(second):
            pass
        connect(listener, opened, 2)
        assert await until_taken([first], 4) == [4]


async def test_connections_go_to_the_other_process_when_one_stops_accepting(
    listener: socket.socket, two: list[Process], opened: ExitStack
) -> None:
    first, second = two
    with accepting(second):
        with accepting(first):
            pass
        connect(listener, opened, 3)
        assert await until_taken([second], 3) == [3]
    assert first.taken == []


async def test_a_process_that_fails_to_accept_logs_a_warning_and_accepts_again_later(
    opened: ExitStack, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(accept_balancer, "_AFTER_ERROR_SECONDS", 0.01)
    with Failing() as listener, caplog.at_level(logging.WARNING):
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        process = Process(balancer_slots(listener, 1)[0])
        with accepting(process):
            connect(listener, opened, 1)
            assert await until_taken([process], 1) == [1]
        process.end_all()
    assert [record.message for record in caplog.records] == ["server.not_accepting"]
