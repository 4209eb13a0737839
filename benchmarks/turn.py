"""What memory adds to a turn: the same questions to a stub that answers at once, with and without.

    python benchmarks/turn.py [--seconds N] [--history N] [--processes N] [--audit] [--facts]

Both run over HTTP against the program that users start, in turns, on a database of its own. Each
client is a user with earlier exchanges that are indexed, who talks over a connection of its own
in sessions of twelve questions, two in three of them follow-ups. One client asks as soon as it
has its answer; twenty ask twenty times and a hundred times a second together; and twenty ask
without a pause, which is as much as the server can do: then a turn takes as long as nineteen
others that come before it.
With --audit a second server on the same database, which does not record operations in the audit
log, is asked the same in turns with the first, which does; with --facts one that neither learns
facts nor puts any into contexts. The first does the background work of all.
What is said while it is measured is indexed by the server meanwhile, as always; how far behind
that is at the end is printed, too.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import uvloop
from rich.console import Console
from rich.table import Table

from lean_http import LeanClient
from model_stub import ModelStub, base_url
from prepared_users import prepare_users, questions_in_sessions, user_name
from recollect.memory import Memory
from recollect.settings import load_settings
from serving import Served, serving


class Way(NamedTuple):
    """How a question is asked."""

    uses_memory: bool
    server: str = "as set"
    """The name of the server's settings."""


WAYS: Final = {"without memory": Way(False), "with memory": Way(True)}
NOT_AUDITED: Final = {"with memory, not audited": Way(True, "not audited")}
NO_FACTS: Final = {"with memory, no facts": Way(True, "no facts")}
SERVERS: Final = {
    "as set": {},
    "not audited": {"MEMORY_LOG_MEMORY_OPERATIONS": "False", "MEMORY_WORKER": "False"},
    "no facts": {"MEMORY_FACTS": "False", "MEMORY_WORKER": "False"},
}
_ROUNDS: Final = 8


@dataclass(frozen=True, slots=True)
class Load:
    """So many clients, who together ask so often."""

    clients: int
    per_second: float | None = None
    """None: each as soon as it has its answer."""

    def __str__(self) -> str:
        """As it stands in the table."""
        pace = "no pause" if self.per_second is None else f"{self.per_second:g}/s"
        return f"{self.clients}, {pace}"

    @property
    def pause(self) -> float:
        """Seconds from one question of a client to its next."""
        return self.clients / self.per_second if self.per_second else 0.0


_USERS: Final = 20
LOADS: Final = (Load(1), Load(_USERS, 20), Load(_USERS, 100), Load(_USERS))


@dataclass(slots=True)
class Samples:
    """What was measured in one cell of the table."""

    seconds: list[float] = field(default_factory=list)
    of_processor: float = 0.0
    """Seconds that the server's processes worked, their threads together."""
    wall: float = 0.0

    def quantile(self, share: float) -> float:
        """Milliseconds that this share of the turns took at most."""
        return 1000 * sorted(self.seconds)[int(len(self.seconds) * share)]


Measured = dict[tuple[Load, str], Samples]


@dataclass(slots=True)
class Client:
    """A user, the connection they talk over, and what they are about to say."""

    number: int
    connections: dict[str, LeanClient]
    """To each server by its name."""
    _said: dict[Way, Iterator[tuple[str, str]]] = field(init=False)

    def __post_init__(self) -> None:
        ways = (WAYS | NOT_AUDITED | NO_FACTS).values()
        self._said = {way: questions_in_sessions() for way in ways}

    async def ask(self, way: Way) -> None:
        """Ask the next question, with memory or without."""
        session_id, question = next(self._said[way])
        asked = {"question": question, "session_id": session_id, "use_memory": way.uses_memory}
        await self.connections[way.server].ask(
            "POST /memoryChat", user=user_name(self.number), body=json.dumps(asked).encode()
        )


async def main(seconds: float, history: int, processes: int, ways: dict[str, Way]) -> None:
    """Measure and print one table."""
    with TemporaryDirectory(prefix="recollect-benchmark-") as folder:
        home = Path(folder)
        key = await prepare_users(home, users=_USERS, history=history)
        async with (
            ModelStub().listening() as model,
            _servers(home, _settings(base_url(model), processes), ways.values()) as servers,
            _clients(servers, key) as clients,
        ):
            Console().print(_table(await _measured(clients, servers, ways, seconds), ways))
        async with Memory.open(load_settings(home=home)) as memory:
            print(f"turns that still had to be indexed at the end: {await memory.catch_up()}")


