"""What an export takes, and what others notice of it.

    python benchmarks/export.py [--messages N] [--small N] [--seconds N]

One owner has `--small` messages (10,000 by default) and another `--messages` (100,000; try
1,000,000), in sessions of fifty and half of them in one long session. The program that users start
serves them, on a database of its own. Each owner's memory is exported as JSON and as ZIP over HTTP,
by a client that throws away what it gets. Printed are the seconds, the bytes, and the highest
resident memory of the server in between beside that before: it should be the same for both owners.
Meanwhile a third owner asks questions one after the other, whose answers are quoted from memory;
their times are printed beside those without any export, in turns of `--seconds`. Linux only.
"""

import argparse
import asyncio
import itertools
import random
import statistics
import sys
import time
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import uuid4

import httpx
import psutil
from rich.console import Console
from rich.table import Table

from recollect.domain.conversation.message import NewMessage, Role
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.memory import Memory
from recollect.settings import load_settings
from serving import Served, serving
from talk import answer, conversation

_TENANT: Final = "benchmark"
_ASKER: Final = "asker"
_SESSION: Final = 50
_BATCH: Final = 1_000
_FORMATS: Final = ("json", "zip")
_MEGABYTE: Final = 1_000_000
_QUESTIONS_A_SESSION: Final = 12
_LOOKS_A_SECOND: Final = 50
_WARM_UP_SECONDS: Final = 10
_SETTINGS: Final = {
    "MEMORY_USER_ID_SOURCE": "api_key",
    "MEMORY_ALLOW_DATA_EXPORT": "true",
    "MEMORY_WORKER": "false",
}


@dataclass(slots=True, kw_only=True)
class Export:
    """One export, and what it took."""

    messages: int
    form: str
    seconds: float = 0.0
    size: int = 0
    before: int = 0
    """Resident bytes of the server when it began."""
    peak: int = 0
    turns: list[float] = field(default_factory=list)
    """Seconds of the other owner's turns meanwhile."""


async def load(memory: Memory, user: str, *, messages: int) -> None:
    """Store so many messages of a user, half of them in one session."""
    scope = Scope(tenant=_TENANT, user=user)
    lines = itertools.cycle(itertools.islice(said(), 2_000))
    sizes = [messages // 2, *([_SESSION] * (messages // 2 // _SESSION))]
    stored = 0
    for size in sizes:
        session = NewSession(session_id=uuid4())
        await memory.services.sessions.start(scope, session)
        for start in range(0, size, _BATCH):
            some = list(itertools.islice(lines, min(_BATCH, size - start)))
            await memory.services.messages.append(scope, session.session_id, new_messages(some))
            stored += len(some)
        print(f"\r{stored:,} messages of {user} …", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def said() -> Iterator[tuple[Role, str]]:
    """Questions and answers in turn."""
    chance = random.Random(1)  # noqa: S311  # the same on every run, no secrets
    for question in conversation(chance):
        yield Role.USER, question
        yield Role.ASSISTANT, answer(chance)


def new_messages(lines: list[tuple[Role, str]]) -> list[NewMessage]:
    """Messages with ids of their own."""
    at = datetime.now(UTC)
    return [
        NewMessage(message_id=uuid4(), role=role, content=content, created_at=at)
        for role, content in lines
    ]


async def measured(client: httpx.AsyncClient, server: Served, one: Export, *, user: str) -> None:
    """Export a user's memory while another one asks."""
    process = psutil.Process(server.pid)
    one.before = one.peak = process.memory_info().rss
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


async def watch(process: psutil.Process, one: Export) -> None:
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


async def measure(*, messages: int, small: int, seconds: float) -> tuple[list[Export], list[float]]:
    """Load the owners, serve them, and export each in both formats."""
    sizes = {"small": small, "large": messages}
    with TemporaryDirectory(prefix="recollect-benchmark-") as folder:
        home = Path(folder)
        async with Memory.open(load_settings(home=home)) as memory:
            for user, size in sizes.items():
                await load(memory, user, messages=size)
            _, key = await memory.services.api_keys.create(
                TenantScope(tenant=_TENANT), name="benchmark", scopes=[KeyScope.SERVICE]
            )
        exports = [Export(messages=size, form=form) for form in _FORMATS for size in sizes.values()]
        users = list(sizes) * len(_FORMATS)
        alone: list[float] = []
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
            for user, one in zip(users, exports, strict=True):
                print(f"{one.form}, {one.messages:,} messages …", file=sys.stderr)
                async with beside(ask(client, alone)):
                    await asyncio.sleep(seconds)
                await measured(client, server, one, user=user)
    return exports, alone


def print_table(exports: list[Export], alone: list[float]) -> None:
    """Print what each export took, and the other owner's turns."""
    table = Table(
        *("format", "messages", "s", "MB", "resident before MB", "peak MB"),
        *("turns beside", "median ms", "p95 ms"),
        box=None,
    )
    for one in exports:
        memory = (f"{one.before / _MEGABYTE:.0f}", f"{one.peak / _MEGABYTE:.0f}")
        size = f"{one.size / _MEGABYTE:.1f}"
        row = (one.form, f"{one.messages:,}", f"{one.seconds:.1f}", size, *memory)
        table.add_row(*row, *_times(one.turns))
    table.add_row("none", "", "", "", "", "", *_times(alone))
    Console(width=140).print(table)


def _times(turns: list[float]) -> tuple[str, str, str]:
    if len(turns) < 2:  # noqa: PLR2004  # quantiles need two
        return str(len(turns)), "-", "-"
    p95 = statistics.quantiles(turns, n=20)[-1]
    return str(len(turns)), f"{statistics.median(turns) * 1000:.1f}", f"{p95 * 1000:.1f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=100_000, metavar="N")
    parser.add_argument("--small", type=int, default=10_000, metavar="N")
    parser.add_argument("--seconds", type=float, default=10, metavar="N")
    args = parser.parse_args()
    exports, alone = asyncio.run(
        measure(messages=args.messages, small=args.small, seconds=args.seconds)
    )
    print_table(exports, alone)


if __name__ == "__main__":
    main()
