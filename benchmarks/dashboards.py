"""Turns beside open dashboards, and the first page of a cold server with 10,000 facts.

    python benchmarks/dashboards.py [--rate N] [--dashboards N] [--click-seconds N] [--rounds N]
        [--facts N]

Turns are questions to /chat of many users, sent at a fixed rate to one server that answers from
memory. Beside them somebody with 10,000 facts looks at the dashboard: in every other slice
dashboards are open. An open page asks for nothing by itself, so each loads one page after the
other, as people do who click every `--click-seconds`. Slices with and without take turns, and which
of them is first changes from round to round, so that noise hits both alike. Printed are the times
of turns, their ratios round by round, what a page costs the server in processor time, and how many
turns and pages were refused (503), which a server does that has more to do than it can.
"""

import argparse
import asyncio
import itertools
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import uuid4

import httpx
from rich.console import Console
from rich.table import Table

from prepared_users import prepare_users, user_name
from serving import Served, serving

_SLICE_SECONDS: Final = 5.0
_PAGES: Final = ("", "/memory", "/memory?sort=priority", "/conversations", "/context", "/privacy")
_TALKERS: Final = 50
_AT_ONCE: Final = 1_000
_LEAST_ANSWERED: Final = 2
"""Fewer have no percentiles."""


async def _fill(client: httpx.AsyncClient, facts: int) -> None:
    for first in range(0, facts, _AT_ONCE):
        body = {
            "facts": [
                {"content": f"Customer {number} is served by team {number % 97}."}
                for number in range(first, min(first + _AT_ONCE, facts))
            ]
        }
        (await client.post("/api/v1/memory/import", json=body)).raise_for_status()


@dataclass(frozen=True, slots=True, kw_only=True)
class Talker:
    """A user who asks, and the session they do so in."""

    headers: Mapping[str, str]

    async def ask(self, client: httpx.AsyncClient, number: int, took: "Times") -> None:
        """Ask a question, and note the milliseconds until it is answered."""
        began = time.perf_counter()
        body = {"query": f"What did I say about customer {number}?"}
        took.note(await client.post("/chat", json=body, headers=self.headers), began)


@dataclass(slots=True, kw_only=True)
class Times:
    """How long answers took, and how many requests were refused."""

    milliseconds: list[float] = field(default_factory=list)
    refused: int = 0

    def note(self, response: httpx.Response, began: float) -> None:
        """Count an answer or a refusal; anything else is an error."""
        if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            self.refused += 1
            return
        response.raise_for_status()
        self.milliseconds.append((time.perf_counter() - began) * 1000)


async def _turns(client: httpx.AsyncClient, talkers: Sequence[Talker], rate: float) -> Times:
    """Send turns at a fixed rate, whether or not earlier ones are answered; how long each took."""
    took = Times()
    begun, tasks = time.perf_counter(), []
    for number in range(int(rate * _SLICE_SECONDS)):
        await asyncio.sleep(max(0.0, begun + number / rate - time.perf_counter()))
        asking = talkers[number % len(talkers)].ask(client, number, took)
        tasks.append(asyncio.create_task(asking))
    await asyncio.gather(*tasks)
    return took


async def _visit(
    client: httpx.AsyncClient, first: int, took: Times, *, click_seconds: float
) -> None:
    """Click through the pages until somebody closes the window."""
    await asyncio.sleep(click_seconds * (first % 20) / 20)
    for number in itertools.count(first):
        began = time.perf_counter()
        took.note(await client.get(f"/dashboard{_PAGES[number % len(_PAGES)]}"), began)
        await asyncio.sleep(click_seconds)


@dataclass(slots=True, kw_only=True)
class Slices:
    """All slices of one kind."""

    rounds: list[Times] = field(default_factory=list)
    """The turns of each slice."""
    processor_seconds: float = 0.0

    @property
    def turns(self) -> Times:
        """The turns of all slices."""
        all_of_them = itertools.chain.from_iterable(one.milliseconds for one in self.rounds)
        return Times(milliseconds=[*all_of_them], refused=sum(one.refused for one in self.rounds))


