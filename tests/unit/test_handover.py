"""Processes that hand connections over to each other; here they share one event loop."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from recollect.interfaces.http.serving import handover as handover_module
from recollect.interfaces.http.serving.handover import Handover, Peers
from recollect.ports.metrics import HTTP_HANDED_OVER
from support.recorded_telemetry import RecordedTelemetry
from support.tables import for_each

REQUEST = b"GET / HTTP/1.1\r\n\r\n"


@dataclass
class Taker:
    """Keeps what it is given."""

    taken: list[bytes] = field(default_factory=list)
    is_quick: bool = True
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, connection: socket.socket, received: bytes) -> "asyncio.Task[None]":
        self.taken.append(received)
        return asyncio.get_running_loop().create_task(self._serve(connection))

    async def _serve(self, connection: socket.socket) -> None:
        with connection:
            connection.sendall(b"answer")
            if not self.is_quick:
                await self.stopping.wait()


class Process:
    """One of several, on the same event loop."""

    def __init__(self, number: int, peers: Peers) -> None:
        self.telemetry = RecordedTelemetry()
        self.handover = Handover(number, peers, self.telemetry)
        self.taker = Taker()
        self.handover.open(self.taker.take)


Processes = tuple[Process, Process]
Accepted = tuple[socket.socket, socket.socket]


@pytest_asyncio.fixture
async def processes() -> AsyncIterator[Processes]:
    peers = Peers.new(2)
    both = Process(0, peers), Process(1, peers)
    yield both
    for process in both:
        process.handover.close()
        process.taker.stopping.set()
    await settle()
    peers.close()


@pytest.fixture
def accepted() -> Iterator[Accepted]:
    """A connection as a server has it, and its client's end."""
    ours, client = socket.socketpair()
    with ours, client:
        yield ours, client


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0.01)


async def test_a_connection_goes_to_the_process_that_has_least_to_do(accepted: Accepted) -> None:
    peers = Peers.new(3)
    processes = [Process(number, peers) for number in range(3)]
    for process, load in zip(processes, (3, 2, 0), strict=True):
        process.handover.note_load(load)
    ours, client = accepted
    assert processes[0].handover.hand_over(ours, REQUEST)
    ours.close()
    await settle()

    assert client.recv(100) == b"answer"
    assert [process.taker.taken for process in processes] == [[], [], [REQUEST]]
    assert processes[0].telemetry.value(HTTP_HANDED_OVER) == 1
    for process in processes:
        process.handover.close()
    peers.close()


@for_each("load", [0, 1])
async def test_one_that_would_wait_as_long_there_is_kept(load: int) -> None:
    peers = Peers.new(2)
    processes = [Process(number, peers) for number in range(2)]
    for process in processes:
        process.handover.note_load(load)
    ours, client = socket.socketpair()
    with ours, client:
        assert not processes[0].handover.hand_over(ours, REQUEST)
    for process in processes:
        process.handover.close()
    peers.close()


async def test_requests_that_come_together_are_shared_before_any_of_them_has_begun(
    processes: Processes, accepted: Accepted
) -> None:
    handover, (ours, _) = processes[0].handover, accepted
    assert not handover.hand_over(ours, REQUEST)
    handover.note_new()
    assert handover.hand_over(ours, REQUEST)
    assert not handover.hand_over(ours, REQUEST)
    await settle()
    assert not handover.hand_over(ours, REQUEST), "the new one is counted once"


async def test_what_was_sent_and_is_not_yet_taken_over_is_to_be_done_there(
    processes: Processes, accepted: Accepted
) -> None:
    busy, slow = processes
    slow.taker.is_quick = False
    busy.handover.note_load(4)
    ours, _ = accepted
    sent = [busy.handover.hand_over(ours, REQUEST) for _ in range(6)]
    assert sent == [True] * 4 + [False] * 2
    await settle()
    assert len(slow.taker.taken) == 4
    assert not busy.handover.hand_over(ours, REQUEST)


