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
_ABSENT: Final = 2**31 - 1
"""The number of connections of a process that accepts none: no other waits for it."""
_DEFER_SECONDS: Final = 0.05
_AFTER_ERROR_SECONDS: Final = 1.0

logger = logging.getLogger(__name__)


def allow_open_files() -> None:
    """Raise the limit on open files, and so on connections; a shell's is often 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    with suppress(ValueError, OSError):  # macOS has a lower limit than the one it reports
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def listening(host: str, port: int) -> socket.socket:
    """Listen on an address; `ConfigurationError` if that is not possible."""
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
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@dataclass(frozen=True, slots=True)
class BalancerSlot:
    """One process's part of the balancer; it is handed to the process when it starts."""

    listener: socket.socket
    counts: "Array[c_int]"
    """How many connections each process has, in memory that all of them share."""
    own: int

    def leave(self) -> None:
        """Let no other process wait for this one."""
        self.counts[self.own] = _ABSENT


def balancer_slots(listener: socket.socket, processes: int) -> list[BalancerSlot]:
    """Make a slot for each of several processes that accept from one socket."""
    counts = multiprocessing.get_context("spawn").RawArray(c_int, [_ABSENT] * processes)
    return [BalancerSlot(listener, counts, own) for own in range(processes)]


@dataclass(slots=True, kw_only=True)
class AcceptBalancer:
    """Accepts new connections, one at a time, whenever no other process has fewer.

    Without it, the process that wakes first accepts all it can. Here it lets a process with fewer
    connections go first; if none has accepted after 50 ms, all are busy, and it accepts the next.
    """

    slot: BalancerSlot
    connections: Sized
    """Those that are served already."""
    admit: Callable[[socket.socket], Awaitable[object]]
    """Starts to serve a new connection."""
    _arriving: set[asyncio.Future[object]] = field(default_factory=set)
    _timer: asyncio.TimerHandle | None = None
    _is_open: bool = False

    def open(self) -> None:
        """Start to accept connections."""
        self.slot.listener.setblocking(False)
        self._is_open = True
        self.count()
        self._watch()

    def close(self) -> None:
        """Leave new connections to other processes; if there are none, they are refused."""
        if self._is_open:
            self._is_open = False
            self.slot.leave()
            asyncio.get_running_loop().remove_reader(self.slot.listener)
            self.slot.listener.close()
        if self._timer is not None:
            self._timer.cancel()

    def count(self) -> int:
        """Count the connections, and show the number to the other processes."""
        own = len(self.connections) + len(self._arriving)
        self.slot.counts[self.slot.own] = own
        return own

    def _watch(self) -> None:
        self._timer = None
        asyncio.get_running_loop().add_reader(self.slot.listener, self._accept_or_defer)

    def _accept_or_defer(self) -> None:
        if self.count() > min(self.slot.counts):
            self._pause(_DEFER_SECONDS)
        else:
            self._accept()

    def _pause(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self.slot.listener)
        self._timer = loop.call_later(seconds, self._resume)

    def _resume(self) -> None:
        self._watch()
        self._accept()

    def _accept(self) -> None:
        try:
            connection, _ = self.slot.listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another process has accepted it, or the client is gone
        except OSError as error:  # such as too many open files; connections that end make room
            logger.warning("server.not_accepting", extra={"facts": {"problem": str(error)}})
            self._pause(_AFTER_ERROR_SECONDS)
            return
        connection.setblocking(False)
        arriving = asyncio.ensure_future(self.admit(connection))
        self._arriving.add(arriving)
        arriving.add_done_callback(self._admitted)
        self.count()

    def _admitted(self, arriving: asyncio.Future[object]) -> None:
        self._arriving.discard(arriving)
        if not arriving.cancelled() and (error := arriving.exception()) is not None:
            facts = {"problem": type(error).__name__}
            logger.warning("server.connection_lost", extra={"facts": facts})