def _settings(model: str, processes: int) -> dict[str, str]:
    return {
        "MEMORY_LLM_BASE_URL": model,
        "MEMORY_LLM_MODEL": "stub:7b",
        "MEMORY_PROCESSES": str(processes),
    }


@asynccontextmanager
async def _servers(
    home: Path, settings: dict[str, str], ways: Iterable[Way]
) -> AsyncIterator[dict[str, Served]]:
    """The servers of these ways by their names; the first does the background work of all."""
    servers = {}
    async with AsyncExitStack() as opened:
        for name in dict.fromkeys(way.server for way in ways):
            served = serving(home, **settings, **SERVERS[name])
            servers[name] = await opened.enter_async_context(served)
        yield servers


@asynccontextmanager
async def _clients(servers: dict[str, Served], key: str) -> AsyncIterator[list[Client]]:
    """As many as there are users, each with connections of its own."""
    async with AsyncExitStack() as opened:
        clients = []
        for number in range(_USERS):
            connections = {
                name: await opened.enter_async_context(LeanClient.to(server.port, key=key))
                for name, server in servers.items()
            }
            clients.append(Client(number, connections))
        yield clients


async def _measured(
    clients: list[Client], servers: dict[str, Served], ways: dict[str, Way], seconds: float
) -> Measured:
    samples: Measured = defaultdict(Samples)
    for way in ways.values():  # this connects, and warms caches and plans
        if way.uses_memory:
            await _slice(clients, Load(_USERS), way, seconds=4)
    for number, load, (name, way) in product(range(1, _ROUNDS + 1), LOADS, ways.items()):
        print(f"\rround {number} of {_ROUNDS} …", end="", file=sys.stderr, flush=True)
        server, began = servers[way.server], time.perf_counter()
        cell, worked = samples[load, name], server.processor_seconds()
        cell.seconds += await _slice(clients, load, way, seconds=seconds / _ROUNDS)
        cell.wall += time.perf_counter() - began
        cell.of_processor += server.processor_seconds() - worked
    print(file=sys.stderr)
    return samples


def _table(samples: Measured, ways: dict[str, Way]) -> Table:
    heads = ("clients", "turn", "p50 ms", "p95 ms", "turns a second", "server's CPU ms a turn")
    table = Table(*heads, box=None)
    for load in LOADS:
        cells = [samples[load, way] for way in ways]
        for way, cell in zip(ways, cells, strict=True):
            table.add_row(
                str(load),
                way,
                f"{1000 * statistics.median(cell.seconds):.1f}",
                f"{cell.quantile(0.95):.1f}",
                f"{len(cell.seconds) / cell.wall:.0f}",
                f"{1000 * cell.of_processor / len(cell.seconds):.1f}",
            )
        plain, remembered, *_ = cells
        added = [remembered.quantile(share) - plain.quantile(share) for share in (0.5, 0.95)]
        table.add_row(str(load), "added by memory", *(f"{value:.1f}" for value in added), "", "")
    return table


async def _slice(clients: list[Client], load: Load, way: Way, *, seconds: float) -> list[float]:
    until = time.perf_counter() + seconds
    talks = (_talk(client, load, way, until=until) for client in clients[: load.clients])
    return [taken for talk in await asyncio.gather(*talks) for taken in talk]


async def _talk(client: Client, load: Load, way: Way, *, until: float) -> list[float]:
    """The seconds that each question took."""
    taken: list[float] = []
    due = time.perf_counter() + load.pause * client.number / load.clients  # one after another
    while not taken or max(time.perf_counter(), due) < until:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        due += load.pause
        began = time.perf_counter()
        await client.ask(way)
        taken.append(time.perf_counter() - began)
    return taken


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=16, help="for each row")
    parser.add_argument("--history", type=int, default=96, help="earlier exchanges of each user")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="that answer; else one for each"
    )
    parser.add_argument("--audit", action="store_true", help="compare with no audit log, too")
    parser.add_argument("--facts", action="store_true", help="compare with no facts, too")
    given = parser.parse_args()
    compared = (NOT_AUDITED if given.audit else {}) | (NO_FACTS if given.facts else {})
    uvloop.run(
        main(
            max(1, given.seconds),
            max(0, given.history),
            max(1, given.processes),
            WAYS | compared,
        )
    )
