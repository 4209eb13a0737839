"""Time whole searches of an owner's exchanges against a hand-written scan of the same vectors.

    python benchmarks/recall_speed.py [--others 1000000] [--folder FOLDER] [--json FILE]

The hand-written way is what one would write first: a table with the text and a `halfvec(384)`, an
index on the owner, `ORDER BY vector <=> $2 LIMIT 10` on a plain asyncpg connection, the vector
sent in binary. Ours is the service: words and meaning, statistics of the owner, neighbours,
ranking, ten results; only the question's embedding is left out. Both tables were filled in the
same order, with the owners' rows mixed. The two ways take turns, a question each.

Under a load of others a wall clock mostly measures who has to wait: beside it stands the time
that the processor worked for each, in the server's process and in this one.
"""

import argparse
import asyncio
import json
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import asyncpg

from recall_dataset import DIMENSIONS, MODEL, Language, Load, scope_of
from recollect.composition import build_services
from recollect.domain.identity.scope import Scope
from recollect.domain.vectors import Vector
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.embedded import running_server
from recollect.engines.postgres.engine import open_embedded, postgres_stores
from recollect.engines.postgres.recall.entry_cache import CachedRecallIndex
from recollect.engines.postgres.recall.index import PostgresRecallIndex
from recollect.models.stems import SnowballStems
from recollect.models.tokens import token_counter_for
from recollect.ports.recall import RecallIndex
from recollect.services.services import ServiceDependencies, Services
from recollect.system import RandomIds, SystemClock

SIZES: Final = (100, 1_000, 20_000, 100_000)
GOALS: Final = {100: 2.5, 1_000: 2.5, 20_000: 1.0, 100_000: 1.0}
BEST: Final = 10
_QUESTIONS: Final = {100: 300, 1_000: 150, 20_000: 40, 100_000: 40}
_WARM_UP: Final = 8
_EVERYTHING: Final = 2**30
_BY_HAND: Final = """
SELECT id, text FROM by_hand WHERE owner_id = $1 ORDER BY vector <=> $2 LIMIT 10
"""

Question = tuple[str, Vector]


class GivenVectors:
    """An embedder that has its vectors already."""

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self.vectors: dict[str, Vector] = {}

    async def warm(self) -> None:
        """Nothing to load."""

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """The vectors that were given for these texts."""
        return tuple(self.vectors[text] for text in texts)

    async def embed_question(self, question: str) -> Vector:
        """The vector that was given for it."""
        return self.vectors[question]


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """How long one call took, in milliseconds."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was measured with one owner."""

    exchanges: int
    by_hand_ms: float
    ours_ms: float
    ours_p95_ms: float
    ratio: float
    by_hand_cpu_ms: float
    ours_cpu_ms: float
    ours_cpu_p95_ms: float
    cpu_ratio: float
    recall_at_10: float
    goal: float


class Stage:
    """A loaded database, and the two ways to search it."""

    def __init__(self, database: Database, by_hand: asyncpg.Connection) -> None:
        self._by_hand = by_hand
        self.embedder = GivenVectors()
        clock = SystemClock()
        self._ours = self._services(database, CachedRecallIndex(database, clock))
        exact = PostgresRecallIndex(database, clock, exact_up_to=_EVERYTHING)
        self._exact = self._services(database, exact)

    async def by_hand(self, scope: Scope, question: Question) -> object:
        """The plain scan."""
        half = struct.pack(f">hh{DIMENSIONS}e", DIMENSIONS, 0, *question[1])
        return await self._by_hand.fetch(_BY_HAND, scope.owner_id, half)

    async def ours(self, scope: Scope, question: Question) -> list[object]:
        """The whole search."""
        return await self._found(self._ours, scope, question)

    async def exact(self, scope: Scope, question: Question) -> list[object]:
        """The whole search with every entry scored exactly."""
        return await self._found(self._exact, scope, question)

    async def _found(self, services: Services, scope: Scope, question: Question) -> list[object]:
        text, self.embedder.vectors[text] = question
        found = await services.recall.search(scope, text, k=BEST)
        return [item.message_ids for item in found.items]

    def _services(self, database: Database, index: RecallIndex) -> Services:
        around = ServiceDependencies(
            clock=SystemClock(),
            ids=RandomIds(),
            counter_for=token_counter_for,
            stems=SnowballStems(),
            embedder=self.embedder,
        )
        stores = replace(postgres_stores(database, SystemClock()), recall=index)
        return build_services(stores, around)


class Processor:
    """Reads for how long the processor has worked for us and for the server's processes."""

    def __init__(self, pids: Sequence[int]) -> None:
        self._files = [Path(f"/proc/{pid}/schedstat") for pid in pids]

    def milliseconds(self) -> float:
        """All time so far."""
        theirs = sum(int(path.read_text().split()[0]) for path in self._files if path.exists())
        return (time.process_time_ns() + theirs) / 1e6


