"""Measure what compounds, lemmas and accents add to finding memories by words.

    python benchmarks/recall_words.py

Reads `data/recall_compounds.jsonl`, Dutch and German questions with a part of a compound in the
memory, and the rows of `training/embedder/rows` that the embedder has not learned from, in four
languages. All memories of a language belong to one user. Prints R@1, R@5 and R@10 by words alone
and of the whole ranking, for stems alone, for what recall does now, and for the ways that were not
taken; lemmas only if the package simplemma is installed. Needs a checkout with `training`.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import Stemmer

from recall_pool import (
    Memory,
    embed_memories,
    held_out_rows,
    make_pool,
    read_json_lines,
    shares,
    unique,
)
from recollect.domain.language import common_words, fold, words_of
from recollect.models.embedding.embedders import EmbeddingChoice, open_embedder
from recollect.models.stems import SnowballStems
from recollect.ports.models import Embedder
from recollect.ports.recall import WordStems

NAMES: Final = {"en": "english", "nl": "dutch", "de": "german", "fr": "french", "es": "spanish"}
MEASURED: Final = ("nl", "de", "fr", "es")
WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """Stems of whole words; `changed` is what each word becomes before it is stemmed."""

    changed: Callable[[str, str], str] = lambda word, _: word
    keeps_accents: bool = False

    def stems(self, text: str, *, language: str | None = None) -> Sequence[str]:
        """The stems of a text's words, without common words."""
        language = language or "en"
        common = {fold(word) for word in common_words(language)}
        stem = Stemmer.Stemmer(NAMES[language]).stemWords
        words = WORD.findall(text.lower()) if self.keeps_accents else words_of(text)
        told = [self.changed(word, language) for word in words if fold(word) not in common]
        return [fold(one) for one in stem(told)]


def ways() -> Iterator[tuple[str, WordStems]]:
    """The ways to make terms of words."""
    yield "stems", Plain()
    yield "with compounds (now)", SnowballStems()
    yield "stems of accented words", Plain(keeps_accents=True)
    try:
        from simplemma import lemmatize  # noqa: PLC0415  # not a dependency
    except ImportError:
        return
    yield "stems of lemmas", Plain(changed=lemmatize, keeps_accents=True)


async def measure(language: str, embedder: Embedder) -> None:
    """Print the table of a language."""
    rows = held_out_rows(language)
    compounds = [
        (row["question"], Memory(question=row["memory"]))
        for row in read_json_lines("recall_compounds.jsonl")
        if row["language"] == language
    ]
    memories = unique(memory for _, memory in [*rows, *compounds])
    vectors = await embed_memories(memories, embedder)
    print(f"\n{language}: {len(memories)} memories; R@1, R@5, R@10")
    sets = {"compounds": compounds, "rows": rows}
    for name, stems in ways():
        for label, model in (("words", None), ("whole", embedder)):
            pool = make_pool(memories, vectors, language=language, stems=stems, embedder=model)
            cells = [
                f"{kind} ({len(pairs)}) {shares([await pool.place(*pair) for pair in pairs])}"
                for kind, pairs in sets.items()
                if pairs
            ]
            print(f"{name:<26}{label:<8}{'   '.join(cells)}", flush=True)


async def main() -> None:
    """Measure all languages."""
    async with open_embedder(EmbeddingChoice()) as embedder:
        assert embedder is not None  # noqa: S101  # the built-in one
        for language in MEASURED:
            await measure(language, embedder)


if __name__ == "__main__":
    asyncio.run(main())