async def test_once_taken_over_it_counts_as_the_process_says_itself(
    processes: Processes, accepted: Accepted
) -> None:
    busy, ours = processes[0].handover, accepted[0]
    busy.note_load(1)
    for _ in range(3):
        assert busy.hand_over(ours, REQUEST)
        assert not busy.hand_over(ours, REQUEST)
        await settle()


async def test_a_process_that_stops_is_sent_nothing_and_takes_over_what_it_was_sent(
    processes: Processes, accepted: Accepted
) -> None:
    busy, stopping = processes
    busy.handover.note_load(5)
    assert busy.handover.hand_over(accepted[0], REQUEST)
    stopping.handover.leave()
    stopping.handover.note_load(0)  # it still ends what it had
    assert not busy.handover.hand_over(accepted[0], REQUEST)
    await settle()
    assert stopping.taker.taken == [REQUEST]


async def test_what_was_sent_to_a_process_that_died_is_taken_over_by_the_next_one(
    accepted: Accepted,
) -> None:
    peers = Peers.new(2)
    busy, dead = (Process(number, peers) for number in range(2))
    busy.handover.note_load(5)
    assert busy.handover.hand_over(accepted[0], REQUEST)
    dead.handover.close()  # before it has read it
    assert not busy.handover.hand_over(accepted[0], REQUEST)

    another = Process(1, peers)
    await settle()
    assert another.taker.taken == [REQUEST]
    assert busy.handover.hand_over(accepted[0], REQUEST)
    for process in (busy, another):
        process.handover.close()
    peers.close()


async def test_one_that_does_not_fit_into_a_message_is_kept(
    processes: Processes, accepted: Accepted
) -> None:
    processes[0].handover.note_load(5)
    assert not processes[0].handover.hand_over(accepted[0], bytes(100_000))


async def test_nobody_waits_for_a_process_that_takes_over_nothing(
    processes: Processes, accepted: Accepted
) -> None:
    busy, ours = processes[0].handover, accepted[0]
    busy.note_load(1_000_000)
    sent = 0
    while busy.hand_over(ours, bytes(30_000)):
        sent += 1
    assert 0 < sent < 100_000


async def test_a_process_that_was_killed_with_a_connection_at_hand_leaves_no_load(
    accepted: Accepted,
) -> None:
    peers = Peers.new(2)
    busy, killed = (Process(number, peers) for number in range(2))
    killed.taker.is_quick = False
    busy.handover.note_load(3)
    assert busy.handover.hand_over(accepted[0], REQUEST)
    await settle()  # it has received it, and does not come to count it
    killed.handover.close()

    another = Process(1, peers)
    assert peers.least_busy_beside(0) == (0, 1)
    killed.taker.stopping.set()
    for process in (busy, another):
        process.handover.close()
    await settle()
    peers.close()


async def test_a_request_whose_client_has_given_up_is_not_begun(processes: Processes) -> None:
    busy, other = processes
    busy.handover.note_load(1)
    ours, client = socket.socketpair()
    with ours:
        client.close()
        assert busy.handover.hand_over(ours, REQUEST)
        await settle()
        assert other.taker.taken == []
        assert busy.handover.hand_over(ours, REQUEST), "it is counted all the same"


async def test_a_process_without_room_for_more_files_is_sent_nothing_for_a_while(
    processes: Processes, accepted: Accepted, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, full = processes
    busy.handover.note_load(5)
    received = [(REQUEST, [], socket.MSG_CTRUNC, None)]  # as the system tells it

    def receive(*_: object, **__: object) -> tuple[bytes, list[int], int, None]:
        if not received:
            raise BlockingIOError
        return received.pop()

    monkeypatch.setattr(socket, "recv_fds", receive)
    monkeypatch.setattr(handover_module, "_PAUSE_SECONDS", 0.05)
    assert busy.handover.hand_over(accepted[0], REQUEST)
    await asyncio.sleep(0.01)
    full.handover.note_load(0)
    assert not busy.handover.hand_over(accepted[0], REQUEST)
    await asyncio.sleep(0.2)
    assert busy.handover.hand_over(accepted[0], REQUEST)