async def timed(processor: Processor, act: Callable[[], Awaitable[object]]) -> Took:
    """Do something and say how long it took."""
    cpu, began = processor.milliseconds(), time.perf_counter()
    await act()
    wall = (time.perf_counter() - began) * 1000
    return Took(wall=wall, cpu=processor.milliseconds() - cpu)


async def measure(stage: Stage, processor: Processor, size: int) -> Result:
    """Ask an owner's questions in both ways, in turns."""
    scope, language = scope_of(f"owner-{size}"), Language(size)
    questions = [language.question() for _ in range(_QUESTIONS[size] + _WARM_UP)]
    hand: list[Took] = []
    ours: list[Took] = []
    for question in questions:
        hand.append(await timed(processor, lambda q=question: stage.by_hand(scope, q)))
        ours.append(await timed(processor, lambda q=question: stage.ours(scope, q)))
    print(f"{size:,} exchanges measured, comparing …", file=sys.stderr)
    overlaps = [await _overlap(stage, scope, question) for question in questions[:20]]
    return _result(size, hand[_WARM_UP:], ours[_WARM_UP:], statistics.mean(overlaps))


async def _overlap(stage: Stage, scope: Scope, question: Question) -> float:
    exact = await stage.exact(scope, question)
    found = await stage.ours(scope, question)
    return len([one for one in exact if one in found]) / len(exact) if exact else 1.0


def _result(size: int, hand: Sequence[Took], ours: Sequence[Took], recall: float) -> Result:
    wall = [statistics.median(took.wall for took in way) for way in (hand, ours)]
    cpu = [statistics.median(took.cpu for took in way) for way in (hand, ours)]
    return Result(
        exchanges=size,
        by_hand_ms=wall[0],
        ours_ms=wall[1],
        ours_p95_ms=_p95(took.wall for took in ours),
        ratio=wall[1] / wall[0],
        by_hand_cpu_ms=cpu[0],
        ours_cpu_ms=cpu[1],
        ours_cpu_p95_ms=_p95(took.cpu for took in ours),
        cpu_ratio=cpu[1] / cpu[0],
        recall_at_10=recall,
        goal=GOALS[size],
    )


def _p95(times: Iterable[float]) -> float:
    ordered = sorted(times)
    return ordered[int(len(ordered) * 0.95)]


async def run(folder: Path, others: int) -> list[Result]:
    """Load if that is needed, and measure every owner."""
    home = folder / f"recall-{others}"
    is_loaded = (home / "loaded").exists()
    async with AsyncExitStack() as opened:
        dsn = await opened.enter_async_context(running_server(home))
        database = await opened.enter_async_context(open_embedded(home, max_connections=1))
        if not is_loaded:
            await Load(owners={f"owner-{size}": size for size in SIZES}, others=others).run(dsn)
            (home / "loaded").touch()
        by_hand = await asyncpg.connect(dsn)
        opened.push_async_callback(by_hand.close)
        await by_hand.set_type_codec(
            "halfvec", schema="public", format="binary", encoder=bytes, decoder=bytes
        )
        pids = [by_hand.get_server_pid(), *await _pids(by_hand)]
        stage, processor = Stage(database, by_hand), Processor(pids)
        return [await measure(stage, processor, size) for size in SIZES]


async def _pids(connection: asyncpg.Connection) -> list[int]:
    """The server's processes that work for the service."""
    rows = await connection.fetch(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'recollect'"
    )
    return [row["pid"] for row in rows]


def show(results: Sequence[Result]) -> None:
    """Print a table for people."""
    columns = ("exchanges", "by hand ms", "search ms, p95", "ratio", "cpu ms, p95", "cpu ratio")
    print(f"| {' | '.join((*columns, 'goal', 'recall@10'))} |")
    print("|---|---|---|---|---|---|---|---|")
    for one in results:
        cpu = f"{one.by_hand_cpu_ms:.2f} / {one.ours_cpu_ms:.2f}, {one.ours_cpu_p95_ms:.2f}"
        wall = f"{one.ours_ms:.2f}, {one.ours_p95_ms:.2f}"
        print(
            f"| {one.exchanges:,} | {one.by_hand_ms:.2f} | {wall} | {one.ratio:.2f} "
            f"| {cpu} | {one.cpu_ratio:.2f} | ≤ {one.goal} | {one.recall_at_10:.3f} |"
        )


def main() -> None:
    """Read the command line, measure, tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--others", type=int, default=0, help="exchanges of other owners")
    parser.add_argument("--folder", type=Path, help="keep the loaded databases here")
    parser.add_argument("--json", type=Path, help="write the numbers here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh:
        results = asyncio.run(run(options.folder or Path(fresh), options.others))
    show(results)
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in results], indent=2))


if __name__ == "__main__":
    main()
