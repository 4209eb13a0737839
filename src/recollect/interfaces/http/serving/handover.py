"""Requests that come to a busy process are given to one that has less to do, with their connection.

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

from recollect.ports.metrics import HTTP_GIVEN
from recollect.ports.telemetry import UNMEASURED, Telemetry

_MOST_BYTES: Final = 32_768
"""Of a request that have come; one with more of them is served where it is."""
_MARGIN: Final = 1
"""How many requests less another process must have."""
_ABSENT: Final = -1
"""The load of a process that takes nothing."""
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
    """On which a process is given connections; nobody waits for it."""

    receiving: socket.socket
    sending: socket.socket

    @classmethod
    def new(cls) -> "_Channel":
        channel = cls(*socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
        channel.receiving.setblocking(False)
        channel.sending.setblocking(False)
        return channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Colleagues:
    """What processes share that serve the same address; each has its number."""

    channels: Sequence[_Channel]
    loads: _Numbers
    """How many requests each has, as it says itself."""
    given: Sequence[_Numbers]
    """How many connections each was ever given by each, as the giver says."""
    taken: _Numbers
    """How many of those each has taken, as it says itself."""

    @classmethod
    def new(cls, count: int) -> "Colleagues":
        """So many processes, before they start."""
        shared = get_context("spawn")
        return cls(
            channels=[_Channel.new() for _ in range(count)],
            loads=shared.RawArray(c_long, [_ABSENT] * count),
            given=[shared.RawArray(c_long, count) for _ in range(count)],
            taken=shared.RawArray(c_long, count),
        )

    def leave(self, number: int) -> None:
        """Say that a process takes nothing any more."""
        self.loads[number] = _ABSENT

    def close(self) -> None:
        """Close the channels."""
        for channel in self.channels:
            channel.receiving.close()
            channel.sending.close()

    def least_busy_beside(self, number: int) -> tuple[int, int] | None:
        """How many requests another process has or is given, and its number; None: there is none.

        It is the one that has the fewest.
        """
        return min(self._loads_beside(number), default=None)

    def _loads_beside(self, number: int) -> Iterator[tuple[int, int]]:
        numbers = zip(self.loads, self.given, self.taken, strict=True)
        for other, (load, given, taken) in enumerate(numbers):
            if load != _ABSENT and other != number:
                yield load + sum(given) - taken, other


class Handover:
    """Gives connections to colleagues, and takes those that they give."""

    def __init__(
        self, number: int, colleagues: Colleagues, telemetry: Telemetry = UNMEASURED
    ) -> None:
        self._number = number
        self._colleagues = colleagues
        self._telemetry = telemetry
        self._is_open = False
        self._load = 0
        self._new = 0
        """Requests that have come in this turn of the event loop, and are in no load yet."""
        self._taking: set[_Taking] = set()

    def open(self, take: Take) -> None:
        """Take connections as they are given, from now on."""
        receiving = self._colleagues.channels[self._number].receiving
        asyncio.get_running_loop().add_reader(receiving, self._read, receiving, take)
        self._is_open = True
        self.note_load(0)

    def leave(self) -> None:
        """Be given no more; what was given before is still taken."""
        self._is_open = False
        self._colleagues.leave(self._number)

    def close(self) -> None:
        """Take nothing any more."""
        self.leave()
        receiving = self._colleagues.channels[self._number].receiving
        asyncio.get_running_loop().remove_reader(receiving)

    def note_load(self, load: int) -> None:
        """Say how many requests are worked on here, or wait for it."""
        self._load = load
        if self._is_open:
            self._colleagues.loads[self._number] = load

    def note_new(self) -> None:
        """Count a request that has just come, until it is part of the load."""
        if not self._new:
            asyncio.get_running_loop().call_soon(self._forget_new)
        self._new += 1

    def give(self, connection: HasNumber, received: bytes) -> bool:
        """Give a connection, on which this has come, to a process with less to do, if there is one.

        It stays open here as well.
        """
        least = self._colleagues.least_busy_beside(self._number)
        if least is None or least[0] + _MARGIN > self._load + self._new:
            return False
        other = least[1]
        if len(received) > _MOST_BYTES:
            return False
        try:
            sending = self._colleagues.channels[other].sending
            socket.send_fds(sending, [received], [connection.fileno()])
        except OSError:  # it was given so many that it has not taken yet
            return False
        self._colleagues.given[other][self._number] += 1
        self._telemetry.count(HTTP_GIVEN)
        return True

    def _forget_new(self) -> None:
        self._new = 0

    def _read(self, receiving: socket.socket, take: Take) -> None:
        with suppress(BlockingIOError):
            while True:
                received, numbers, _, _ = socket.recv_fds(
                    receiving, _MOST_BYTES, 1, flags=_CLOSED_ON_EXEC
                )
                if not numbers:  # too many files are open here, and the connection is lost
                    self._colleagues.taken[self._number] += 1
                for number in numbers:
                    taking = take(socket.socket(fileno=number), received)
                    self._taking.add(taking)
                    taking.add_done_callback(self._note_taken)

    def _note_taken(self, taking: _Taking) -> None:
        self._taking.discard(taking)
        self._colleagues.taken[self._number] += 1
        if not taking.cancelled():
            taking.exception()  # its client has gone meanwhile
