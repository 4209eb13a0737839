"""What a server under load looks like from outside, every few seconds."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import psutil

from lean_http import LeanClient
from recollect.ports.metrics import CONNECTIONS, HTTP_REFUSED, JOBS, QUEUE_DEPTH
from recollect.telemetry.prometheus import Samples, read_samples
from serving import Served

_MEGABYTE: Final = 1_000_000
_METRICS_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The server at one moment."""

    at: float
    in_flight: int
    """Requests that wait for their answers."""
    resident: float
    """Megabytes of the server's processes."""
    processor_seconds: float
    clients: int
    """Connections of clients."""
    metrics: Samples

    @property
    def database(self) -> str:
        """Connections to PostgreSQL: busy, idle, and how many users wait for one."""
        states = ("busy", "idle", "wanted")
        return "/".join(f"{self.metric(CONNECTIONS.name, state=state):.0f}" for state in states)

    @property
    def backlog(self) -> float:
        """Turns that wait to be indexed."""
        return self.metric(QUEUE_DEPTH.name, queue="indexing")

    @property
    def refused(self) -> float:
        """Requests that were refused so far, as the server counts."""
        return self.metric(f"{HTTP_REFUSED.name}_total")

    @property
    def jobs(self) -> dict[str, float]:
        """Jobs so far by their kinds and outcomes."""
        return {
            " ".join(value for _, value in sorted(labels)): number
            for (name, labels), number in self.metrics.items()
            if name == f"{JOBS.name}_total"
        }

    def metric(self, name: str, **labels: str) -> float:
        """A number of the page of metrics; 0 where it is missing."""
        return self.metrics.get((name, frozenset(labels.items())), 0.0)


@dataclass(slots=True, kw_only=True)
class Monitor:
    """Takes samples of a server."""

    server: Served
    scraper: LeanClient
    samples: list[Sample] = field(default_factory=list)

    async def watch(self, in_flight: Callable[[], int], *, every: float) -> None:
        """Take one sample after another, until cancelled."""
        while True:
            self.samples.append(await self.sample(in_flight()))
            await asyncio.sleep(every)

    async def sample(self, in_flight: int) -> Sample:
        """Look at the server now."""
        resident, clients = await asyncio.to_thread(self._look)
        return Sample(
            at=time.perf_counter(),
            in_flight=in_flight,
            resident=resident,
            processor_seconds=self.server.processor_seconds(),
            clients=clients,
            metrics=await self._scrape(),
        )

    async def _scrape(self) -> Samples:
        try:
            async with asyncio.timeout(_METRICS_SECONDS):
                page = await self.scraper.ask("GET /metrics", user="")
        except (OSError, EOFError):
            return {}
        return await asyncio.to_thread(read_samples, page.decode())

    def _look(self) -> tuple[float, int]:
        first = psutil.Process(self.server.pid)
        processes = [one for one in (first, *first.children(recursive=True)) if _is_ours(one)]
        resident = sum(one.memory_info().rss for one in processes) / _MEGABYTE
        connections = (one for process in processes for one in process.net_connections("tcp"))
        clients = [one for one in connections if one.laddr.port == self.server.port and one.raddr]
        return resident, len(clients)


def _is_ours(process: psutil.Process) -> bool:
    return process.name() != "postgres"
