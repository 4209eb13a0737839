"""What memory adds to a turn: the same question to a stub that answers at once, with and without.

    python benchmarks/turn.py [--seconds N]

Both run over HTTP against the program that users start, in turns, on a database of its own.
"""

import argparse
import asyncio
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory
from typing import Final
from uuid import uuid4

import httpx
import uvloop
from rich.console import Console
from rich.table import Table

CLIENTS: Final = (1, 20)
WAYS: Final = {"without memory": False, "with memory": True}
QUESTIONS: Final = (
    "Show me total sales by region for 2024",
    "What about 2023?",
    "How many of them are in the north?",
)
_ROUNDS: Final = 8
_SECONDS_TO_START: Final = 60


async def main(seconds: float) -> None:
    """Measure and print one table."""
    samples: dict[tuple[int, str], list[float]] = defaultdict(list)
    stub = await asyncio.start_server(_answer, "127.0.0.1", 0)
    model = f"http://127.0.0.1:{stub.sockets[0].getsockname()[1]}/v1"
    with TemporaryDirectory(prefix="recollect-benchmark-") as home, _server(home, model) as url:
        limits = httpx.Limits(max_connections=max(CLIENTS))
        async with httpx.AsyncClient(base_url=url, limits=limits, timeout=60) as client:
            await _slice(client, 5, uses_memory=True, seconds=1)  # warms caches and plans
            for number in range(1, _ROUNDS + 1):
                print(f"\rround {number} of {_ROUNDS} …", end="", file=sys.stderr, flush=True)
                for clients in CLIENTS:
                    for way, uses_memory in WAYS.items():
                        taken = await _slice(
                            client, clients, uses_memory=uses_memory, seconds=seconds / _ROUNDS
                        )
                        samples[clients, way] += taken
    print(file=sys.stderr)
    Console().print(_table(samples, seconds))


def _table(samples: dict[tuple[int, str], list[float]], seconds: float) -> Table:
    table = Table("clients", "turn", "p50 ms", "p95 ms", "turns a second", box=None)
    for clients in CLIENTS:
        figures = {}
        for way in WAYS:
            taken = sorted(samples[clients, way])
            figures[way] = statistics.median(taken), taken[int(len(taken) * 0.95)]
            shown = [f"{1000 * value:.1f}" for value in figures[way]]
            table.add_row(str(clients), way, *shown, f"{len(taken) / seconds:.0f}")
        plain, remembered = figures.values()
        both = zip(plain, remembered, strict=True)
        added = [f"{1000 * (more - less):.1f}" for less, more in both]
        table.add_row(str(clients), "added by memory", *added, "")
    return table


async def _slice(
    client: httpx.AsyncClient, clients: int, *, uses_memory: bool, seconds: float
) -> list[float]:
    until = time.perf_counter() + seconds
    talks = (_talk(client, uses_memory=uses_memory, until=until) for _ in range(clients))
    return [taken for talk in await asyncio.gather(*talks) for taken in talk]


async def _talk(client: httpx.AsyncClient, *, uses_memory: bool, until: float) -> list[float]:
    """One conversation after the other, of twelve questions each; seconds that each took."""
    taken: list[float] = []
    while True:
        session_id = str(uuid4())
        for number in range(12):
            body = {
                "question": QUESTIONS[number % len(QUESTIONS)],
                "session_id": session_id,
                "use_memory": uses_memory,
            }
            began = time.perf_counter()
            response = await client.post("/memoryChat", json=body)
            response.raise_for_status()
            ended = time.perf_counter()
            taken.append(ended - began)
            if ended >= until:
                return taken


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A model that says the same to everybody, at once."""
    message = {"role": "assistant", "content": "North 2.5M, South 1.8M and East 0.9M."}
    body = json.dumps({"choices": [{"message": message}]}).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            request = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", request, re.IGNORECASE)
            await reader.readexactly(int(length[1]) if length else 0)
            writer.write(head.encode() + b"\r\n\r\n" + body)
            await writer.drain()
    writer.close()


@contextmanager
def _server(home: str, model: str) -> Iterator[str]:
    """The program, asking a model that is no slower than it has to be."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    settings = {
        "MEMORY_HOME": home,
        "MEMORY_PORT": str(port),
        "MEMORY_LOG_LEVEL": "ERROR",
        "MEMORY_LLM_BASE_URL": model,
        "MEMORY_LLM_MODEL": "stub:7b",
    }
    process = subprocess.Popen(  # our own program
        [sys.executable, "-m", "recollect", "serve"], env={**os.environ, **settings}
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/readyz")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _wait_for(url: str) -> None:
    until = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < until:
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise TimeoutError("the server did not become ready")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=16, help="for each row")
    uvloop.run(main(max(1, parser.parse_args().seconds)))
