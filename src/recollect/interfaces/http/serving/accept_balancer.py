"""The listening socket, and how several processes share its connections."""

import asyncio
import logging
import multiprocessing
import resource
import socket
from collections.abc import Awaitable, Callable, Sized
from contextlib import suppress
from ctypes import Array, c_int
from dataclasses import dataclass, field
from typing import Final

from recollect.errors import ConfigurationError

_BACKLOG: Final = 2048
_OPEN_FILES: Final = 65_536
Admit = Callable[[socket.socket], Awaitable[object]]
"""Serves a new connection from now on."""
_AWAY: Final = 2**31 - 1
"""Stands for the connections of one that takes none: nobody waits for it."""
_AFTER_YOU_SECONDS: Final = 0.05
_AFTER_TROUBLE_SECONDS: Final = 1.0
logger = logging.getLogger(__name__)


def allow_open_files() -> None:
    """Let this process have as many open files, and so connections, as it may.

    What a shell gives, often 1,024, is meant for programs that wait for one file at a time.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    with suppress(ValueError, OSError):  # macOS has a limit beside the one that it tells
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def listening(host: str, port: int) -> socket.socket:
    """A socket on an address; whether that is free is known before anything is started."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise ConfigurationError(
            f"cannot listen on {host}:{port}: {reason}; "
            "choose another address with MEMORY_HOST or MEMORY_PORT"
        ) from error


def address_of(listener: socket.socket) -> str:
    """Where a socket can be reached."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@dataclass(frozen=True, slots=True)
class BalancerSlot:
    """What a process needs to know to take its share, before it has started."""

    listener: socket.socket
    counts: "Array[c_int]"
    """How many connections each process has, by its place; all of them see it."""
    own: int

    def leave(self) -> None:
        """Let nobody wait for whoever was here."""
        self.counts[self.own] = _AWAY


def places(listener: socket.socket, count: int) -> list[BalancerSlot]:
    """Places for so many processes at one socket."""
    counts = multiprocessing.get_context("spawn").RawArray(c_int, [_AWAY] * count)
    return [BalancerSlot(listener, counts, own) for own in range(count)]


@dataclass(slots=True, kw_only=True)
class AcceptBalancer:
    """Takes new connections, one at a time, whenever no other process has fewer.

    Of one socket the process that wakes first would take what it can get. Here it lets another
    with fewer go first; if none has come after a moment, all are busy, and it takes the next.
    """

    place: BalancerSlot
    connections: Sized
    """Those that are served already."""
    admit: Admit
    _arriving: set[asyncio.Future[object]] = field(default_factory=set)
    _timer: asyncio.TimerHandle | None = None
    _is_open: bool = False

    def open(self) -> None:
        """Take connections from now on."""
        self.place.listener.setblocking(False)
        self._is_open = True
        self.count()
        self._watch()

    def close(self) -> None:
        """Leave new connections to others; where there are none, they are refused."""
        if self._is_open:
            self._is_open = False
            self.place.leave()
            asyncio.get_running_loop().remove_reader(self.place.listener)
            self.place.listener.close()
        if self._timer is not None:
            self._timer.cancel()

    def count(self) -> int:
        """How many connections there are here, which the others see from now on."""
        own = len(self.connections) + len(self._arriving)
        self.place.counts[self.place.own] = own
        return own

    def _watch(self) -> None:
        self._timer = None
        asyncio.get_running_loop().add_reader(self.place.listener, self._knocked)

    def _knocked(self) -> None:
        if self.count() > min(self.place.counts):
            self._wait(_AFTER_YOU_SECONDS)
        else:
            self._take()

    def _wait(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self.place.listener)
        self._timer = loop.call_later(seconds, self._go_on)

    def _go_on(self) -> None:
        self._watch()
        self._take()

    def _take(self) -> None:
        try:
            connection, _ = self.place.listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another has it, or it is gone
        except OSError as error:  # too many open files, say; those that end make room
            logger.warning("server.not_accepting", extra={"facts": {"problem": str(error)}})
            self._wait(_AFTER_TROUBLE_SECONDS)
            return
        connection.setblocking(False)
        arriving = asyncio.ensure_future(self.admit(connection))
        self._arriving.add(arriving)
        arriving.add_done_callback(self._arrived)
        self.count()

    def _arrived(self, arriving: asyncio.Future[object]) -> None:
        self._arriving.discard(arriving)
        if not arriving.cancelled() and (error := arriving.exception()) is not None:
            facts = {"problem": type(error).__name__}
            logger.warning("server.connection_lost", extra={"facts": facts})
