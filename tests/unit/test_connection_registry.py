"""Connections wait in the order of their deadlines, and too many of them lose their place."""

from dataclasses import dataclass, field

from recollect.interfaces.http.serving.connection_registry import ConnectionRegistry, Phase
from recollect.settings.server import ServerSettings

LIMITS = ServerSettings(
    header_timeout_seconds=10,
    body_timeout_seconds=20,
    keep_alive_seconds=75,
    max_waiting_connections=10,
)


@dataclass(slots=True)
class Clock:
    now: float = 0

    def __call__(self) -> float:
        return self.now


@dataclass(slots=True, eq=False)
class Client:
    """A connection that notes what is done to it."""

    name: str
    ended: list[str]
    registry: ConnectionRegistry
    has_unread: bool = False
    phase: Phase = field(default=Phase.HEAD)

    def expire(self) -> None:
        self.registry.leave(self)
        self.ended.append(self.name)

    def evict(self) -> bool:
        if self.has_unread:
            return False
        self.expire()
        return True


@dataclass(slots=True)
class Crowd:
    clock: Clock = field(default_factory=Clock)
    ended: list[str] = field(default_factory=list)
    registry: ConnectionRegistry = field(init=False)

    def __post_init__(self) -> None:
        self.registry = ConnectionRegistry(LIMITS, self.clock)

    def enter(self, phase: Phase, *names: str, has_unread: bool = False) -> list[Client]:
        clients = [Client(name, self.ended, self.registry, has_unread) for name in names]
        for client in clients:
            self.registry.enter(client, phase)
            self.registry.make_room()
        return clients

    def after(self, seconds: float) -> list[str]:
        """Who has ended once that moment has come."""
        self.clock.now = seconds
        self.registry.sweep()
        return self.ended


def test_each_phase_of_a_connection_has_its_own_timeout() -> None:
    crowd = Crowd()
    for phase in Phase:
        crowd.enter(phase, phase.name)
    assert crowd.after(4) == []
    assert crowd.after(5) == ["LINGERING"]
    assert crowd.after(10) == ["LINGERING", "HEAD"]
    assert crowd.after(20) == ["LINGERING", "HEAD", "BODY"]
    assert crowd.after(75) == ["LINGERING", "HEAD", "BODY", "IDLE"]
    assert crowd.after(10_000) == ["LINGERING", "HEAD", "BODY", "IDLE"], "answers take their time"


def test_entering_a_new_phase_restarts_the_timeout() -> None:
    crowd = Crowd()
    (client,) = crowd.enter(Phase.HEAD, "client")
    crowd.after(9)
    crowd.registry.enter(client, Phase.IDLE)
    assert crowd.after(83) == []
    assert crowd.after(84) == ["client"]


def test_beyond_the_limit_the_oldest_waiting_connections_are_closed() -> None:
    crowd = Crowd()
    crowd.enter(Phase.ANSWERING, *(f"asking {number}" for number in range(50)))
    crowd.enter(Phase.IDLE, "idle 1", "idle 2")
    crowd.enter(Phase.HEAD, *(f"slow {number}" for number in range(12)))
    assert crowd.ended == ["slow 0", "slow 1", "slow 2", "slow 3"]


def test_a_connection_with_unread_data_is_not_closed_to_make_room() -> None:
    crowd = Crowd()
    crowd.enter(Phase.HEAD, "sending", has_unread=True)
    crowd.enter(Phase.HEAD, *(f"slow {number}" for number in range(10)))
    assert crowd.ended == ["slow 0"]
