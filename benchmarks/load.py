"""A server under load: users with time to think, who ask whether or not others are answered.

    python benchmarks/load.py [--users N] [--rates R …] [--seconds S] [--processes N] [--mixed]

The program that users start runs on a database of its own and asks a model on loopback that
answers at once. All users together ask `--rates` times a second, each on average every
users ÷ rate seconds: the load is open, so a server that falls behind is asked as often as before.
With several rates one follows the other on the same server; a low one after a high one shows
whether it recovers. A twentieth as many calls go to the model directly, which shows what memory
adds. The time of a request counts from the moment at which it was due, and none is repeated.

With --mixed users do not only chat: they search, ask for contexts, read, and delete messages and
sessions. One in twenty chats belongs to a tenant whose sessions expire after some seconds.

Printed are, for each rate and over time: requests a second by status, latencies, what the
server's processes take, connections, and what waits to be indexed. At the end every answer that
was acknowledged as stored is read again. Two cores do everything: the users, the model, the
server and PostgreSQL.
"""

import argparse
import json
import os
import secrets
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import uvloop
from rich.console import Console
from rich.table import Table

from lean_http import LeanClient
from load_check import check_stored, count_unexpired
from load_monitor import Monitor, Sample
from load_traffic import CHAT, DIRECT, MIXED, PLAIN, Outcome, Traffic, User
from model_stub import ModelStub, base_url
from prepared_users import prepare_users, service_key
from recollect.concurrency import running_beside
from recollect.memory import Memory
from recollect.settings import load_settings
from serving import serving

_BRIEF_TENANT: Final = "brief"
_BRIEF_SECONDS: Final = 17.28  # 0.0002 days
_CLEANUP_HOURS: Final = 0.003
_ROWS: Final = 20
"""Of the table over time, at most."""
_WARM_UP_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One rate, and when it was asked for."""

    rate: float
    began: float
    ended: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What is open during a run."""

    traffic: Traffic
    monitor: Monitor


async def main(given: argparse.Namespace) -> int:
    """Run the load and print what happened; 1 if something that was acknowledged is missing."""
    with TemporaryDirectory(prefix="recollect-load-") as folder:
        home = Path(folder)
        key = await prepare_users(home, users=given.users, history=given.history)
        brief_key = await _brief_key(home) if given.mixed else ""
        async with _stage(home, given, key, brief_key) as stage:
            steps = await _run(stage, given)
            traffic, last = stage.traffic, await stage.monitor.sample(0)
            if traffic.brief is not None:
                expired, found = await count_unexpired(
                    traffic.brief, traffic.ledger, seconds=_BRIEF_SECONDS
                )
        console = Console(width=160)
        console.print(_over_time(traffic, stage.monitor.samples, steps))
        for step in steps:
            console.print(_summary(traffic.outcomes, step))
        print(f"requests were sent at most {1000 * traffic.latest:.0f} ms after they were due")
        print(f"turns that waited to be indexed at the end: {last.backlog:.0f}")
        if traffic.brief is not None:
            print("jobs: " + ", ".join(f"{name} {n:.0f}" for name, n in last.jobs.items()))
            print(f"sessions that must have expired: {expired:,}; still read: {found:,}")
        print(f"answers whose context was built without models: {traffic.ledger.hurried:,}")
        print(f"answers that could not be stored, and said so: {traffic.ledger.not_stored:,}")
        check = await check_stored(home, traffic.ledger)
        print("\n".join(check.lines()))
    return 1 if check.missing or check.undeleted else 0


async def _brief_key(home: Path) -> str:
    async with Memory.open(load_settings(home=home, embedding_model="none")) as memory:
        return await service_key(memory, _BRIEF_TENANT)


@asynccontextmanager
async def _stage(
    home: Path, given: argparse.Namespace, key: str, brief_key: str
) -> AsyncIterator[Stage]:
    """The model, the server and the clients."""
    async with AsyncExitStack() as opened:
        model = await opened.enter_async_context(ModelStub(given.answer_seconds).listening())
        token = secrets.token_urlsafe(16)
        settings = _settings(given, model=base_url(model), token=token)
        server = await opened.enter_async_context(serving(home, **settings))

        async def client(port: int, key: str) -> LeanClient:
            return await opened.enter_async_context(LeanClient.to(port, key=key))

        traffic = Traffic(
            server=await client(server.port, key),
            model=await client(model, "none"),
            brief=await client(server.port, brief_key) if brief_key else None,
        )
        scraper = await client(server.port, token)
        yield Stage(traffic=traffic, monitor=Monitor(server=server, scraper=scraper))


def _settings(given: argparse.Namespace, *, model: str, token: str) -> dict[str, str]:
    settings = {
        "MEMORY_LLM_BASE_URL": model,
        "MEMORY_LLM_MODEL": "stub:7b",
        "MEMORY_PROCESSES": str(given.processes),
        "MEMORY_METRICS_TOKEN": token,
        "MEMORY_LOG_LEVEL": "WARNING",
    }
    if given.mixed:
        days = _BRIEF_SECONDS / 86_400
        settings["MEMORY_RETENTION_BY_TENANT"] = json.dumps({_BRIEF_TENANT: f"fixed:{days}"})
        settings["MEMORY_CLEANUP_INTERVAL_HOURS"] = str(_CLEANUP_HOURS)
    return settings


