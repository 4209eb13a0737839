"""Embeddings of questions that were asked a moment ago."""

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from recollect.domain.recall.entry import Vector
from recollect.ports.models import Embedder

_MAX_CHARACTERS: Final = 2_000


class RememberingEmbedder:
    """An `Embedder` that keeps the vectors of the last questions of another."""

    def __init__(self, embedder: Embedder, *, size: int = 256) -> None:
        self._embedder = embedder
        self._size = size
        self._kept: OrderedDict[bytes, Vector] = OrderedDict()
        """By a hash: a question that is deleted must not live on here."""

    @property
    def model(self) -> str:
        """As the other's."""
        return self._embedder.model

    @property
    def dimensions(self) -> int | None:
        """As the other's."""
        return self._embedder.dimensions

    async def warm(self) -> None:
        """As the other does."""
        await self._embedder.warm()

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """As the other does."""
        return await self._embedder.embed(texts)

    async def embed_question(self, question: str) -> Vector:
        """As the other does, without asking it twice for the same question."""
        if len(question) > _MAX_CHARACTERS:
            return await self._embedder.embed_question(question)
        key = sha256(question.encode(errors="surrogatepass")).digest()
        vector = self._kept.get(key)
        if vector is None:
            vector = await self._embedder.embed_question(question)
        self._kept[key] = vector
        self._kept.move_to_end(key)
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
        return vector
