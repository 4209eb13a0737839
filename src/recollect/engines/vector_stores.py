"""Choosing and opening the vector store."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from recollect.extras import require
from recollect.ports.recall import VectorStore


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorStoreChoice:
    """Which outside vector store is used, and where it is."""

    kind: Literal["chroma", "opensearch"]
    place: str
    """An address; for Chroma also a folder."""
    collection: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)

    @property
    def kept_in(self) -> str:
        """The store's name in the database, which stays when its folder or server moves."""
        return f"{self.kind}/{self.collection}"


@asynccontextmanager
async def open_vectors(choice: VectorStoreChoice | None) -> AsyncIterator[VectorStore | None]:
    """The vector store; None if vectors are in PostgreSQL."""
    if choice is None:
        yield None
    elif choice.kind == "chroma":
        yield await asyncio.to_thread(_open_chroma, choice)
    else:
        # Loaded here: the HTTP client is an extra.
        from recollect.engines.opensearch import OpenSearchVectorStore  # noqa: PLC0415
        from recollect.engines.opensearch.store import OpenSearchClient  # noqa: PLC0415

        async with OpenSearchClient(
            choice.place, username=choice.username, password=choice.password
        ) as client:
            yield OpenSearchVectorStore(client, collection=choice.collection)


def _open_chroma(choice: VectorStoreChoice) -> VectorStore:
    require("chromadb", "MEMORY_VECTOR_STORE=chroma")
    # Not above: it is an extra, and takes a second to load.
    from recollect.engines.chroma import open_chroma  # noqa: PLC0415

    return open_chroma(
        choice.place,
        collection=choice.collection,
        username=choice.username,
        password=choice.password,
    )
