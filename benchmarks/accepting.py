"""How several processes on one address share its connections, and what that costs clients.

    python benchmarks/accepting.py [--processes N] [--clients N] [--rounds N] [--hold MS]

Two ways to accept: all processes from one socket (as uvicorn's own workers do), and each from a
socket of its own (SO_REUSEPORT, as Recollect does). Every request holds its process for
6 ms, as a turn does, but sleeps instead of computing: so the number of processors and what else
runs on them hardly matter; on a busy machine a longer hold makes that even less. In every round
each client opens a connection and asks for as long as 300 requests would take one process: as
soon as it has its answer, or at a rate that keeps the processes half busy.
"""

import argparse
import asyncio
import multiprocessing
import os
import socket
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import product
from multiprocessing.connection import Connection
from typing import Final

import uvicorn
import uvloop
from rich.console import Console
from rich.table import Table
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, Scope

from recollect.interfaces.http.serving.listener import listening

WAYS: Final = ("one socket", "SO_REUSEPORT")
_REQUESTS: Final = 300
_REQUEST: Final = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


async def _app(
    name: bytes, hold: float, _scope: Scope, _receive: ASGIReceiveCallable, send: ASGISendCallable
) -> None:
    time.sleep(hold)  # noqa: ASYNC251  # holds the loop, as Python code does
    headers = [(b"content-length", b"%d" % len(name))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": name, "more_body": False})


def _serve(listener: socket.socket, hold: float, ready: Connection) -> None:
    async def serve() -> None:
        app = partial(_app, b"%d" % os.getpid(), hold)
        config = uvicorn.Config(app, interface="asgi3", lifespan="off", log_config=None)
        ready.send(True)
        await uvicorn.Server(config).serve([listener])

    uvloop.run(serve())


@contextmanager
def _served(way: str, processes: int, hold: float) -> Iterator[int]:
    """The port of so many processes that accept in that way."""
    is_shared = way == "one socket"
    listeners = listening("127.0.0.1", 0, processes=1 if is_shared else processes)
    spawning = multiprocessing.get_context("spawn")
    here, there = spawning.Pipe()
    given = listeners * processes if is_shared else listeners
    started = [spawning.Process(target=_serve, args=(one, hold, there)) for one in given]
    for process in started:
        process.start()
    for _ in started:
        here.recv()
    time.sleep(0.5)  # until the last one listens
    try:
        yield listeners[0].getsockname()[1]
    finally:
        for listener in listeners:
            listener.close()
        for process in started:
            process.kill()
            process.join()


async def _ask_for_a_while(port: int, pause: float, seconds: float) -> tuple[bytes, list[float]]:
    """Which process answers, and the seconds that each of its answers took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    taken: list[float] = []
    name = b""
    until = time.perf_counter() + seconds
    due = time.perf_counter() + pause * (hash(writer) % 100) / 100
    while time.perf_counter() < until:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        due += pause
        began = time.perf_counter()
        writer.write(_REQUEST)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        name = await reader.readexactly(length)
        taken.append(time.perf_counter() - began)
    writer.close()
    return name, taken


@dataclass(frozen=True, slots=True)
class _Round:
    """What one round showed: connections by process, and the p95 of answers in milliseconds."""

    spread: tuple[int, ...]
    first: float
    """Of the first answers on new connections, which wait until they are accepted."""
    later: float


async def _round(port: int, *, clients: int, pause: float, seconds: float) -> _Round:
    asking = (_ask_for_a_while(port, pause, seconds) for _ in range(clients))
    talks = await asyncio.gather(*asking)
    counts = Counter(name for name, _ in talks)
    return _Round(
        spread=tuple(sorted(counts.values(), reverse=True)),
        first=_p95([talk[0] for _, talk in talks]),
        later=_p95([seconds for _, talk in talks for seconds in talk[1:]]),
    )


def _p95(seconds: list[float]) -> float:
    return 1000 * sorted(seconds)[int(0.95 * len(seconds))]


def main(*, processes: int, clients: int, rounds: int, hold: float) -> None:
    """Measure and print one table."""
    paces = {"no pause": 0.0, "half busy": 2 * clients * hold / processes}
    results: dict[tuple[str, str], list[_Round]] = {}
    for _, way in product(range(rounds), WAYS):
        with _served(way, processes, hold) as port:
            for pace, pause in paces.items():
                one = asyncio.run(
                    _round(port, clients=clients, pause=pause, seconds=_REQUESTS * hold)
                )
                results.setdefault((way, pace), []).append(one)
    heads = ("accepting", "pace", "p95 ms of first answers", "p95 ms of later ones", "connections")
    table = Table(*heads, box=None)
    for way, pace in product(WAYS, paces):
        measured = results[way, pace]
        table.add_row(
            way,
            pace,
            _cell([one.first for one in measured]),
            _cell([one.later for one in measured]),
            " ".join(":".join(map(str, one.spread)) for one in measured),
        )
    Console(width=140).print(table)


def _cell(milliseconds: list[float]) -> str:
    low, high = min(milliseconds), max(milliseconds)
    return f"{statistics.median(milliseconds):.0f} ({low:.0f} to {high:.0f})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--hold", type=float, default=6, help="milliseconds of each request")
    given = parser.parse_args()
    main(
        processes=given.processes,
        clients=given.clients,
        rounds=given.rounds,
        hold=given.hold / 1000,
    )
