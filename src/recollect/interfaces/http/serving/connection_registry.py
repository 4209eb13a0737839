"""Which connections wait for their clients, and until when."""

from collections.abc import Callable, Iterator
from enum import Enum, auto
from itertools import takewhile
from typing import Protocol

from recollect.settings.server import ServerSettings


class Phase(Enum):
    """What happens on a connection now."""

    HEAD = auto()
    """The head of a request is expected, or has begun to arrive."""
    BODY = auto()
    """A request's body arrives."""
    ANSWERING = auto()
    """The request is there; the client waits."""
    IDLE = auto()
    """All requests are answered; the client may send another."""
    LINGERING = auto()
    """The last response is sent; what the client still sends is read and dropped."""


class Registered(Protocol):
    """What the registry needs of a connection."""

    phase: Phase

    def expire(self) -> None:
        """End the connection, or enter its phase again: its time in this phase is over."""
        ...

    def evict(self) -> bool:
        """End the connection, unless the client has just sent something; whether it ended."""
        ...


class ConnectionRegistry:
    """Ends connections at their deadlines, and the oldest waiting ones when there are too many.

    The connections of each phase are in the order of their deadlines, so that a sweep costs
    nothing while none has passed.
    """

    def __init__(self, limits: ServerSettings, clock: Callable[[], float]) -> None:
        self.limits = limits
        self.is_shutting_down = False
        self._clock = clock
        self._seconds = {
            Phase.HEAD: limits.header_timeout_seconds,
            Phase.BODY: limits.body_timeout_seconds,
            Phase.IDLE: limits.keep_alive_seconds,
            Phase.LINGERING: 5.0,
        }
        self._deadlines: dict[Phase, dict[Registered, float]] = {one: {} for one in self._seconds}

    def enter(self, connection: Registered, phase: Phase) -> None:
        """Move a connection to a phase, whose time begins now."""
        self.leave(connection)
        connection.phase = phase
        if (seconds := self._seconds.get(phase)) is not None:
            self._deadlines[phase][connection] = self._clock() + seconds

    def leave(self, connection: Registered) -> None:
        """Remove a connection."""
        if (waiting := self._deadlines.get(connection.phase)) is not None:
            waiting.pop(connection, None)

    def sweep(self) -> None:
        """End the connections whose deadline has passed."""
        now = self._clock()
        for deadlines in self._deadlines.values():
            passed = takewhile(lambda item: item[1] <= now, deadlines.items())
            for connection, _ in list(passed):
                connection.expire()

    def make_room(self) -> None:
        """End the oldest waiting connections of the largest phase, while there are too many.

        So a client that opens many connections loses them first.
        """
        for _ in range(16):
            if sum(map(len, self._waiting())) <= self.limits.max_waiting_connections:
                return
            most: dict[Registered, float] = max(self._waiting(), key=len)
            oldest = next(iter(most))
            if not oldest.evict():
                self.enter(oldest, oldest.phase)

    def _waiting(self) -> Iterator[dict[Registered, float]]:
        return (self._deadlines[phase] for phase in (Phase.HEAD, Phase.IDLE, Phase.BODY))
