"""What the recall benchmarks share: a memory with a clock of their own, times, and rankings."""

import argparse
import json
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeAlias
from uuid import UUID

from recollect.adapters import rerank_choice
from recollect.composition import build_services
from recollect.domain.recall.reranking import RerankPolicy
from recollect.engines.in_memory import in_memory_stores
from recollect.engines.postgres.engine import open_embedded, postgres_stores
from recollect.handles.session import SessionHandle
from recollect.memory import Memory
from recollect.models.embedding.embedders import EmbeddingChoice, open_embedder
from recollect.models.reranking.rerankers import open_reranker
from recollect.models.stems import SnowballStems
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies
from recollect.settings import load_settings
from recollect.system import RandomIds
from recollect.testing import FixedClock

Json: TypeAlias = dict[str, Any]

RESULTS: Final = 20


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
    times: Times = field(default_factory=Times)

    async def session_at(self, moment: datetime, *, user: str) -> SessionHandle:
        """Set the clock to a moment and start a session of the user."""
        self.clock.move(moment - self.clock.now())
        return await self.memory.session(user=user)

    async def index(self, *, messages: int) -> None:
        """Index the messages that were stored last, by the worker's own code."""
        self.times.messages += messages
        started = time.perf_counter()
        while await self.memory.catch_up():
            pass
        self.times.indexing += time.perf_counter() - started

    async def ask(self, question: str, *, user: str) -> list[UUID]:
        """The messages of the first results, the best first."""
        started = time.perf_counter()
        results = await self.memory.recall(question, user=user, k=RESULTS)
        self.times.asking.append(time.perf_counter() - started)
        return [message_id for item in results.items for message_id in item.message_ids]


@asynccontextmanager
async def open_bench(engine: str) -> AsyncIterator[Bench]:
    """A memory on that engine, in a folder that is deleted afterwards."""
    clock = FixedClock()
    async with AsyncExitStack() as stack:
        stores = await stack.enter_async_context(_open_stores(engine, clock))
        settings = load_settings()
        choice = EmbeddingChoice()
        dependencies = ServiceDependencies(
            clock=clock,
            ids=RandomIds(),
            counter_for=token_counter_for,
            stems=SnowballStems(),
            embedder=await stack.enter_async_context(open_embedder(choice)),
            reranker=await stack.enter_async_context(open_reranker(rerank_choice(settings))),
            reranking=RerankPolicy.parse(settings.rerank),
        )
        yield Bench(memory=Memory(build_services(stores, dependencies)), clock=clock)


@asynccontextmanager
async def _open_stores(engine: str, clock: FixedClock) -> AsyncIterator[Stores]:
    if engine == "in_memory":
        yield in_memory_stores(clock)
        return
    with tempfile.TemporaryDirectory(prefix="recollect-recall-") as folder:
        async with open_embedded(Path(folder) / "home", max_connections=5) as database:
            yield postgres_stores(database, clock)


def ranking_row(conversation_id: str, question_index: int, ranked: list[str]) -> Json:
    """The ranking of one question, as it is written to a file."""
    return {
        "conversation": conversation_id,
        "question_index": question_index,
        "ranked": ranked,
    }


def write_rankings(path: Path, rows: Iterable[Json]) -> None:
    """Write rankings as JSON, one a line; the folder is made if there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    """The arguments that all recall benchmarks have."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--engine", choices=("in_memory", "postgres"), default="postgres")
    parser.add_argument("--rankings", type=Path, metavar="FOLDER")
    return parser
