"""Embeddings computed in the process, and a cache of those of questions."""

import asyncio
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final, Self, TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

from recollect.domain.pace import Pace
from recollect.domain.vectors import Vector
from recollect.errors import ModelUnavailable
from recollect.models.embedding.onnx_model import OnnxModel, Pooling
from recollect.models.weights import TOKENS, WEIGHTS
from recollect.ports.metrics import CACHE_REQUESTS
from recollect.ports.models import Embedder
from recollect.ports.telemetry import UNMEASURED, Telemetry

BUILT_IN: Final = "recollect-multilingual-4"
_BUILT_IN_DIMENSIONS: Final = 384
_MAX_CACHED_CHARACTERS: Final = 2_000
_NICENESS: Final = 10
"""The priority of the thread that embeds texts for the index, as `nice` counts."""

Result = TypeVar("Result")


class LocalEmbedder:
    """An `Embedder` on threads of its own; the model is loaded when it is first needed.

    Questions have a thread to themselves. Texts to be indexed have another, of low priority: on a
    busy machine they are indexed later, and questions do not wait for them.
    """

    def __init__(
        self,
        load: Callable[[], OnnxModel],
        *,
        name: str,
        dimensions: int,
        pooling: Pooling = Pooling.MEAN,
        pace: Pace | None = None,
    ) -> None:
        self._load = load
        self._name = f"{name}:{dimensions}:{pooling}"
        self._dimensions = dimensions
        self._loaded: OnnxModel | None = None
        self._loading = threading.Lock()
        self._pace = pace or Pace()
        self._questions = ThreadPoolExecutor(max_workers=1, thread_name_prefix="questions")
        self._texts = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="texts", initializer=lower_priority
        )

    @classmethod
    def built_in(cls, *, pace: Pace | None = None) -> Self:
        """The model of five languages that comes with Recollect; see its model card."""

        def load() -> OnnxModel:
            return OnnxModel(
                WEIGHTS,
                pooling=Pooling.MEAN,
                max_tokens=TOKENS,
                graph=WEIGHTS / "embedder.onnx",
                passage_type=1,
            )

        return cls(load, name=BUILT_IN, dimensions=_BUILT_IN_DIMENSIONS, pace=pace)

    @classmethod
    async def of_folder(
        cls, folder: Path, *, pooling: Pooling = Pooling.MEAN, pace: Pace | None = None
    ) -> Self:
        """A model in a folder; `ConfigurationError` if it cannot be used."""
        model, name = await asyncio.to_thread(_load_with_name, folder, pooling)
        return cls(
            lambda: model, name=name, dimensions=model.dimensions, pooling=pooling, pace=pace
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the threads, once their current work is done."""
        for threads in (self._questions, self._texts):
            await asyncio.to_thread(threads.shutdown, cancel_futures=True)

    @property
    def model(self) -> str:
        """The model's name, dimensions and pooling."""
        return self._name

    @property
    def dimensions(self) -> int:
        """How long its vectors are."""
        return self._dimensions

    async def warm(self) -> None:
        """Load the model, so that the first question does not wait for it."""
        await self._run(self._questions, self._ready)

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """A vector for each text, in their order; a long text is cut at the model's limit."""
        vectors = [await self._run(self._texts, self._encode, text) for text in texts]
        return tuple(vectors)

    async def embed_question(self, question: str) -> Vector:
        """The question's vector, without waiting for texts that are being indexed."""
        encode = partial(self._encode_question, question)
        if self._loaded is None:  # loading is no sign of load
            return await self._run(self._questions, encode)
        with self._pace.measured() as encoding:
            return await self._run(self._questions, encoding.do, encode)

    async def _run(
        self, threads: ThreadPoolExecutor, work: Callable[..., Result], *given: object
    ) -> Result:
        try:
            running = threads.submit(work, *given)
        except RuntimeError:
            raise ModelUnavailable(f"the model {self._name} was closed") from None
        return await asyncio.wrap_future(running)

    def _encode(self, text: str) -> Vector:
        return self._ready().encode(text)

    def _encode_question(self, question: str) -> Vector:
        return self._ready().encode(question, is_question=True)

    def _ready(self) -> OnnxModel:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
        return self._loaded


def _load_with_name(folder: Path, pooling: Pooling) -> tuple[OnnxModel, str]:
    model = OnnxModel(folder, pooling=pooling)
    return model, f"{folder.resolve().name}-{model.fingerprint()}"


def lower_priority() -> None:
    """Lower the priority of this thread, where threads have one."""
    if sys.platform != "linux":
        return
    thread = threading.get_native_id()
    with suppress(OSError):  # a higher priority is not to be had without privileges
        niceness = max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread))
        os.setpriority(os.PRIO_PROCESS, thread, niceness)


class CachedEmbedder:
    """An `Embedder` that caches the vectors of the last questions of another."""

    def __init__(
        self, embedder: Embedder, *, size: int = 256, telemetry: Telemetry = UNMEASURED
    ) -> None:
        self._embedder = embedder
        self._telemetry = telemetry
        self._size = size
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()
        """By a hash: a question that is deleted must not stay here."""
        self._locks: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()
        """Of the questions that are being embedded: recall and facts ask for the same at once."""

    @property
    def model(self) -> str:
        """As the embedder's."""
        return self._embedder.model

    @property
    def dimensions(self) -> int | None:
        """As the embedder's."""
        return self._embedder.dimensions

    async def warm(self) -> None:
        """As the embedder does."""
        await self._embedder.warm()

    def forget(self, owner_id: UUID) -> None:  # noqa: ARG002  # it knows no owners
        """Drop all vectors; see `OwnerCache.forget`."""
        self._vectors.clear()

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """As the embedder does."""
        return await self._embedder.embed(texts)

    async def embed_question(self, question: str) -> Vector:
        """The question's vector, from the cache if it was embedded lately."""
        if len(question) > _MAX_CACHED_CHARACTERS:
            return await self._embedder.embed_question(question)
        key = sha256(question.encode(errors="surrogatepass")).digest()
        async with self._locks.setdefault(key, asyncio.Lock()):
            vector = self._vectors.get(key)
            result = "miss" if vector is None else "hit"
            self._telemetry.count(CACHE_REQUESTS, "embeddings", result)
            if vector is None:
                vector = await self._embedder.embed_question(question)
        self._vectors[key] = vector
        self._vectors.move_to_end(key)
        while len(self._vectors) > self._size:
            self._vectors.popitem(last=False)
        return vector
