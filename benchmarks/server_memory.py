"""Memory that a server takes: resident, and without what other processes share with it.

    python benchmarks/server_memory.py [--turns N] [--processes N] [--model NAME]

Starts the program that users start, on an empty database of its own. One client asks questions in
sessions of twelve, two in three of them follow-ups, and searches after each. The memory answers, so
no model is needed; with `--model`, contexts are counted in the tokens of that model. Printed are
the processes of Recollect, not those of PostgreSQL, when the server has just started and at the
end, after everything was indexed: the resident memory, its part of memory that several processes
share (PSS), its own memory, and what was read from files and can be given up. Linux only.
"""

import argparse
import asyncio
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import httpx
import psutil
from rich.console import Console
from rich.table import Table

from recollect.memory import Memory
from recollect.settings import load_settings
from serving import Served, serving
from talk import conversation

_MEGABYTE: Final = 1_000_000
_QUESTIONS_A_SESSION: Final = 12
_SETTLED_SECONDS: Final = 5
_SHOWN: Final = {"resident": "Rss", "PSS": "Pss", "own": "Anonymous", "of files": "Pss_File"}
"""The columns of the table, and their lines in the file of the kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The memory of one process, in bytes by the names that the kernel gives."""

    moment: str
    process: str
    sizes: dict[str, int]


def usages(server: Served, moment: str) -> Iterator[Usage]:
    """What each process of the server takes now."""
    first = psutil.Process(server.pid)
    for process in (first, *first.children(recursive=True)):
        if process.name() == "postgres":
            continue
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text("ascii").splitlines()[1:]
        sizes = {name: int(size.split()[0]) * 1024 for name, size in map(_halves, lines)}
        yield Usage(moment=moment, process=_role(process, first), sizes=sizes)


def _halves(line: str) -> tuple[str, str]:
    name, _, size = line.partition(":")
    return name, size


def _role(process: psutil.Process, first: psutil.Process) -> str:
    return "server" if process.pid == first.pid else f"process {process.pid}"


async def talk(server: Served, *, turns: int, model: str | None) -> None:
    """Ask the questions, each in its session, and search for each."""
    questions = conversation(random.Random(1))  # noqa: S311  # the same on every run, no secrets
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as client:
        for start in range(0, turns, _QUESTIONS_A_SESSION):
            response = await client.post("/api/v1/sessions", json={})
            headers = {"X-Session-ID": response.raise_for_status().json()["session_id"]}
            for question in islice(questions, min(_QUESTIONS_A_SESSION, turns - start)):
                body = {"query": question, "model": model}
                answer = await client.post("/chat", json=body, headers=headers)
                answer.raise_for_status()
                found = await client.post("/api/v1/recall", json={"query": question})
                found.raise_for_status()


async def measure(*, turns: int, processes: int, model: str | None) -> list[Usage]:
    """Start a server, use it, and tell what it takes before and after."""
    with TemporaryDirectory(prefix="recollect-benchmark-") as folder:
        home = Path(folder)
        async with serving(home, MEMORY_PROCESSES=str(processes)) as server:
            await asyncio.sleep(_SETTLED_SECONDS)  # models are loaded after it listens
            taken = list(usages(server, "started"))
            await talk(server, turns=turns, model=model)
            await asyncio.sleep(_SETTLED_SECONDS)  # indexing follows a second or two behind
            taken += usages(server, f"after {turns} turns")
        async with Memory.open(load_settings(home=home)) as memory:
            print(f"turns still to be indexed: {await memory.catch_up()}", file=sys.stderr)
    return taken


def print_table(taken: list[Usage]) -> None:
    """Print megabytes by moment and process."""
    table = Table("", "process", *(f"{name} MB" for name in _SHOWN), box=None)
    for one in taken:
        sizes = (f"{one.sizes[key] / _MEGABYTE:.0f}" for key in _SHOWN.values())
        table.add_row(one.moment, one.process, *sizes)
    Console().print(table)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=50, metavar="N")
    parser.add_argument("--processes", type=int, default=1, metavar="N")
    parser.add_argument("--model", metavar="NAME")
    args = parser.parse_args()
    print_table(asyncio.run(measure(turns=args.turns, processes=args.processes, model=args.model)))


if __name__ == "__main__":
    main()