async def _run(stage: Stage, given: argparse.Namespace) -> list[Step]:
    """Let the users ask at one rate after the other."""
    traffic = stage.traffic
    users = [User(number) for number in range(given.users)]
    mix = MIXED if given.mixed else PLAIN
    # This connects, and warms caches and plans.
    await traffic.run(users, rate=min(given.rates), seconds=_WARM_UP_SECONDS, mix=PLAIN)
    await traffic.finish()
    traffic.outcomes.clear()
    traffic.latest = 0.0
    every = max(2.0, given.seconds * len(given.rates) / _ROWS)
    steps = []
    async with running_beside(stage.monitor.watch(lambda: traffic.in_flight, every=every)):
        for rate in given.rates:
            print(f"{rate:g} a second …", file=sys.stderr)
            began = time.perf_counter()
            await traffic.run(users, rate=rate, seconds=given.seconds, mix=mix)
            steps.append(Step(rate=rate, began=began, ended=time.perf_counter()))
        await traffic.finish()
    return steps


def _over_time(traffic: Traffic, samples: Sequence[Sample], steps: Sequence[Step]) -> Table:
    """A line for each stretch between two samples, by when requests were due."""
    table = Table(
        *("s", "due/s", "2xx/s", "503/s", "other/s", "p50 ms", "p95 ms", "in flight", "CPU"),
        *("MB", "clients", "PostgreSQL busy/idle/wanted", "to index"),
        box=None,
    )
    for before, after in pairwise(samples):
        seconds = after.at - before.at
        due = [one for one in traffic.outcomes if before.at <= one.due < after.at]
        table.add_row(
            f"{after.at - steps[0].began:.0f}",
            *_rates(due, seconds),
            *(f"{number:.1f}" for number in _quantiles([o for o in due if o.kind == CHAT])),
            str(after.in_flight),
            f"{(after.processor_seconds - before.processor_seconds) / seconds:.2f}",
            f"{after.resident:.0f}",
            str(after.clients),
            after.database,
            f"{after.backlog:.0f}",
        )
    return table


def _rates(outcomes: Sequence[Outcome], seconds: float) -> Iterator[str]:
    """Requests a second: all, those that were done, refused, and what else became of them."""
    ours = [one for one in outcomes if one.kind != DIRECT]
    done = sum(one.status.startswith("2") for one in ours)
    refused = sum(one.status == "503" for one in ours)
    for number in (len(ours), done, refused, len(ours) - done - refused):
        yield f"{number / seconds:.1f}"


def _quantiles(outcomes: Sequence[Outcome], shares: Sequence[float] = (0.5, 0.95)) -> list[float]:
    """Milliseconds that these shares of what was done took at most; nothing was: 0."""
    taken = sorted(one.seconds for one in outcomes if one.status.startswith("2")) or [0.0]
    return [1000 * taken[int(len(taken) * share)] for share in shares]


def _summary(outcomes: Sequence[Outcome], step: Step) -> Table:
    """What became of the requests of one rate, by kind."""
    heads = ("", "requests", "done/s", "p50 ms", "p95 ms", "p99 ms", "statuses")
    table = Table(*heads, title=f"{step.rate:g} a second", box=None)
    by_kind = defaultdict(list)
    for one in outcomes:
        if step.began <= one.due < step.ended:
            by_kind[one.kind].append(one)
    quantiles = {kind: _quantiles(these, (0.5, 0.95, 0.99)) for kind, these in by_kind.items()}
    for kind, these in sorted(by_kind.items()):
        done = sum(one.status.startswith("2") for one in these)
        statuses = Counter(one.status for one in these)
        table.add_row(
            kind,
            f"{len(these):,}",
            f"{done / (step.ended - step.began):.1f}",
            *(f"{number:.1f}" for number in quantiles[kind]),
            ", ".join(f"{status}: {count:,}" for status, count in statuses.most_common()),
        )
    if {CHAT, DIRECT} <= by_kind.keys():
        both = zip(quantiles[CHAT], quantiles[DIRECT], strict=True)
        added = (f"{with_memory - plain:.1f}" for with_memory, plain in both)
        table.add_row("added by memory", "", "", *added, "")
    return table


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument(
        "--rates", type=float, nargs="+", default=[100.0], help="requests a second, in this order"
    )
    parser.add_argument("--seconds", type=float, default=60, help="for each rate (default: 60)")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="that answer; else one for each"
    )
    parser.add_argument("--history", type=int, default=4, help="earlier exchanges of each user")
    parser.add_argument(
        "--answer-seconds", type=float, default=0, help="that the model takes (default: 0)"
    )
    parser.add_argument("--mixed", action="store_true", help="not only chats")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(uvloop.run(main(_parse())))
