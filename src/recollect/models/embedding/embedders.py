"""Choosing the embedder."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recollect.domain.pace import Pace
from recollect.errors import ConfigurationError
from recollect.models.embedding.local_embedder import (
    BUILT_IN,
    CachedEmbedder,
    LocalEmbedder,
)
from recollect.models.embedding.onnx_model import Pooling
from recollect.ports.models import Embedder
from recollect.ports.telemetry import UNMEASURED, Telemetry

if TYPE_CHECKING:
    from recollect.models.embedding.openai_embedder import OpenAICompatibleEmbedder

NONE: Final = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingChoice:
    """The settings of embeddings."""

    model: str | None = None
    """A folder, the name of an endpoint's model, `none`, or None: the built-in model."""
    is_at_endpoint: bool = False
    """Whether the model is the endpoint's, whatever its name."""
    base_url: str | None = None
    api_key: str | None = None
    dimensions: int | None = None
    pooling: Pooling = Pooling.MEAN
    timeout: float = 60


@asynccontextmanager
async def open_embedder(
    choice: EmbeddingChoice, *, telemetry: Telemetry = UNMEASURED, pace: Pace | None = None
) -> AsyncIterator[Embedder | None]:
    """The chosen embedder, closed at the end; None if there is to be none."""
    name = (choice.model or BUILT_IN).strip()
    if name.lower() == NONE:
        yield None
        return
    async with await _embedder(choice, name, telemetry, pace) as embedder:
        yield CachedEmbedder(embedder, telemetry=telemetry)


async def _embedder(
    choice: EmbeddingChoice, name: str, telemetry: Telemetry, pace: Pace | None
) -> "LocalEmbedder | OpenAICompatibleEmbedder":
    if not choice.is_at_endpoint:
        folder = _folder(name)
        if choice.dimensions is not None and (folder is not None or name == BUILT_IN):
            raise ConfigurationError(
                "MEMORY_EMBEDDING_DIMENSIONS can be asked of an endpoint only; "
                f"the vectors of {name} have the length they have"
            )
        if name == BUILT_IN:
            return LocalEmbedder.built_in(pace=pace)
        if folder is not None:
            return await LocalEmbedder.of_folder(folder, pooling=choice.pooling, pace=pace)
    if choice.base_url is None:
        raise ConfigurationError(
            f"MEMORY_EMBEDDING_MODEL: {name} is no folder; set MEMORY_EMBEDDING_BASE_URL if it "
            f"is an endpoint's model, or use {BUILT_IN} or none"
        )
    # Loaded here: the HTTP client takes 0.15 s that a local model does not need.
    from recollect.models.embedding.openai_embedder import OpenAICompatibleEmbedder  # noqa: PLC0415

    return OpenAICompatibleEmbedder(
        choice.base_url,
        model=name,
        api_key=choice.api_key,
        dimensions=choice.dimensions,
        timeout=choice.timeout,
        telemetry=telemetry,
    )


def _folder(name: str) -> Path | None:
    folder = Path(name).expanduser()
    return folder if folder.is_dir() else None
