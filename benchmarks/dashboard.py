"""Turns beside open dashboards, and the first page of a cold server with 10,000 facts.

    python benchmarks/dashboard.py [--rate N] [--dashboards N] [--rounds N] [--facts N]

Turns are questions to /chat of many sessions, sent at a fixed rate to one server that answers from
memory. In every other slice dashboards are open besides: each loads one page after the other, as
people do who click every two seconds. The slices take turns, so that noise hits both alike.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import uuid4

import httpx
from rich.console import Console
from rich.table import Table

from serving import serving

_SLICE_SECONDS: Final = 5.0
_CLICK_SECONDS: Final = 2.0
_PAGES: Final = ("", "/memory", "/memory?sort=priority", "/conversations", "/context", "/privacy")
_SESSIONS: Final = 50
_AT_ONCE: Final = 1_000


async def _fill(client: httpx.AsyncClient, facts: int) -> None:
    for first in range(0, facts, _AT_ONCE):
        body = {
            "facts": [
                {"content": f"Customer {number} is served by team {number % 97}."}
                for number in range(first, min(first + _AT_ONCE, facts))
            ]
        }
        (await client.post("/api/v1/memory/import", json=body)).raise_for_status()


async def _turn(client: httpx.AsyncClient, session: str, number: int, took: list[float]) -> None:
    began = time.perf_counter()
    body = {"query": f"What did I say about customer {number}?"}
    response = await client.post("/chat", json=body, headers={"X-Session-ID": session})
    response.raise_for_status()
    took.append((time.perf_counter() - began) * 1000)


async def _turns(client: httpx.AsyncClient, sessions: Sequence[str], rate: float) -> list[float]:
    """Send turns at a fixed rate, whether or not earlier ones are answered; how long each took."""
    took: list[float] = []
    begun, tasks = time.perf_counter(), []
    for number in range(int(rate * _SLICE_SECONDS)):
        await asyncio.sleep(max(0.0, begun + number / rate - time.perf_counter()))
        session = sessions[number % len(sessions)]
        tasks.append(asyncio.create_task(_turn(client, session, number, took)))
    await asyncio.gather(*tasks)
    return took


async def _visit(client: httpx.AsyncClient, first: int, took: list[float]) -> None:
    """Click through the pages until somebody closes the window."""
    await asyncio.sleep(_CLICK_SECONDS * (first % 20) / 20)
    for number in range(first, first + 10_000):
        began = time.perf_counter()
        response = await client.get(f"/dashboard{_PAGES[number % len(_PAGES)]}")
        response.raise_for_status()
        took.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(_CLICK_SECONDS)


def _row(name: str, took: Sequence[float]) -> tuple[str, str, str, str]:
    cut = statistics.quantiles(took, n=20)
    return name, f"{len(took):,}", f"{statistics.median(took):.1f}", f"{cut[18]:.1f}"


async def _measure(address: str, given: argparse.Namespace, console: Console) -> None:
    limits = httpx.Limits(max_connections=500)
    async with httpx.AsyncClient(
        base_url=address, timeout=300, trust_env=False, limits=limits
    ) as client:
        await _fill(client, given.facts)
        began = time.perf_counter()
        (await client.get("/dashboard/memory")).raise_for_status()
        first = (time.perf_counter() - began) * 1000
        console.print(f"first page with {given.facts:,} facts: {first:.0f} ms")
        sessions = [str(uuid4()) for _ in range(_SESSIONS)]
        for number, session in enumerate(sessions):
            await _turn(client, session, number, [])
        alone: list[float] = []
        beside: list[float] = []
        pages: list[float] = []
        ratios: list[float] = []
        for _ in range(given.rounds):
            without = await _turns(client, sessions, given.rate)
            visits = [
                asyncio.create_task(_visit(client, number, pages))
                for number in range(given.dashboards)
            ]
            with_them = await _turns(client, sessions, given.rate)
            for visit in visits:
                visit.cancel()
            await asyncio.gather(*visits, return_exceptions=True)
            alone += without
            beside += with_them
            ratios.append(statistics.median(with_them) / statistics.median(without))
        table = Table("turns", "number", "p50 ms", "p95 ms")
        table.add_row(*_row("alone", alone))
        table.add_row(*_row(f"beside {given.dashboards} dashboards", beside))
        table.add_row(*_row("pages of the dashboards", pages))
        console.print(table)
        console.print(f"median ratio of the rounds: {statistics.median(ratios):.2f}")


async def _main(given: argparse.Namespace) -> None:
    console = Console()
    with TemporaryDirectory(prefix="recollect-bench-") as folder:
        Path(folder).chmod(0o755)  # noqa: ASYNC240  # before anything else runs
        async with serving(Path(folder)) as served:
            await _measure(f"http://127.0.0.1:{served.port}", given, console)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--dashboards", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--facts", type=int, default=10_000)
    asyncio.run(_main(parser.parse_args()))
