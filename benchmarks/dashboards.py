"""Turns beside open dashboards, and the first page of a cold server with 10,000 facts.

    python benchmarks/dashboards.py [--rate N] [--dashboards N] [--click-seconds N] [--rounds N]
        [--facts N]

Turns are those of benchmarks/load.py: users ask, all together `--rate` times a second, whether or
not others are answered, and a model on loopback answers at once. Beside them somebody with 10,000
facts looks at the dashboard: in every other slice dashboards are open. An open page asks for
nothing by itself, so each loads one page after the other, as people do who click now and then.
Slices with and without take turns, and which of them is first changes from round to round, so that
noise hits both alike. Printed are the times of turns, their ratios round by round, what a page
costs the server in processor time, and how many turns and pages were refused (503), as a server
does that has more to do than it can.
"""

import argparse
import asyncio
import itertools
import os
import statistics
import time
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import httpx
import uvloop
from rich.console import Console
from rich.table import Table

from lean_http import LeanClient
from load_traffic import CHAT, PLAIN, Traffic, User
from model_stub import ModelStub, base_url
from prepared_users import prepare_users
from serving import Served, serving

_WARM_UP_SECONDS: Final = 10.0
_SLICE_SECONDS: Final = 5.0
_PAGES: Final = ("", "/memory", "/memory?sort=priority", "/conversations", "/context", "/privacy")
_AT_ONCE: Final = 1_000
_REFUSED: Final = "503"
_LEAST_ANSWERED: Final = 2
"""Fewer have no percentiles."""


@dataclass(slots=True)
class Times:
    """How long answers took, and how many requests were refused."""

    milliseconds: list[float] = field(default_factory=list)
    refused: int = 0

    @property
    def has_percentiles(self) -> bool:
        """Whether enough was answered to speak of them."""
        return len(self.milliseconds) >= _LEAST_ANSWERED

    def note(self, status: str, seconds: float) -> None:
        """Count an answer or a refusal; anything else is an error."""
        if status == _REFUSED:
            self.refused += 1
        elif status.startswith("2"):
            self.milliseconds.append(1000 * seconds)
        else:
            raise ConnectionError(f"the server answered with {status}")

    def row(self, name: str) -> tuple[str, ...]:
        """A line of the table."""
        shown = ["-", "-"]
        if self.has_percentiles:
            took = self.milliseconds
            shown = [f"{statistics.median(took):.1f}", f"{_p95(took):.1f}"]
        return name, f"{len(self.milliseconds):,}", *shown, f"{self.refused:,}"


@dataclass(slots=True)
class Slices:
    """All slices of one kind."""

    rounds: list[Times] = field(default_factory=list)
    """The turns of each slice."""
    processor_seconds: float = 0.0

    @property
    def turns(self) -> Times:
        """The turns of all slices."""
        took = itertools.chain.from_iterable(one.milliseconds for one in self.rounds)
        return Times([*took], sum(one.refused for one in self.rounds))


