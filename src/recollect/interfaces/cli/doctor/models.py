"""The models that find what was said, and names of people in it."""

import asyncio
from collections.abc import AsyncIterator
from time import perf_counter
from typing import Final

from recollect.adapters import embedding_choice, rerank_choice
from recollect.domain.privacy.masking import MaskingMode
from recollect.interfaces.cli.doctor.findings import Finding, check, ok, warning
from recollect.models.embedding.embedders import open_embedder
from recollect.models.names import open_name_finder
from recollect.models.reranking.rerankers import open_reranker
from recollect.settings import Settings

_SAMPLES: Final = 5
_SAMPLE_QUESTION: Final = "When did she sign up for the pottery class?"
_SAMPLE_TEXT: Final = (
    "I have finally enrolled in that course for making ceramics, and the first evening is already "
    "next Thursday; they say that beginners take their first bowl home after a month."
)


@check(
    "embedder",
    "check MEMORY_EMBEDDING_MODEL and MEMORY_EMBEDDING_BASE_URL",
    seconds=120,
)
async def check_embedder(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the embedding model embeds."""
    async with open_embedder(embedding_choice(settings)) as embedder:
        if embedder is None:
            yield ok("none: what was said is found by its words alone")
        else:
            vector = await embedder.embed_question("hello")
            yield ok(f"{embedder.model} embeds in {len(vector)} dimensions")


@check("reranker", "check MEMORY_RERANK and MEMORY_RERANK_MODEL", seconds=60)
async def check_reranker(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the cross-encoder reads pairs, and how long it takes."""
    choice = rerank_choice(settings)
    async with open_reranker(choice) as reranker:
        if reranker is None:
            advice = "" if choice.policy.is_off else "for English: pip install 'recollect[rerank]'"
            yield ok("none: results are in the order of words and meaning", advice)
            return
        await reranker.warm()
        began = perf_counter()
        await reranker.scores(_SAMPLE_QUESTION, [_SAMPLE_TEXT] * _SAMPLES)
        cost = 1000 * (perf_counter() - began) / _SAMPLES
        yield ok(f"{reranker.model} reads a question and a text in {cost:.0f} ms")


@check("names", "check MEMORY_MASK_NAMES", seconds=120)
async def check_names(settings: Settings) -> AsyncIterator[Finding]:
    """Whether names of people are found, and how long it takes."""
    async with open_name_finder(settings.mask_names) as finder:
        if finder is None:
            yield ok("none: names of people are not masked")
            return
        await asyncio.to_thread(finder.find, [_SAMPLE_QUESTION])
        began = perf_counter()
        await asyncio.to_thread(finder.find, [_SAMPLE_TEXT])
        cost = 1000 * (perf_counter() - began)
        read = f"{', '.join(settings.mask_names)} ({', '.join(finder.languages)}) read a text"
        if settings.mask_pii is MaskingMode.OFF:
            advice = "MEMORY_MASK_PII is off: only tenants that have set it have names masked"
            yield warning(f"{read} in {cost:.0f} ms", advice)
        else:
            yield ok(f"{read} in {cost:.0f} ms")
