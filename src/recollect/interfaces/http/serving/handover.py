"""A request that comes to a busy process goes on to one with less to do, with its connection.

Clients keep their connections, so which process a request comes to is left to chance: while one
has several at work, another has none. See docs/decisions/0055-connections-move.md.
"""

import asyncio
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from ctypes import c_long
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, Final, Protocol, TypeAlias

from recollect.ports.metrics import HTTP_HANDED_OVER
from recollect.ports.telemetry import UNMEASURED, Telemetry

_MOST_BYTES: Final = 32_768
"""Of a request that have come; one with more of them is served where it is."""
_MARGIN: Final = 1
"""How many requests less another process must have."""
_ABSENT: Final = -1
"""The load of a process that takes over nothing."""
_PAUSE_SECONDS: Final = 10.0
_CLOSED_ON_EXEC: Final[int] = getattr(socket, "MSG_CMSG_CLOEXEC", 0)

_Numbers: TypeAlias = Any  # an array of ctypes in memory that processes share
_Taking: TypeAlias = "asyncio.Task[Any]"
Take: TypeAlias = Callable[[socket.socket, bytes], _Taking]
"""Begins to serve a connection on which these bytes have come; done once it does."""


class HasNumber(Protocol):
    """A socket that an event loop has."""

    def fileno(self) -> int:
        """The number of its file."""
        ...


@dataclass(frozen=True, slots=True)
class _Channel:
    """On which connections are sent to a process; nobody waits for it."""

    receiving: socket.socket
    sending: socket.socket

    @classmethod
    def new(cls) -> "_Channel":
        channel = cls(*socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
        channel.receiving.setblocking(False)
        channel.sending.setblocking(False)
        return channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Peers:
    """What processes share that serve the same address; each has its number."""

    channels: Sequence[_Channel]
    loads: _Numbers
    """How many requests each has, as it says itself."""
    sent: Sequence[_Numbers]
    """How many connections were ever sent to each by each, as the sender says."""
    taken: _Numbers
    """How many of those each has taken over, as it says itself."""

    @classmethod
    def new(cls, count: int) -> "Peers":
        """So many processes, before they start."""
        shared = get_context("spawn")
        return cls(
            channels=[_Channel.new() for _ in range(count)],
            loads=shared.RawArray(c_long, [_ABSENT] * count),
            sent=[shared.RawArray(c_long, count) for _ in range(count)],
            taken=shared.RawArray(c_long, count),
        )

    def leave(self, number: int) -> None:
        """Say that a process takes over nothing any more."""
        self.loads[number] = _ABSENT

    def close(self) -> None:
        """Close the channels."""
        for channel in self.channels:
            channel.receiving.close()
            channel.sending.close()

    def least_busy_beside(self, number: int) -> tuple[int, int] | None:
        """The load of another process with what is on its way there, and its number.

        It is the one that has the least; None: there is no other.
        """
        return min(self._loads_beside(number), default=None)

    def _loads_beside(self, number: int) -> Iterator[tuple[int, int]]:
        numbers = zip(self.loads, self.sent, self.taken, strict=True)
        for other, (load, sent, taken) in enumerate(numbers):
            if load != _ABSENT and other != number:
                yield load + sum(sent) - taken, other


class Handover:
    """Hands connections over to peers, and takes over those that they send."""

    def __init__(self, number: int, peers: Peers, telemetry: Telemetry = UNMEASURED) -> None:
        self._number = number
        self._peers = peers
        self._telemetry = telemetry
        self._is_open = False
        self._load = 0
        self._new = 0
        """Requests that have come in this turn of the event loop, and are in no load yet."""
        self._taking: set[_Taking] = set()
        self._returning: asyncio.TimerHandle | None = None
        """Set while it takes a pause."""

    def open(self, take: Take) -> None:
        """Take over connections from now on, also those sent to a process that had this number."""
        receiving = self._peers.channels[self._number].receiving
        self._receive(receiving, take)
        # One that was killed may have received some that it did not count. Nobody sends any now.
        self._peers.taken[self._number] = sum(self._peers.sent[self._number]) - len(self._taking)
        asyncio.get_running_loop().add_reader(receiving, self._receive, receiving, take)
        self._is_open = True
        self.note_load(0)

    def leave(self) -> None:
        """Be sent no more; what was sent before is still taken over."""
        self._is_open = False
        self._peers.leave(self._number)

    def close(self) -> None:
        """Take over nothing any more."""
        self.leave()
        receiving = self._peers.channels[self._number].receiving
        asyncio.get_running_loop().remove_reader(receiving)
        if self._returning is not None:
            self._returning.cancel()

    def note_load(self, load: int) -> None:
        """Say how many requests are worked on here, or wait for it."""
        self._load = load
        if self._is_open and self._returning is None:
            self._peers.loads[self._number] = load

    def note_new(self) -> None:
        """Count a request that has just come, until it is part of the load."""
        if not self._new:
            asyncio.get_running_loop().call_soon(self._forget_new)
        self._new += 1

    def hand_over(self, connection: HasNumber, received: bytes) -> bool:
        """Send a connection, on which this has come, to a process with less to do; whether it was.

        It stays open here as well.
        """
        least = self._peers.least_busy_beside(self._number)
        if least is None or least[0] + _MARGIN > self._load + self._new:
            return False
        other = least[1]
        if len(received) > _MOST_BYTES:
            return False
        self._peers.sent[other][self._number] += 1
        try:
            sending = self._peers.channels[other].sending
            socket.send_fds(sending, [received], [connection.fileno()])
        except OSError:  # it was sent so many that it has not received yet
            self._peers.sent[other][self._number] -= 1
            return False
        self._telemetry.count(HTTP_HANDED_OVER)
        return True

    def _forget_new(self) -> None:
        self._new = 0

    def _receive(self, receiving: socket.socket, take: Take) -> None:
        with suppress(BlockingIOError):
            while True:
                received, numbers, _, _ = socket.recv_fds(
                    receiving, _MOST_BYTES, 1, flags=_CLOSED_ON_EXEC
                )
                if not numbers:
                    self._pause()
                    self._count_taken()
                for number in numbers:
                    self._take_over(socket.socket(fileno=number), received, take)

    def _take_over(self, connection: socket.socket, received: bytes, take: Take) -> None:
        if _is_closed(connection):  # the client has given up: nothing is to be done for it
            connection.close()
            self._count_taken()
            return
        taking = take(connection, received)
        self._taking.add(taking)
        taking.add_done_callback(self._end_taking)

    def _pause(self) -> None:
        """Be sent nothing for a while: so many files are open here that a connection was lost."""
        self._peers.leave(self._number)
        if self._returning is None and self._is_open:
            loop = asyncio.get_running_loop()
            self._returning = loop.call_later(_PAUSE_SECONDS, self._return)

    def _return(self) -> None:
        self._returning = None
        self.note_load(self._load)

    def _end_taking(self, taking: _Taking) -> None:
        self._taking.discard(taking)
        self._count_taken()
        if not taking.cancelled():
            taking.exception()  # its client has gone meanwhile

    def _count_taken(self) -> None:
        self._peers.taken[self._number] += 1


def _is_closed(connection: socket.socket) -> bool:
    """Whether the other end is closed, or nobody can tell any more."""
    try:
        return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True
