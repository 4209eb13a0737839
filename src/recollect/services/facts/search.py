"""Finding facts by meaning, and by words where there is no model."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from recollect.concurrency import off_loop
from recollect.domain.conversation.paging import MAX_LIMIT, PageRequest
from recollect.domain.facts.fact import Fact
from recollect.domain.facts.query import FactFilter, FoundFact, by_words
from recollect.domain.identity.scope import Scope
from recollect.ports.facts import FactStore
from recollect.services.facts.embedding import FactEmbedding

_ACTIVE: Final = FactFilter()
_CHARACTERS: Final = 500
"""Comparing the words of a fact takes as long as working on this many characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSearch:
    """Searches an owner's active facts."""

    store: FactStore
    embedding: FactEmbedding | None
    """None: words alone are compared."""

    async def nearest(self, scope: Scope, query: str) -> list[FoundFact]:
        """The facts nearest to a query, nearest first; those without a vector by their words."""
        embedding = self.embedding
        vector = await embedding.of_question(query) if embedding else None
        if embedding is None or vector is None:
            facts = [fact async for page in self.pages(scope) for fact in page]
            return await self._by_words(facts, query)
        near = await self.store.nearest(scope, vector, model=embedding.model, limit=MAX_LIMIT)
        results = [FoundFact(fact=fact, similarity=cosine) for fact, cosine in near if cosine > 0]
        rest = await self._by_words([fact for fact, cosine in near if cosine == 0], query)
        return [*results, *rest]

    async def _by_words(self, facts: list[Fact], query: str) -> list[FoundFact]:
        work = partial(by_words, facts, query)
        found = await off_loop(work, characters=_CHARACTERS * len(facts))
        return [FoundFact(fact=fact, similarity=None) for fact in found]

    async def pages(self, scope: Scope) -> AsyncGenerator[Sequence[Fact], None]:
        """All active facts, newest first, some at a time and without their vectors."""
        cursor: str | None = None
        while True:
            page = PageRequest(limit=MAX_LIMIT, cursor=cursor)
            listed = await self.store.list(scope, page, filters=_ACTIVE)
            yield listed.items
            cursor = listed.next_cursor
            if cursor is None:
                return
