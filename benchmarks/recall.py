"""Measure how much of what was said is found again, beside BM25.

    python benchmarks/recall.py DATA [--engine in_memory|postgres] [--scorer-python PYTHON]

DATA is a folder with `recall/*.jsonl` (long conversations and questions about them) and the
scorer `score_recall.py`, which runs in a Python that has what it imports: `pip install -r
DATA/requirements.txt`. Nothing of it is kept or shipped. Each conversation belongs to an owner of
its own, each message is one of a log that names its speakers, and the clock stands at the time it
was said. Messages are indexed by the worker's own code and questions asked through
`Memory.recall`. `--rankings` keeps the rankings.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias
from uuid import UUID, uuid4

from recollect.composition import build_services
from recollect.engines.in_memory import in_memory_stores
from recollect.engines.postgres.engine import open_embedded, postgres_stores
from recollect.memory import Memory
from recollect.models.embedding.embedders import EmbeddingChoice, open_embedder
from recollect.models.stems import SnowballStems
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies
from recollect.settings import load_settings
from recollect.system import RandomIds
from recollect.testing import FixedClock

Json: TypeAlias = dict[str, Any]

RESULTS: Final = 20
_DATE: Final = "%I:%M %p on %d %B, %Y"


@dataclass(slots=True, kw_only=True)
class Times:
    """How long things took, in seconds."""

    asking: list[float] = field(default_factory=list)
    indexing: float = 0.0
    messages: int = 0

    def print(self) -> None:
        """Medians and sums."""
        ordered = sorted(self.asking)
        p50, p95 = (1000 * ordered[int(len(ordered) * share)] for share in (0.5, 0.95))
        print(f"\na question, embedding included: p50 {p50:.1f} ms, p95 {p95:.1f} ms")
        rate = self.messages / self.indexing
        print(f"indexing, embedding included: {self.messages:,} messages, {rate:.0f} a second")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """An open memory whose time is ours."""

    memory: Memory
    clock: FixedClock
    times: Times

    async def rankings(self, conversation: Json) -> list[Json]:
        """Tell a conversation to a user of its own and ask all questions about it."""
        user = f"{conversation['id']}-{uuid4()}"
        turns = await self._tell(conversation, user)
        return [
            {
                "conversation": conversation["id"],
                "question_index": index,
                "ranked": await self._ask(question["question"], user, turns),
            }
            for index, question in enumerate(conversation["questions"])
        ]

    async def _tell(self, conversation: Json, user: str) -> dict[UUID, str]:
        turns: dict[UUID, str] = {}
        for session in conversation["sessions"]:
            said_at = datetime.strptime(session["date"], _DATE).replace(tzinfo=UTC)
            self.clock.move(said_at - self.clock.now())
            told = await self.memory.session(user=user)
            for turn in session["turns"]:
                message = await told.add(
                    "user", turn["text"], metadata={"speaker": turn["speaker"]}
                )
                turns[message.message_id] = turn["id"]
        self.times.messages += len(turns)
        started = time.perf_counter()
        while await self.memory.catch_up():
            pass
        self.times.indexing += time.perf_counter() - started
        return turns

    async def _ask(self, question: str, user: str, turns: dict[UUID, str]) -> list[str]:
        started = time.perf_counter()
        found = await self.memory.recall(question, user=user, k=RESULTS)
        self.times.asking.append(time.perf_counter() - started)
        return [turns[message] for item in found.items for message in item.message_ids]


@asynccontextmanager
async def opened(engine: str) -> AsyncIterator[Bench]:
    """A memory on that engine, in a folder that is deleted afterwards."""
    clock = FixedClock()
    async with AsyncExitStack() as stack:
        stores = await stack.enter_async_context(_stores(engine, clock))
        choice = EmbeddingChoice(kept_in=load_settings().cache_folder)
        around = ServiceDependencies(
            clock=clock,
            ids=RandomIds(),
            counter_for=token_counter_for,
            stems=SnowballStems(),
            embedder=await stack.enter_async_context(open_embedder(choice)),
        )
        yield Bench(memory=Memory(build_services(stores, around)), clock=clock, times=Times())


@asynccontextmanager
async def _stores(engine: str, clock: FixedClock) -> AsyncIterator[Stores]:
    if engine == "in_memory":
        yield in_memory_stores(clock)
        return
    with tempfile.TemporaryDirectory(prefix="recollect-recall-") as folder:
        async with open_embedded(Path(folder) / "home", max_connections=5) as database:
            yield postgres_stores(database, clock)


async def measure(conversations: Iterable[Json], engine: str) -> list[Json]:
    """The rankings of all questions of a set; times are printed."""
    rows: list[Json] = []
    async with opened(engine) as bench:
        for conversation in conversations:
            rows += await bench.rankings(conversation)
            print(f"{conversation['id']} done", file=sys.stderr)
        bench.times.print()
    return rows


def score(folder: Path, path: Path, rankings: Path, python: str) -> None:
    """Let the scorer print its table."""
    command = [python, str(folder / "score_recall.py"), str(path), str(rankings)]
    subprocess.run(command, check=True)  # noqa: S603  # the scorer that was named


def main() -> None:
    """Measure every set of the folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--engine", choices=("in_memory", "postgres"), default="postgres")
    parser.add_argument("--scorer-python", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--rankings", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    for path in sorted((args.data / "recall").glob("*.jsonl")):
        lines = path.read_text("utf-8").splitlines()
        rows = asyncio.run(measure(map(json.loads, filter(None, lines)), args.engine))
        with tempfile.TemporaryDirectory() as folder:
            rankings = (args.rankings or Path(folder)) / f"{path.stem}.rankings.jsonl"
            rankings.write_text(_lines(rows), "utf-8")
            score(args.data, path, rankings, args.scorer_python)


def _lines(rows: Iterable[Json]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


if __name__ == "__main__":
    main()
