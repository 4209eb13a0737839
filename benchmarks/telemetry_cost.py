"""What telemetry costs: the same turns to servers with and without it, in turns.

    python benchmarks/telemetry_cost.py [--turns N] [--rounds N]

Servers on one database answer the questions of the same users, with a model on loopback that
answers at once: without telemetry, with metrics, and with metrics and all or a tenth of the traces,
which are sent to a receiver on loopback. None of them does background work. Counted is the CPU time
of each server's process, and how long a turn takes. A ratio is the median of the ratios of the
rounds. Linux only.
"""

import argparse
import asyncio
import json
import re
import secrets
import statistics
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import uvloop
from rich.console import Console
from rich.table import Table

from lean_http import LeanClient
from model_stub import ModelStub, base_url
from prepared_users import prepare_users, questions_in_sessions, user_name
from serving import Served, serving

OFF: Final = "off"
METRICS: Final = "metrics"
SAMPLED: Final = "metrics and a tenth of the traces"
TRACES: Final = "metrics and traces"
_USERS: Final = 10
_HISTORY: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One slice of turns."""

    cpu: float
    """Milliseconds of one turn."""
    wall: float


@dataclass(frozen=True, slots=True)
class Subject:
    """A server, and the client that asks it."""

    server: Served
    client: LeanClient

    async def measure(self, turns: int) -> Measured:
        """Ask so many questions, one after the other."""
        questions = questions_in_sessions()
        began, worked = time.perf_counter(), self.server.precise_processor_seconds()
        for number in range(turns):
            session_id, question = next(questions)
            body = json.dumps({"question": question, "session_id": session_id}).encode()
            await self.client.ask("POST /memoryChat", user=user_name(number % _USERS), body=body)
        return Measured(
            cpu=1000 * (self.server.precise_processor_seconds() - worked) / turns,
            wall=1000 * (time.perf_counter() - began) / turns,
        )


async def main(*, turns: int, rounds: int) -> None:
    """Measure and print one table."""
    with TemporaryDirectory(prefix="recollect-benchmark-") as folder:
        home = Path(folder)
        key = await prepare_users(home, users=_USERS, history=_HISTORY)
        async with AsyncExitStack() as opened:
            model = await opened.enter_async_context(ModelStub().listening())
            receiver = await opened.enter_async_context(_receiver())
            subjects = {}
            for name, settings in _settings(base_url(model), receiver).items():
                server = await opened.enter_async_context(serving(home, **settings))
                client = await opened.enter_async_context(LeanClient.to(server.port, key=key))
                subjects[name] = Subject(server, client)
            measured: dict[str, list[Measured]] = defaultdict(list)
            for number, (name, subject) in product(range(rounds + 1), subjects.items()):
                taken = await subject.measure(turns)
                if number:  # the round before the first warms up
                    measured[name].append(taken)
        Console().print(_table(measured))


def _settings(model: str, receiver: str) -> dict[str, dict[str, str]]:
    plain = {
        "MEMORY_LLM_BASE_URL": model,
        "MEMORY_LLM_MODEL": "stub:7b",
        "MEMORY_WORKER": "false",
        "MEMORY_LOG_LEVEL": "WARNING",
    }
    metrics = plain | {"MEMORY_METRICS_TOKEN": secrets.token_urlsafe(16)}
    traces = metrics | {"MEMORY_OTLP_ENDPOINT": receiver}
    sampled = traces | {"MEMORY_TRACE_SAMPLE": "0.1"}
    return {OFF: plain, METRICS: metrics, SAMPLED: sampled, TRACES: traces}


def _table(measured: dict[str, list[Measured]]) -> Table:
    table = Table("telemetry", "CPU ms a turn", "÷ off", "ms a turn", "÷ off", box=None)
    for name, slices in measured.items():
        pairs = list(zip(slices, measured[OFF], strict=True))
        table.add_row(
            name,
            f"{statistics.median(one.cpu for one in slices):.2f}",
            f"{statistics.median(one.cpu / off.cpu for one, off in pairs):.3f}",
            f"{statistics.median(one.wall for one in slices):.2f}",
            f"{statistics.median(one.wall / off.wall for one, off in pairs):.3f}",
        )
    return table


@asynccontextmanager
async def _receiver() -> AsyncIterator[str]:
    """The address of a receiver of OTLP that takes everything."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
                await reader.readexactly(int(length[1]) if length else 0)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--turns", type=int, default=40, help="in each round (default: 40)")
    parser.add_argument("--rounds", type=int, default=20, help="default: 20")
    given = parser.parse_args()
    uvloop.run(main(turns=given.turns, rounds=given.rounds))
