"""What an export and an erasure take, and what others notice of them.

    python benchmarks/export.py [--messages N …] [--formats json zip] [--seconds N] [--rounds N]

Owners with `--messages` messages each (10,000, 100,000 and 1,000,000 by default) are stored by SQL:
half of the messages in one session, the rest in sessions of fifty, and an entry of recall without a
vector for each question and its answer. The program that users start serves them, on a database of
its own. Each owner's memory is exported as JSON and as ZIP over HTTP, by a client that throws away
what it gets. Printed are the seconds, the bytes, and the highest resident memory of the server in
between beside that before: it should be the same for all owners. Then the largest is erased, by the
server's own worker. Meanwhile another owner asks questions one after the other, whose answers are
quoted from memory. Their times are printed beside those of `--seconds` right before, with nothing
else going on, and the ratio of both: machines have faster and slower minutes. With `--rounds` each
memory is exported several times, with such a time before each, and their turns are taken together.
Linux only.
"""

import argparse
import asyncio
import itertools
import random
import statistics
import sys
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import uuid4

import httpx
import psutil
from rich.console import Console
from rich.table import Table

from bulk_rows import load
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.engines.postgres.embedded import EmbeddedServer
from recollect.memory import Memory
from recollect.settings import load_settings
from serving import Served, serving
from talk import conversation

_TENANT: Final = "benchmark"
_ASKER: Final = "asker"
_FORMATS: Final = ("json", "zip")
_MEGABYTE: Final = 1_000_000
_QUESTIONS_A_SESSION: Final = 12
_LOOKS_A_SECOND: Final = 50
_WARM_UP_SECONDS: Final = 10
_FEWEST: Final = 2
"""Turns of which quantiles can be told."""
_SETTINGS: Final = {
    "MEMORY_USER_ID_SOURCE": "api_key",
    "MEMORY_ALLOW_DATA_EXPORT": "true",
    "MEMORY_ALLOW_DATA_DELETION": "true",
    "MEMORY_EMBEDDING_MODEL": "none",
}


@dataclass(slots=True, kw_only=True)
class Work:
    """One export or erasure, and what it took."""

    messages: int
    form: str
    """The format of the export; `erase` for an erasure."""
    seconds: float = 0.0
    """Of the last one, if there were several."""
    size: int = 0
    before: int = 0
    """Resident bytes of the server when it began."""
    peak: int = 0
    turns: list[float] = field(default_factory=list)
    """Seconds of the other owner's turns meanwhile."""
    alone: list[float] = field(default_factory=list)
    """Those right before, with nothing else going on."""


async def measured(client: httpx.AsyncClient, server: Served, one: Work, *, user: str) -> None:
    """Export a user's memory while another one asks."""
    process = psutil.Process(server.pid)
    one.before, one.size = process.memory_info().rss, 0
    one.peak = max(one.peak, one.before)
    async with beside(watch(process, one)), beside(ask(client, one.turns)):
        began = time.perf_counter()
        async with client.stream(
            "GET",
            "/api/v1/privacy/export",
            params={"format": one.form},
            headers={"X-Memory-User": user},
        ) as response:
            response.raise_for_status()
            async for piece in response.aiter_raw():
                one.size += len(piece)
        one.seconds = time.perf_counter() - began


async def erased(client: httpx.AsyncClient, server: Served, one: Work, *, user: str) -> None:
    """Erase a user's memory while another one asks, and show how far it has come."""
    process, path = psutil.Process(server.pid), "/api/v1/privacy/erase"
    headers = {"X-Memory-User": user}
    one.before = one.peak = process.memory_info().rss
    async with beside(watch(process, one)), beside(ask(client, one.turns)):
        began = time.perf_counter()
        response = await client.post(path, json={"confirm": True}, headers=headers)
        erasure = response.raise_for_status().json()
        while erasure["state"] != "done":
            await asyncio.sleep(1)
            path = f"/api/v1/privacy/erase/{erasure['erasure_id']}"
            erasure = (await client.get(path, headers=headers)).raise_for_status().json()
            gone = f"{erasure['erased_messages']:,} of {erasure['expected_messages']:,}"
            seconds = time.perf_counter() - began
            print(f"\r{gone} messages erased, {seconds:.0f} s …", end="", file=sys.stderr)
        one.seconds = time.perf_counter() - began
    print(f"\n{erasure['receipt']['erased']}", file=sys.stderr)


async def watch(process: psutil.Process, one: Work) -> None:
    """Note the highest resident memory of the server."""
    while True:
        one.peak = max(one.peak, process.memory_info().rss)
        await asyncio.sleep(1 / _LOOKS_A_SECOND)


