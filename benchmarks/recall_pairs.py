"""Measure whether a question finds the memory that answers it in other words.

    python benchmarks/recall_pairs.py [--engine in_memory|postgres] [--misses]

Reads `data/recall_pairs.jsonl`: exchanges in five languages, questions that share hardly a word
with the exchange that answers them, and exchanges on the same themes that answer none. All
exchanges of a language belong to one user, each in a session of its own. They are indexed by the
worker's own code, and the questions are asked through `Memory.recall`, in the exchanges' language
and across Dutch and English. The embedder is that of the MEMORY_* settings. `--misses` lists the
questions whose exchange is not first.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias
from uuid import UUID, uuid4

from recollect.adapters import open_adapters
from recollect.composition import build_services
from recollect.engines.in_memory import in_memory_stores
from recollect.memory import Memory
from recollect.settings import load_settings

Json: TypeAlias = dict[str, Any]

DATA: Final = Path(__file__).parent / "data" / "recall_pairs.jsonl"
DEPTH: Final = 5
RESULTS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What a user wrote and what the assistant answered."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A question and the exchange that answers it."""

    pair_id: str
    question: str
    languages: tuple[str, str]
    """Of the question and of the exchange."""
    exchange: Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """At which place a question found its exchange."""

    pair: Pair
    place: int | None
    """From 1; None if it is not among the results."""

    def is_within(self, depth: int) -> bool:
        """Whether the exchange is among the first `depth` results."""
        return self.place is not None and self.place <= depth


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """The exchanges of each language and the questions about them."""

    exchanges: dict[str, tuple[Exchange, ...]]
    pairs: tuple[Pair, ...]

    def pairs_about(self, language: str) -> tuple[Pair, ...]:
        """The questions about the exchanges of a language, in whatever language they are."""
        return tuple(pair for pair in self.pairs if pair.languages[1] == language)


def read_dataset(path: Path) -> Dataset:
    """Read the rows; an exchange that several questions ask about is there once."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    exchanges: dict[str, dict[Exchange, None]] = {}
    for row in rows:
        exchanges.setdefault(row["language"], {})[Exchange(**row["memory"])] = None
    return Dataset(
        exchanges={language: tuple(known) for language, known in exchanges.items()},
        pairs=tuple(_pair(row) for row in rows if "question" in row),
    )


def _pair(row: Json) -> Pair:
    return Pair(
        pair_id=row["id"],
        question=row["question"],
        languages=(row["question_language"], row["language"]),
        exchange=Exchange(**row["memory"]),
    )


@asynccontextmanager
async def open_memory(engine: str) -> AsyncIterator[Memory]:
    """Open an empty memory with the embedder of the settings; its data is deleted at the end."""
    if engine == "in_memory":
        async with open_adapters(load_settings()) as adapters:
            services = build_services(in_memory_stores(), adapters.dependencies)
            yield Memory(services)
            await services.close()
        return
    with tempfile.TemporaryDirectory(prefix="recollect-pairs-") as folder:
        async with Memory.open(home=Path(folder) / "home") as memory:
            yield memory


async def measure(dataset: Dataset, engine: str) -> list[Ranking]:
    """Store the exchanges of each language for a user of its own and ask about them."""
    rankings: list[Ranking] = []
    async with open_memory(engine) as memory:
        for language, exchanges in dataset.exchanges.items():
            user = f"{language}-{uuid4()}"
            stored = await _store(memory, user, exchanges)
            for pair in dataset.pairs_about(language):
                found = await memory.recall(pair.question, user=user, k=RESULTS)
                ranked = [stored[item.message_ids[0]] for item in found.items]
                place = ranked.index(pair.exchange) + 1 if pair.exchange in ranked else None
                rankings.append(Ranking(pair=pair, place=place))
    return rankings


async def _store(memory: Memory, user: str, exchanges: Iterable[Exchange]) -> dict[UUID, Exchange]:
    """Store and index the exchanges; return each by the ids of its messages."""
    stored: dict[UUID, Exchange] = {}
    for exchange in exchanges:
        session = await memory.session(user=user)
        messages = await session.add_exchange(exchange.question, exchange.answer)
        stored |= {message.message_id: exchange for message in messages}
    while await memory.catch_up():
        pass
    return stored


def print_table(rankings: Sequence[Ranking]) -> None:
    """Print the hits by language, questions across languages last."""
    print(f"{'question':<10}{'memory':<8}{'pairs':>6}{'first':>9}{f'in {DEPTH}':>9}")
    groups = {ranking.pair.languages: None for ranking in rankings}
    for languages in sorted(groups, key=lambda pair: pair[0] != pair[1]):
        group = [ranking for ranking in rankings if ranking.pair.languages == languages]
        first, near = (_percentage(group, depth) for depth in (1, DEPTH))
        print(f"{languages[0]:<10}{languages[1]:<8}{len(group):>6}{first:>8.1f}%{near:>8.1f}%")


def _percentage(rankings: Sequence[Ranking], depth: int) -> float:
    return 100 * sum(ranking.is_within(depth) for ranking in rankings) / len(rankings)


def print_misses(rankings: Iterable[Ranking]) -> None:
    """Print each question whose exchange is not first, with its place."""
    print()
    for ranking in rankings:
        if not ranking.is_within(1):
            place = ranking.place or f"> {RESULTS}"
            print(f"{ranking.pair.pair_id:<10}{place!s:>5}  {ranking.pair.question}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=("in_memory", "postgres"), default="postgres")
    parser.add_argument("--misses", action="store_true")
    args = parser.parse_args()
    rankings = asyncio.run(measure(read_dataset(DATA), args.engine))
    print_table(rankings)
    if args.misses:
        print_misses(rankings)


if __name__ == "__main__":
    main()
