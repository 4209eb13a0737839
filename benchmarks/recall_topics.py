"""Measure questions for the first or the last time of something, and for two things at once.

    python benchmarks/recall_topics.py

Reads `data/recall_topics.jsonl`: topics in five languages with what a user said about them on
different days. They lie among the memories of `training/embedder/rows` that the embedder has not
learned from. Asks for the first and the last time of each topic: is the right memory the first
result? And for each two topics: are both among the first three? Each without and with what recall
does about it, in the same run. Needs a checkout with `training`.
"""

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import combinations
from typing import Final

from recall_pool import (
    NOW,
    Memory,
    Pool,
    embed_memories,
    held_out_rows,
    make_pool,
    read_json_lines,
    unique,
)
from recollect.domain.recall.diversity import cover_each, things_in
from recollect.domain.recall.query import read_question
from recollect.domain.recall.ranking import Ranked
from recollect.models.embedding.embedders import EmbeddingChoice, open_embedder
from recollect.models.stems import SnowballStems
from recollect.ports.models import Embedder

FIRST: Final = {
    "en": ("When did I first ask about {}?", "When was the first time we talked about {}?"),
    "nl": ("Wanneer vroeg ik voor het eerst naar {}?", "Wat zei ik de eerste keer over {}?"),
    "de": ("Was habe ich zuerst über {} gefragt?", "Wann ging es zum ersten Mal um {}?"),
    "fr": ("Quand ai-je évoqué {} pour la première fois ?",),
    "es": ("¿Cuándo hablé por primera vez de {}?",),
}
LAST: Final = {
    "en": ("What was the last thing I asked about {}?", "When did we most recently discuss {}?"),
    "nl": ("Wanneer vroeg ik voor het laatst naar {}?", "Wat vroeg ik laatst over {}?"),
    "de": ("Was habe ich zuletzt über {} gefragt?", "Wann ging es das letzte Mal um {}?"),
    "fr": ("Qu'ai-je dit la dernière fois sur {} ?",),
    "es": ("¿Qué dije la última vez sobre {}?",),
}
BOTH: Final = {
    "en": "What did I say about {} and about {}?",
    "nl": "Wat zei ik over {} en over {}?",
    "de": "Was habe ich über {} und über {} gesagt?",
    "fr": "Qu'ai-je dit sur {} et sur {} ?",
    "es": "¿Qué dije sobre {} y sobre {}?",
}
SHOWN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic and what was said about it, oldest first."""

    name: str
    memories: tuple[Memory, ...]


def read_topics(language: str) -> Iterator[Topic]:
    """The topics of a language; their memories were said in any order, weeks apart."""
    chance = random.Random(language)  # noqa: S311  # the same order in each run
    for row in read_json_lines("recall_topics.jsonl"):
        if row["language"] == language:
            texts = chance.sample(row["memories"], len(row["memories"]))
            days = sorted((chance.uniform(5, 200) for _ in texts), reverse=True)
            said = (NOW - timedelta(days=day) for day in days)
            memories = (Memory(question=q, said_at=at) for q, at in zip(texts, said, strict=True))
            yield Topic(name=row["topic"], memories=tuple(memories))


def shown(ranked: Sequence[Ranked], pool: Pool, count: int) -> list[Memory]:
    """The memories of the first results."""
    return [pool.memories[one.candidate.entry.session_id.int - 1] for one in ranked[:count]]


async def occurrences(pool: Pool, topics: Sequence[Topic]) -> list[tuple[bool, bool]]:
    """For each question whether the right memory is first, without and with time order."""
    results: list[tuple[bool, bool]] = []
    for topic in topics:
        for questions, wanted in ((FIRST, topic.memories[0]), (LAST, topic.memories[-1])):
            for form in questions[pool.language]:
                text = form.format(topic.name)
                read = read_question(text, language=pool.language, now=NOW)
                plain = replace(read, text=text, to_embed=text, occurrence=None)
                orders = [await pool.ranked(text, plain), await pool.ranked(text, read)]
                before, now = (shown(order, pool, 1) == [wanted] for order in orders)
                results.append((before, now))
    return results


async def pairs(pool: Pool, topics: Sequence[Topic]) -> list[tuple[bool, bool]]:
    """For each two topics whether both are among the first, without and with `cover_each`."""
    results: list[tuple[bool, bool]] = []
    for one, other in combinations(topics, 2):
        text = BOTH[pool.language].format(one.name, other.name)
        ranked = await pool.ranked(text)
        covered = cover_each(
            ranked,
            things_in(text, pool.language),
            stems=lambda t: pool.stems.stems(t, language=pool.language),
        )
        found = [shown(order, pool, SHOWN) for order in (ranked, covered)]
        before, now = (
            all(set(topic.memories).intersection(memories) for topic in (one, other))
            for memories in found
        )
        results.append((before, now))
    return results


def line(results: Sequence[tuple[bool, bool]]) -> str:
    """How many, and the percentages without and with."""
    before, now = (100 * sum(column) / len(results) for column in zip(*results, strict=True))
    return f"{len(results):>5}{before:>9.1f}{now:>7.1f}"


async def measure(language: str, embedder: Embedder) -> None:
    """Print the line of a language."""
    topics = list(read_topics(language))
    chance = random.Random(1)  # noqa: S311  # the same days in each run
    others = [
        replace(memory, said_at=NOW - timedelta(days=chance.uniform(1, 250)))
        for memory in unique(memory for _, memory in held_out_rows(language))
    ]
    memories = [*(memory for topic in topics for memory in topic.memories), *others]
    vectors = await embed_memories(memories, embedder)
    pool = make_pool(memories, vectors, language=language, stems=SnowballStems(), embedder=embedder)
    first_or_last, both = await occurrences(pool, topics), await pairs(pool, topics)
    print(f"{language:<10}{len(memories):>8}{line(first_or_last)}{line(both)}", flush=True)


async def main() -> None:
    """Measure all languages."""
    print(f"{'':<10}{'':>8}{'first or last':>21}{'two things':>21}")
    print(f"{'':<10}{'memories':>8}" + 2 * f"{'n':>5}{'without':>9}{'with':>7}")
    async with open_embedder(EmbeddingChoice()) as embedder:
        assert embedder is not None  # noqa: S101  # the built-in one
        for language in BOTH:
            await measure(language, embedder)


if __name__ == "__main__":
    asyncio.run(main())