async def ask(client: httpx.AsyncClient, turns: list[float]) -> None:
    """Ask one question after the other, and note how long each turn takes."""
    questions = conversation(random.Random(2))  # noqa: S311  # the same on every run
    while True:
        headers = {"X-Memory-User": _ASKER, "X-Session-ID": str(uuid4())}
        for question in itertools.islice(questions, _QUESTIONS_A_SESSION):
            began = time.perf_counter()
            response = await client.post("/chat", json={"query": question}, headers=headers)
            response.raise_for_status()
            turns.append(time.perf_counter() - began)


@asynccontextmanager
async def beside(work: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Run something beside the block, and report what it fails with."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        if task.done():
            task.result()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def measure(
    *, sizes: list[int], formats: list[str], seconds: float, rounds: int
) -> list[Work]:
    """Load the owners, serve them, export each in these formats, and erase the largest."""
    with TemporaryDirectory(prefix="recollect-benchmark-") as folder:
        home = Path(folder)
        key = await loaded(home, sizes)
        works = [Work(messages=size, form=form) for form in formats for size in sizes]
        works.append(Work(messages=max(sizes), form="erase"))
        async with (
            serving(home, **_SETTINGS) as server,
            httpx.AsyncClient(
                base_url=f"http://127.0.0.1:{server.port}",
                headers={"Authorization": f"Bearer {key}"},
                timeout=600,
            ) as client,
        ):
            async with beside(ask(client, [])):  # loads what the first answers wait for
                await asyncio.sleep(_WARM_UP_SECONDS)
            repeated = [one for one in works for _ in range(1 if one.form == "erase" else rounds)]
            for one in repeated:
                print(f"{one.form}, {one.messages:,} messages …", file=sys.stderr)
                async with beside(ask(client, one.alone)):
                    await asyncio.sleep(seconds)
                do = erased if one.form == "erase" else measured
                await do(client, server, one, user=_name_of(one.messages))
    return works


async def loaded(home: Path, sizes: list[int]) -> str:
    """Store an owner of each size, and return a key of their tenant."""
    async with Memory.open(load_settings(home=home, embedding_model="none")) as memory:
        for size in sizes:
            print(f"storing {size:,} messages …", file=sys.stderr)
            scope = Scope(tenant=_TENANT, user=_name_of(size))
            await load(EmbeddedServer(home).dsn, scope, messages=size)
        _, key = await memory.services.api_keys.create(
            TenantScope(tenant=_TENANT), name="benchmark", scopes=[KeyScope.SERVICE]
        )
    return key


def _name_of(size: int) -> str:
    return f"owner-of-{size}"


def print_table(works: list[Work]) -> None:
    """Print what each took, and the other owner's turns beside it and alone."""
    table = Table(
        *("what", "messages", "s", "MB", "resident before MB", "peak MB"),
        *("turns beside", "median ms", "p95 ms", "alone", "median ms", "p95 ms", "p95 ratio"),
        box=None,
    )
    for one in works:
        memory = (f"{one.before / _MEGABYTE:.0f}", f"{one.peak / _MEGABYTE:.0f}")
        size = f"{one.size / _MEGABYTE:.1f}"
        row = (one.form, f"{one.messages:,}", f"{one.seconds:.1f}", size, *memory)
        beside_it, before_it = _times(one.turns), _times(one.alone)
        table.add_row(*row, *beside_it, *before_it, _ratio(one))
    Console(width=160).print(table)


def _times(turns: list[float]) -> tuple[str, str, str]:
    if len(turns) < _FEWEST:
        return str(len(turns)), "-", "-"
    median = statistics.median(turns)
    return str(len(turns)), f"{median * 1000:.1f}", f"{_p95(turns) * 1000:.1f}"


def _ratio(one: Work) -> str:
    if min(len(one.turns), len(one.alone)) < _FEWEST:
        return "-"
    return f"{_p95(one.turns) / _p95(one.alone):.2f}"


def _p95(turns: list[float]) -> float:
    return statistics.quantiles(turns, n=20)[-1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sizes = [10_000, 100_000, 1_000_000]
    parser.add_argument("--messages", type=int, nargs="+", default=sizes, metavar="N")
    parser.add_argument("--formats", nargs="+", default=_FORMATS, choices=_FORMATS)
    parser.add_argument("--seconds", type=float, default=10, metavar="N")
    parser.add_argument("--rounds", type=int, default=1, metavar="N")
    args = parser.parse_args()
    measuring = measure(
        sizes=args.messages, formats=args.formats, seconds=args.seconds, rounds=args.rounds
    )
    print_table(asyncio.run(measuring))


if __name__ == "__main__":
    main()