@dataclass(slots=True, kw_only=True)
class Run:
    """Turns with and without open dashboards, by turns."""

    client: httpx.AsyncClient
    served: Served
    given: argparse.Namespace
    talkers: Sequence[Talker]
    alone: Slices = field(default_factory=Slices)
    beside: Slices = field(default_factory=Slices)
    pages: Times = field(default_factory=Times)

    async def measure(self) -> None:
        """Run both kinds of slices in every round."""
        for number in range(self.given.rounds):
            for kind in (self.alone, self.beside) if number % 2 else (self.beside, self.alone):
                await self._slice(kind)

    async def _slice(self, kind: Slices) -> None:
        dashboards = self.given.dashboards if kind is self.beside else 0
        clicking = self.given.click_seconds
        visits = [
            asyncio.create_task(_visit(self.client, number, self.pages, click_seconds=clicking))
            for number in range(dashboards)
        ]
        before = self.served.processor_seconds()
        kind.rounds.append(await _turns(self.client, self.talkers, self.given.rate))
        kind.processor_seconds += self.served.processor_seconds() - before
        for visit in visits:
            visit.cancel()
        await asyncio.gather(*visits, return_exceptions=True)

    def print(self, console: Console) -> None:
        """Print the times, their ratios, and what a page costs."""
        table = Table("turns", "number", "p50 ms", "p95 ms", "refused", box=None)
        table.add_row(*_row("alone", self.alone.turns))
        table.add_row(*_row(f"beside {self.given.dashboards} dashboards", self.beside.turns))
        table.add_row(*_row("pages of the dashboards", self.pages))
        console.print(table)
        rounds = [
            (alone.milliseconds, beside.milliseconds)
            for alone, beside in zip(self.alone.rounds, self.beside.rounds, strict=True)
            if min(len(alone.milliseconds), len(beside.milliseconds)) >= _LEAST_ANSWERED
        ]
        if not rounds:
            console.print("no ratios: too many turns were refused")
            return
        for name, measure in (("median", statistics.median), ("p95", _p95)):
            ratios = sorted(measure(beside) / measure(alone) for alone, beside in rounds)
            console.print(
                f"{name}, beside / alone: {statistics.median(ratios):.2f} "
                f"({ratios[0]:.2f} to {ratios[-1]:.2f} in {len(ratios)} rounds)"
            )
        if pages := len(self.pages.milliseconds):
            spent = self.beside.processor_seconds - self.alone.processor_seconds
            console.print(f"processor time of a page: {1000 * spent / pages:.1f} ms")


def _p95(took: Sequence[float]) -> float:
    return statistics.quantiles(took, n=20)[18]


def _row(name: str, took: Times) -> tuple[str, ...]:
    answered, refused = took.milliseconds, f"{took.refused:,}"
    if len(answered) < _LEAST_ANSWERED:
        return name, f"{len(answered):,}", "-", "-", refused
    median, p95 = statistics.median(answered), _p95(answered)
    return name, f"{len(answered):,}", f"{median:.1f}", f"{p95:.1f}", refused


def _talkers(key: str) -> list[Talker]:
    caller = {"Authorization": f"Bearer {key}"}
    return [
        Talker(headers={**caller, "X-Memory-User": user_name(number), "X-Session-ID": str(uuid4())})
        for number in range(_TALKERS)
    ]


async def _measure(served: Served, key: str, given: argparse.Namespace, console: Console) -> None:
    limits = httpx.Limits(max_connections=500)
    address = f"http://127.0.0.1:{served.port}"
    async with httpx.AsyncClient(
        base_url=address, timeout=300, trust_env=False, limits=limits
    ) as client:
        await _fill(client, given.facts)
        began = time.perf_counter()
        (await client.get("/dashboard/memory")).raise_for_status()
        first = (time.perf_counter() - began) * 1000
        console.print(f"first page with {given.facts:,} facts: {first:.0f} ms")
        talkers = _talkers(key)
        for number, talker in enumerate(talkers):
            await talker.ask(client, number, Times())
        run = Run(client=client, served=served, given=given, talkers=talkers)
        await run.measure()
        run.print(console)


async def _main(given: argparse.Namespace) -> None:
    console = Console()
    with TemporaryDirectory(prefix="recollect-bench-") as folder:
        Path(folder).chmod(0o755)  # noqa: ASYNC240  # before anything else runs
        key = await prepare_users(Path(folder), users=0, history=0)
        processes = {"MEMORY_PROCESSES": str(given.processes)}
        async with serving(Path(folder), **processes) as served:
            await _measure(served, key, given, console)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--dashboards", type=int, default=20)
    parser.add_argument("--click-seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument(
        "--processes",
        type=int,
        default=os.cpu_count() or 1,
        help="that answer; else one for each core",
    )
    asyncio.run(_main(parser.parse_args()))
