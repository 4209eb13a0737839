"""Measure what is learnt about users, how it changes, and what of it a question gets.

    python benchmarks/facts.py DATA [--out FOLDER] [--engine in_memory|postgres]

DATA is the folder with `score_user_facts.py`, `user_facts/*.jsonl` and `facts/ikat23.jsonl`. Every
row has a user of its own. Conversations are stored and learnt from by the worker's own code, with
the extractor of the MEMORY_* settings: without any, the small model that comes with Recollect.
Facts to be found are added through the API, and read from the context of the question. `--out`
gets what was stored and found, in the form that the scorer takes.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias
from uuid import uuid4

from recall_pairs import open_memory
from recollect.domain.facts.fact import Fact
from recollect.memory import Memory

Json: TypeAlias = dict[str, Any]

_REPLY: Final = {"role": "assistant", "content": "OK."}
"""Completes a turn whose answer the row does not have."""
_DEPTH: Final = 5
_KINDS: Final = ("extraction", "updates", "retrieval")


def read_rows(path: Path) -> list[Json]:
    """The rows of a file, one a line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


async def extracted(memory: Memory, row: Json) -> Json:
    """What is learnt from a conversation."""
    user = str(uuid4())
    await _talk(memory, user, row["messages"])
    facts = await _active(memory, user)
    return {
        "id": row["id"],
        "facts": [
            {
                "type": fact.type,
                "text": fact.content,
                "evidence": fact.evidence.quote if fact.evidence else "",
            }
            for fact in facts
        ],
    }


async def updated(memory: Memory, row: Json) -> Json:
    """What holds after one statement after the other."""
    user = str(uuid4())
    for message in row["sequence"]:
        await _talk(memory, user, [{"role": "user", "content": message}])
    return {"id": row["id"], "active": [fact.content for fact in await _active(memory, user)]}


async def retrieved(memory: Memory, row: Json) -> Json:
    """Which facts the context of a question has, best first."""
    user = str(uuid4())
    facts = memory.facts(user=user)
    ids = {}
    for fact in row["facts"]:
        kinds = {name: fact[name] for name in ("type", "priority") if name in fact}
        added = await facts.add(fact["text"], **kinds)
        ids[added.fact_id] = fact["id"]
    session = await memory.session(user=user)
    history = [message for message in row["history"] if message["content"].strip()]
    for message in history:
        await session.add(message["role"], message["content"])
    context = await session.context(row["question"])
    given = (one.fact_id for one in (*context.facts, *context.standing_instructions))
    # What the history itself tells may be known, too, and is no fact of the row.
    return {"id": row["id"], "ranked": [ids[fact_id] for fact_id in given if fact_id in ids]}


async def _talk(memory: Memory, user: str, messages: Iterable[Json]) -> None:
    """Store a conversation and learn from it."""
    session = await memory.session(user=user)
    stored = [*messages]
    if stored[-1]["role"] == "user":
        stored.append(_REPLY)
    for message in stored:
        await session.add(message["role"], message["content"])
    while await memory.catch_up():
        pass


async def _active(memory: Memory, user: str) -> list[Fact]:
    page = await memory.facts(user=user).list(limit=100)
    return list(page.items)


def recall_at(results: Iterable[Json], rows: Iterable[Json], depth: int) -> float:
    """The mean share of relevant facts among the first, over rows that have some."""
    ranked = {result["id"]: result["ranked"][:depth] for result in results}
    shares = [
        len(set(ranked[row["id"]]) & set(row["relevant"])) / len(set(row["relevant"]))
        for row in rows
        if row["relevant"]
    ]
    return sum(shares) / len(shares)


def load_scorer(path: Path) -> ModuleType:
    """The scorer, which needs the standard library alone."""
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path} cannot be loaded")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def measure(data: Path, engine: str, out: Path | None) -> None:
    """Measure all kinds of rows and print the scores."""
    scorer = load_scorer(data / "score_user_facts.py")
    work = {"extraction": extracted, "updates": updated, "retrieval": retrieved}
    async with open_memory(engine) as memory:
        for kind in _KINDS:
            rows = read_rows(data / "user_facts" / f"{kind}.jsonl")
            results = [await work[kind](memory, row) for row in rows]
            _write(out, kind, results)
            scores = scorer.score(rows, results)
            scorer.show(kind, scores["overall"])
            for language, part in scores["by_language"].items():
                print(f"  {language}: {_short(part)}")
        rows = [row for row in read_rows(data / "facts" / "ikat23.jsonl") if row["relevant"]]
        results = [await retrieved(memory, row) for row in rows]
        _write(out, "ikat23", results)
        print(f"ikat23: R@{_DEPTH} {100 * recall_at(results, rows, _DEPTH):.1f} of {len(rows)}")


def _short(scores: Json) -> str:
    names = ("precision", "recall", "f1", "fully_right", "recall_at_5", "empty_on_no_relevant")
    return ", ".join(f"{name} {scores[name]}" for name in names if name in scores)


def _write(out: Path | None, kind: str, results: Iterable[Json]) -> None:
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(result, ensure_ascii=False, default=str) for result in results)
        (out / f"{kind}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--engine", choices=("in_memory", "postgres"), default="in_memory")
    args = parser.parse_args()
    asyncio.run(measure(args.data, args.engine, args.out))


if __name__ == "__main__":
    main()
