"""A user's memories in one language, ranked as recall ranks them, without a store."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.domain.recall.entry import Candidate, Entry, answer_term
from recollect.domain.recall.entry_maker import SUMMARY_LENGTH
from recollect.domain.recall.query import RecallQuestion, read_question
from recollect.domain.recall.ranking import Bm25Index, Ranked, rank, said_once
from recollect.ports.models import Embedder
from recollect.ports.recall import WordStems
from recollect.services.recall.recall import terms_of

Json: TypeAlias = dict[str, Any]

HERE: Final = Path(__file__).parent
ROWS: Final = HERE.parent / "training" / "embedder"
NOW: Final = datetime(2026, 6, 1, tzinfo=UTC)
CUTS: Final = (1, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """An exchange of the user."""

    question: str
    answer: str = ""
    said_at: datetime = NOW


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Memories with their words and vectors."""

    memories: Sequence[Memory]
    entries: Sequence[Entry]
    language: str
    stems: WordStems
    embedder: Embedder | None
    """None: words alone are compared."""
    vectors: NDArray[np.float32]
    words: Bm25Index[str] = field(default_factory=Bm25Index)

    async def ranked(self, text: str, question: RecallQuestion | None = None) -> list[Ranked]:
        """All memories, the best first, for a question as recall reads it or as it is given."""
        question = question or read_question(text, language=self.language, now=NOW)
        terms = question.terms(lambda t: terms_of(t, self.stems, language=self.language))
        lexical = self.words.scores(terms)
        cosines: Sequence[float | None] = [None] * len(self.entries)
        if self.embedder is not None:
            vector = await self.embedder.embed_question(question.to_embed)
            cosines = (self.vectors @ np.array(vector, np.float32)).tolist()
        candidates = [
            Candidate(entry, (lexical.get(at, 0.0),), (cosines[at],))
            for at, entry in enumerate(self.entries)
        ]
        ranked = rank(candidates, question, now=NOW)
        return said_once(ranked, most=len(ranked), occurrence=question.occurrence)

    async def place(self, text: str, memory: Memory) -> int:
        """The place of a memory for a question, from 1; without a vector or a word, the last."""
        ranked = await self.ranked(text)
        entry = self.entries[self.memories.index(memory)]
        places = [one.candidate for one in ranked]
        at = next(n for n, one in enumerate(places) if one.entry is entry)
        is_found = self.embedder is not None or places[at].words[0] > 0
        return at + 1 if is_found else len(ranked)


async def embed_memories(memories: Sequence[Memory], embedder: Embedder) -> NDArray[np.float32]:
    """The vectors of memories, as recall embeds them."""
    vectors = [await embedder.embed([_entry(0, one).passage]) for one in memories]
    return np.array([vector for (vector,) in vectors], np.float32)


def make_pool(
    memories: Sequence[Memory],
    vectors: NDArray[np.float32],
    *,
    language: str,
    stems: WordStems,
    embedder: Embedder | None,
) -> Pool:
    """Index memories whose vectors are known."""
    pool = Pool(
        memories=memories,
        entries=[_entry(at, one) for at, one in enumerate(memories)],
        language=language,
        stems=stems,
        embedder=embedder,
        vectors=vectors,
    )
    for one in memories:
        asked = Counter(stems.stems(one.question, language=language))
        answered = Counter(stems.stems(one.answer, language=language))
        terms = asked + Counter({answer_term(term): n for term, n in answered.items()})
        pool.words.add(terms, length=asked.total())
    return pool


def _entry(at: int, memory: Memory) -> Entry:
    text = f"Question: {memory.question}"
    if memory.answer:
        text += f" Result summary: {memory.answer[:SUMMARY_LENGTH]}"
    ids = UUID(int=at + 1)
    return Entry(ids, 1, 1, (ids,), text, memory.said_at)


def read_json_lines(name: str) -> list[Json]:
    """The rows of a file in `data`."""
    return [json.loads(line) for line in (HERE / "data" / name).read_text("utf-8").splitlines()]


def held_out_rows(language: str) -> list[tuple[str, Memory]]:
    """Questions and memories of a language that the embedder has not learned from."""
    sys.path.insert(0, str(ROWS))
    from rows import load_rows  # noqa: PLC0415  # a program of the training, not of the package

    return [
        (row.question, Memory(question=row.memory, answer=row.reply or ""))
        for row in load_rows(ROWS / "rows")
        if row.language == row.question_language == language and row.is_held_out
    ]


def unique(memories: Iterable[Memory]) -> list[Memory]:
    """Each memory once."""
    return list(dict.fromkeys(memories))


def shares(places: Sequence[int], cuts: Sequence[int] = CUTS) -> str:
    """The percentages of places within each cut."""
    within = (sum(at <= cut for at in places) / len(places) for cut in cuts)
    return " ".join(f"{100 * share:5.1f}" for share in within)