@dataclass(slots=True, kw_only=True)
class Run:
    """Turns with and without open dashboards, by turns."""

    traffic: Traffic
    users: Sequence[User]
    browser: httpx.AsyncClient
    served: Served
    given: argparse.Namespace
    alone: Slices = field(default_factory=Slices)
    beside: Slices = field(default_factory=Slices)
    pages: Times = field(default_factory=Times)

    async def measure(self) -> None:
        """Run both kinds of slices in every round."""
        await self._turns(_WARM_UP_SECONDS)
        for number in range(self.given.rounds):
            for kind in (self.alone, self.beside) if number % 2 else (self.beside, self.alone):
                await self._slice(kind)

    async def _slice(self, kind: Slices) -> None:
        dashboards = self.given.dashboards if kind is self.beside else 0
        visits = [asyncio.create_task(self._visit(number)) for number in range(dashboards)]
        before = self.served.processor_seconds()
        kind.rounds.append(await self._turns(_SLICE_SECONDS))
        kind.processor_seconds += self.served.processor_seconds() - before
        for visit in visits:
            visit.cancel()
        for outcome in await asyncio.gather(*visits, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome

    async def _turns(self, seconds: float) -> Times:
        """Let users ask for so long; how long each turn took."""
        await self.traffic.run(self.users, rate=self.given.rate, seconds=seconds, mix=PLAIN)
        await self.traffic.finish()
        took = Times()
        for outcome in self.traffic.outcomes:
            if outcome.kind == CHAT:
                took.note(outcome.status, outcome.seconds)
        self.traffic.outcomes.clear()
        return took

    async def _visit(self, first: int) -> None:
        """Click through the pages until somebody closes the window."""
        clicking = self.given.click_seconds
        await asyncio.sleep(clicking * first / self.given.dashboards)
        for number in itertools.count(first):
            began = time.perf_counter()
            response = await self.browser.get(f"/dashboard{_PAGES[number % len(_PAGES)]}")
            self.pages.note(str(response.status_code), time.perf_counter() - began)
            await asyncio.sleep(clicking)

    def print(self, console: Console) -> None:
        """Print the times, their ratios, and what a page costs."""
        table = Table("turns", "number", "p50 ms", "p95 ms", "refused", box=None)
        table.add_row(*self.alone.turns.row("alone"))
        table.add_row(*self.beside.turns.row(f"beside {self.given.dashboards} dashboards"))
        table.add_row(*self.pages.row("pages of the dashboards"))
        console.print(table)
        rounds = [
            (alone.milliseconds, beside.milliseconds)
            for alone, beside in zip(self.alone.rounds, self.beside.rounds, strict=True)
            if alone.has_percentiles and beside.has_percentiles
        ]
        for line in _ratios(rounds):
            console.print(line)
        if pages := len(self.pages.milliseconds):
            spent = self.beside.processor_seconds - self.alone.processor_seconds
            console.print(f"processor time of a page: {1000 * spent / pages:.1f} ms")
        hurried = self.traffic.ledger.hurried
        console.print(f"answers whose context was built without models: {hurried:,}")


def _ratios(rounds: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Iterable[str]:
    if not rounds:
        yield "no ratios: too many turns were refused"
        return
    for name, measure in (("median", statistics.median), ("p95", _p95)):
        ratios = sorted(measure(beside) / measure(alone) for alone, beside in rounds)
        yield (
            f"{name}, beside / alone: {statistics.median(ratios):.2f} "
            f"({ratios[0]:.2f} to {ratios[-1]:.2f} in {len(ratios)} rounds)"
        )


def _p95(took: Sequence[float]) -> float:
    return statistics.quantiles(took, n=20)[18]


async def _fill(browser: httpx.AsyncClient, facts: int) -> None:
    for first in range(0, facts, _AT_ONCE):
        body = {
            "facts": [
                {"content": f"Customer {number} is served by team {number % 97}."}
                for number in range(first, min(first + _AT_ONCE, facts))
            ]
        }
        (await browser.post("/api/v1/memory/import", json=body)).raise_for_status()


async def _first_page(browser: httpx.AsyncClient) -> float:
    """Milliseconds until the page of facts is there, on a server that has shown none before."""
    began = time.perf_counter()
    (await browser.get("/dashboard/memory")).raise_for_status()
    return (time.perf_counter() - began) * 1000


async def _main(given: argparse.Namespace) -> None:
    console = Console()
    async with AsyncExitStack() as opened:
        home = Path(opened.enter_context(TemporaryDirectory(prefix="recollect-bench-")))
        key = await prepare_users(home, users=given.users, history=given.history)
        model = await opened.enter_async_context(ModelStub().listening())
        settings = {
            "MEMORY_LLM_BASE_URL": base_url(model),
            "MEMORY_LLM_MODEL": "stub:7b",
            "MEMORY_PROCESSES": str(given.processes),
            "MEMORY_LOG_LEVEL": "WARNING",
        }
        served = await opened.enter_async_context(serving(home, **settings))
        address = f"http://127.0.0.1:{served.port}"
        browser = await opened.enter_async_context(
            httpx.AsyncClient(base_url=address, timeout=300, trust_env=False)
        )
        await _fill(browser, given.facts)
        console.print(f"first page with {given.facts:,} facts: {await _first_page(browser):.0f} ms")
        traffic = Traffic(
            server=await opened.enter_async_context(LeanClient.to(served.port, key=key)),
            model=await opened.enter_async_context(LeanClient.to(model, key="none")),
        )
        users = [User(number) for number in range(given.users)]
        run = Run(traffic=traffic, users=users, browser=browser, served=served, given=given)
        await run.measure()
        run.print(console)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument("--history", type=int, default=4, help="earlier exchanges of each user")
    parser.add_argument("--dashboards", type=int, default=20)
    parser.add_argument("--click-seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="that answer; else one for each"
    )
    return parser.parse_args()


if __name__ == "__main__":
    uvloop.run(_main(_parse()))
