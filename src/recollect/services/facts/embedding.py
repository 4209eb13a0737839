"""Vectors of facts, and of questions about them; facts are kept without where no model answers."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from recollect.domain.facts.fact import Fact
from recollect.domain.facts.stored import EmbeddedFact
from recollect.domain.vectors import Vector
from recollect.errors import ModelUnavailable
from recollect.ports.models import Embedder

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEmbedding:
    """Embeds facts and questions with one model."""

    embedder: Embedder
    seconds: float
    """The longest that one text waits for its vector."""

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.embedder.model

    async def of_question(self, question: str) -> Vector | None:
        """The vector of a question; None if the model does not answer now."""
        try:
            async with asyncio.timeout(self.seconds):
                return await self.embedder.embed_question(question)
        except (ModelUnavailable, TimeoutError) as error:
            _log(error)
            return None

    async def of_facts(self, facts: Sequence[Fact]) -> Mapping[UUID, EmbeddedFact]:
        """The facts with their vectors by id; none if the model does not answer now."""
        try:
            async with asyncio.timeout(self.seconds * len(facts)):
                vectors = await self.embedder.embed([fact.content for fact in facts])
        except (ModelUnavailable, TimeoutError) as error:
            _log(error)
            return {}
        return {
            fact.fact_id: EmbeddedFact(fact=fact, model=self.model, vector=vector)
            for fact, vector in zip(facts, vectors, strict=True)
        }


def _log(error: Exception) -> None:
    logger.warning("facts.not_embedded", extra={"facts": {"problem": type(error).__name__}})
