"""An embedding model's endpoint: each text's vector tells its length, unless scripted otherwise."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from recollect.testing import WordEmbedder
from support.doubles.chat_endpoint import ChatDouble, Received, Reply, serving


class EmbeddingDouble(ChatDouble):
    """Replies with the vectors `[length of the text, 1, 0, …]`, the last text first."""

    path = "/v1/embeddings"

    def __init__(self, *script: Reply, dimensions: int = 3) -> None:
        super().__init__(*script)
        self._dimensions = dimensions

    @property
    def texts(self) -> int:
        """How many texts it was given so far."""
        return sum(len(request.body["input"]) for request in self.requests)

    def vector(self, text: str, size: int) -> Sequence[float]:
        """What the model makes of a text."""
        return [len(text), 1] + [0] * (size - 2)

    def answer(self, request: Received, reply: Reply) -> bytes:
        """Vectors as OpenAI's API gives them, which promises no order but that of `index`."""
        size = request.body.get("dimensions", self._dimensions)
        rows = [
            {"object": "embedding", "index": at, "embedding": self.vector(text, size)}
            for at, text in enumerate(request.body["input"])
        ]
        return json.dumps(
            {
                "object": "list",
                "data": rows[::-1],
                "model": request.body["model"],
                "usage": {"prompt_tokens": 9, "total_tokens": 9},
            }
        ).encode()


class WordsDouble(EmbeddingDouble):
    """Replies with the vectors that a `WordEmbedder` makes."""

    def vector(self, text: str, size: int) -> Sequence[float]:
        return WordEmbedder(dimensions=size).vector(text)


@asynccontextmanager
async def embedding_double(*script: Reply, dimensions: int = 3) -> AsyncIterator[EmbeddingDouble]:
    """An endpoint that is listening; its `url` is the base URL."""
    async with serving(EmbeddingDouble(*script, dimensions=dimensions)) as double:
        yield double
