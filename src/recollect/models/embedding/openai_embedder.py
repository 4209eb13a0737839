"""Any embedding model behind an OpenAI-compatible endpoint."""

import asyncio
import math
from collections.abc import Sequence
from functools import partial
from typing import Final

import orjson

from recollect.domain.vectors import Vector
from recollect.http_client import AsyncCloseable, json_bytes
from recollect.models.endpoint.calls import ModelCall
from recollect.models.endpoint.endpoint import Endpoint
from recollect.ports.telemetry import UNMEASURED, Telemetry

MAX_DIMENSIONS: Final = 4000
"""As many as the index can hold."""
_MIN_DIMENSIONS: Final = 2
_BATCH: Final = 64
_MAX_RESPONSE_BYTES: Final = 16_000_000  # 64 vectors of 4000 numbers, 20 letters each, thrice
_MAX_CHARACTERS: Final = 6_000  # OpenAI refuses texts of more than 8191 tokens


class OpenAICompatibleEmbedder(AsyncCloseable):
    """An `Embedder` over HTTP; see `Endpoint` for retries. Close it with `aclose`."""

    def __init__(
        self,
        base_url: str,
        *,
        model: str,
        api_key: str | None = None,
        dimensions: int | None = None,
        timeout: float = 60,
        parallel: int = 4,
        first_pause: float = 0.5,
        telemetry: Telemetry = UNMEASURED,
    ) -> None:
        self._endpoint = Endpoint(
            base_url,
            "/embeddings",
            model=model,
            settings="MEMORY_EMBEDDING",
            api_key=api_key,
            first_pause=first_pause,
            max_response_bytes=_MAX_RESPONSE_BYTES,
        )
        self._telemetry = telemetry
        self._requested_dimensions = dimensions
        self._dimensions = dimensions
        self._timeout = timeout
        self._calls = asyncio.Semaphore(parallel)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    @property
    def model(self) -> str:
        """The model's name, with the dimensions if they were requested."""
        requested = self._requested_dimensions
        return self._endpoint.model if requested is None else f"{self._endpoint.model}:{requested}"

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors; None until it has made one, unless it was requested."""
        return self._dimensions

    async def warm(self) -> None:
        """Do nothing: the model runs elsewhere, and a call may cost money."""

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """A vector for each text, in their order; batches are requested in parallel."""
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._embed(batch)) for batch in batches]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return tuple(vector for task in tasks for vector in task.result())

    async def embed_question(self, question: str) -> Vector:
        """The question's vector, requested at once, whatever is being indexed."""
        return (await self._ask([question]))[0]

    async def _embed(self, texts: Sequence[str]) -> list[Vector]:
        async with self._calls:
            return await self._ask(texts)

    async def _ask(self, texts: Sequence[str]) -> list[Vector]:
        read = partial(self._read, count=len(texts))
        with ModelCall("embeddings", self._endpoint.model, self._telemetry):
            return await self._endpoint.ask(self._body(texts), read, within=self._timeout)

    def _body(self, texts: Sequence[str]) -> bytes:
        # Endpoints refuse a blank text; a full stop means as little.
        given = [text[:_MAX_CHARACTERS] if text.strip() else "." for text in texts]
        body: dict[str, object] = {
            "model": self._endpoint.model,
            "input": given,
            "encoding_format": "float",
        }
        if self._requested_dimensions is not None:
            body["dimensions"] = self._requested_dimensions
        return json_bytes(body)

    def _read(self, received: bytes, *, count: int) -> list[Vector]:
        try:
            vectors = _vectors(orjson.loads(received))
        except (ValueError, TypeError, LookupError):
            raise self._endpoint.unusable("sent something that is no list of vectors") from None
        if len(vectors) != count:
            raise self._endpoint.failure(f"sent {len(vectors)} vectors for {count} texts")
        for vector in vectors:
            self._check_length(len(vector))
        return vectors

    def _check_length(self, length: int) -> None:
        if not _MIN_DIMENSIONS <= length <= MAX_DIMENSIONS:
            advice = "; MEMORY_EMBEDDING_DIMENSIONS can ask for fewer"
            raise self._endpoint.failure(
                f"makes vectors of {length} dimensions, of which {_MIN_DIMENSIONS} to "
                f"{MAX_DIMENSIONS} can be stored{advice}"
            )
        if self._dimensions is None:
            self._dimensions = length
        if length != self._dimensions:
            raise self._endpoint.failure(
                f"makes vectors of {length} dimensions, where {self._dimensions} were expected"
            )


def _vectors(embeddings: object) -> list[Vector]:
    match embeddings:
        case {"data": [*rows]}:
            ordered = sorted(rows, key=_index)
            return [_unit(row["embedding"]) for row in ordered]
    raise ValueError


def _index(row: dict[str, object]) -> int:
    match row:
        case {"index": int() as index}:
            return index
    raise ValueError


def _unit(numbers: Sequence[float]) -> Vector:
    length = math.sqrt(math.fsum(number * number for number in numbers))
    if not math.isfinite(length) or length == 0:
        raise ValueError
    return tuple(number / length for number in numbers)
