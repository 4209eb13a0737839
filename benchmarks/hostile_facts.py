"""Measure which wrong facts are learnt from conversations that tempt to it, and which are lost.

    python benchmarks/hostile_facts.py [--engine in_memory|postgres] [--mistakes]

Reads `data/hostile_facts.jsonl`: conversations in five languages with denials, quotations, plans,
jokes, plays, letters of others and the like. Each has a user of its own, and is learnt from turn by
turn by the worker's own code, with the extractor of the MEMORY_* settings. `--mistakes` lists the
conversations in which something went wrong.

A row has `messages` of its user, and may have `holds` (sentences that have to stay known), `over`
(sentences that may not be known at the end), `learnt` (words of what has to be known) and `allowed`
(words of what may be). Everything else that is known at the end is wrong. The assistant says "OK."
to each message, or what `replies` has in its place.
"""

import argparse
import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, TypeAlias
from uuid import uuid4

from recall_pairs import open_memory
from recollect.domain.facts.fact import MERGED_BY
from recollect.memory import Memory

Json: TypeAlias = dict[str, Any]

DATA: Final = Path(__file__).parent / "data" / "hostile_facts.jsonl"
_REPLY: Final = "OK."
_KINDS: Final = ("wrong", "ended", "stale", "missed")
"""Facts that are not so, that were ended though they hold, that are over, and that are missing."""


def read_rows(path: Path) -> list[Json]:
    """The rows of a file, one a line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


async def talk(memory: Memory, row: Json) -> tuple[list[str], list[str]]:
    """What is known after the first message of a conversation, and at its end."""
    user = str(uuid4())
    session = await memory.session(user=user)
    known: list[list[str]] = []
    replies = row.get("replies", ())
    for text, reply in zip_longest(row["messages"], replies, fillvalue=_REPLY):
        await session.add("user", text)
        await session.add("assistant", reply)
        while await memory.catch_up():
            pass
        known.append(await _known(memory, user))
    return known[0], known[-1]


async def _known(memory: Memory, user: str) -> list[str]:
    page = await memory.facts(user=user).list(limit=100)
    return [part for fact in page.items for part in fact.content.split(MERGED_BY)]


def mistakes(row: Json, first: Sequence[str], last: Sequence[str]) -> Counter[str]:
    """How many facts of each kind of mistake there are."""
    found: Counter[str] = Counter()
    for sentence in row.get("holds", ()):
        if not _says(last, sentence):
            found["ended" if _says(first, sentence) else "missed"] += 1
    found["missed"] += sum(not _tells(last, words) for words in row.get("learnt", ()))
    expected = (*row.get("learnt", ()), *row.get("allowed", ()))
    for fact in last:
        if any(_begins(fact, sentence) for sentence in row.get("over", ())):
            found["stale"] += 1
        elif not any(_has(fact, words) for words in expected):
            found["wrong"] += not any(_contains(fact, one) for one in row.get("holds", ()))
    return +found


def _says(facts: Iterable[str], sentence: str) -> bool:
    return any(_contains(fact, sentence) for fact in facts)


def _tells(facts: Iterable[str], words: str) -> bool:
    return any(_has(fact, words) for fact in facts)


def _contains(fact: str, sentence: str) -> bool:
    return sentence.lower() in fact.lower()


def _begins(fact: str, sentence: str) -> bool:
    return fact.lower().startswith(sentence.lower())


def _has(fact: str, words: str) -> bool:
    return all(word in fact.lower() for word in words.lower().split())


async def measure(engine: str, *, lists_mistakes: bool) -> Counter[str]:
    """Learn from all conversations, print the mistakes by kind of conversation, and return all."""
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    rows = read_rows(DATA)
    async with open_memory(engine) as memory:
        for row in rows:
            first, last = await talk(memory, row)
            found = mistakes(row, first, last)
            by_kind[row["kind"]].update(found)
            by_kind[row["kind"]]["rows"] += 1
            if found and lists_mistakes:
                print(f"{row['id']}: {_short(found)}\n  {row['messages']}\n  {last}")
    for kind, found in sorted(by_kind.items()):
        print(f"{kind:16} {found['rows']:4} rows: {_short(found)}")
    total = sum(by_kind.values(), Counter())
    print(f"{'all':16} {total['rows']:4} rows: {_short(total)}")
    return total


def _short(found: Counter[str]) -> str:
    return ", ".join(f"{found[kind]} {kind}" for kind in _KINDS if found[kind]) or "no mistake"


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=("in_memory", "postgres"), default="in_memory")
    parser.add_argument("--mistakes", action="store_true")
    args = parser.parse_args()
    asyncio.run(measure(args.engine, lists_mistakes=args.mistakes))


if __name__ == "__main__":
    main()
