"""Vectors in Chroma, in a folder or on a server: a collection for each owner and model."""

import asyncio
import base64
import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

import chromadb
import httpx
from chromadb.api import ClientAPI
from chromadb.api.collection_configuration import CreateCollectionConfiguration
from chromadb.api.models.Collection import Collection as ChromaCollection
from chromadb.config import Settings
from chromadb.errors import ChromaError, InvalidDimensionException, NotFoundError

from recollect.domain.vectors import Vector
from recollect.errors import ConfigurationError, InvalidInput, VectorStoreUnavailable
from recollect.ports.recall import EntryKey

Result = TypeVar("Result")

_PAGE: Final = 1000
_SECONDS: Final = 60.0  # its HTTP client knows no time limit
_OWNER_AND_MODEL: Final = re.compile(r"-([0-9a-f]{32})-([0-9a-f]{12})")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,100}")
_COMPLETE: Final = "complete"
_NO_MEANING: Final[Sequence[float] | Sequence[int]] = [1.0, 1.0]  # Chroma needs a vector
# Wide enough that an owner's true neighbours are found among tens of thousands of vectors.
_CONFIGURATION: Final[CreateCollectionConfiguration] = {
    "hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 200, "max_neighbors": 32}
}


def open_chroma(
    place: str, *, collection: str, username: str | None = None, password: str | None = None
) -> "ChromaVectorStore":
    """The store in a folder, or on a server by its http address.

    A folder is opened at once; a server when it is first needed, and again until it answers.
    """
    if not _NAME.fullmatch(collection):
        raise ConfigurationError(
            "MEMORY_VECTOR_COLLECTION_NAME must be 2 to 101 letters, digits, dots, dashes or "
            "underscores, starting with a letter or digit"
        )
    if urlsplit(place).scheme in {"http", "https"}:
        token = base64.b64encode(f"{username}:{password or ''}".encode()).decode()
        headers = {"Authorization": f"Basic {token}"} if username else {}
        return ChromaVectorStore(lambda: _server(place, headers), collection=collection)
    try:
        Path(place).mkdir(parents=True, exist_ok=True)
        settings = Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(path=place, settings=settings)
    except (ChromaError, ValueError, OSError) as error:
        raise VectorStoreUnavailable(f"Chroma cannot be opened: {type(error).__name__}") from None
    return ChromaVectorStore(lambda: client, collection=collection)


def _server(place: str, headers: dict[str, str]) -> ClientAPI:
    address = urlsplit(place)
    is_secure = address.scheme == "https"
    return chromadb.HttpClient(
        host=address.hostname or "",
        port=address.port or (443 if is_secure else 80),
        ssl=is_secure,
        headers=headers,
        settings=Settings(anonymized_telemetry=False),
    )


class ChromaVectorStore:
    """A `VectorStore` on a Chroma client, which blocks and so is called in threads.

    Each owner and model has a collection: no filter can lose neighbours, vectors of different
    lengths never meet, and erasing an owner drops collections.
    """

    def __init__(self, connect: Callable[[], ClientAPI], *, collection: str) -> None:
        self._connect = connect
        self._prefix = collection

    @cached_property
    def _client(self) -> ClientAPI:
        """Made when it is first needed."""
        return self._connect()

    async def put(self, owner_id: UUID, vectors: Mapping[EntryKey, Vector], *, model: str) -> None:
        if vectors:
            await self._run(lambda: self._put(owner_id, model, dict(vectors)))

    async def nearest(
        self,
        owner_id: UUID,
        vector: Vector,
        *,
        model: str,
        count: int,
        session_id: UUID | None = None,
    ) -> dict[EntryKey, float]:
        name = self._name(owner_id, _digest(model))
        return await self._run(lambda: self._nearest(name, vector, count, session_id))

    async def remove(self, owner_id: UUID, keys: Collection[EntryKey]) -> None:
        ids = [_id_of(key) for key in keys]
        await self._run(lambda: self._remove(owner_id, ids))

    async def erase(self, owner_id: UUID) -> None:
        await self._run(lambda: self._delete(lambda owner, _: owner == owner_id))

    async def keys(self, owner_id: UUID, *, model: str) -> frozenset[EntryKey]:
        name = self._name(owner_id, _digest(model))
        return await self._run(lambda: frozenset(self._keys(name)))

    async def count(self, owner_id: UUID) -> int:
        return await self._run(lambda: self._count(owner_id))

    async def owners(self) -> frozenset[UUID]:
        return await self._run(lambda: frozenset(owner for _, owner, _ in self._collections()))

    async def keep_only(self, model: str) -> None:
        await self._run(lambda: self._delete(lambda _, digest: digest != _digest(model)))

    def _name(self, owner_id: UUID, digest: str) -> str:
        return f"{self._prefix}-{owner_id.hex}-{digest}"

    async def _run(self, work: Callable[[], Result]) -> Result:
        with _translated():
            async with asyncio.timeout(_SECONDS):
                return await asyncio.to_thread(work)

    def _put(self, owner_id: UUID, model: str, vectors: Mapping[EntryKey, Vector]) -> None:
        digest = _digest(model)
        if digest not in self._models():
            models = self._client.get_collection(self._models_name, embedding_function=None)
            _write(models, [digest])
        collection = self._client.get_or_create_collection(
            self._name(owner_id, digest), configuration=_CONFIGURATION, embedding_function=None
        )
        at_once = min(_PAGE, self._client.get_max_batch_size())
        keys = list(vectors)
        for start in range(0, len(keys), at_once):
            part = keys[start : start + at_once]
            collection.upsert(
                ids=[_id_of(key) for key in part],
                embeddings=_embeddings(vectors[key] for key in part),
                metadatas=[{"session_id": str(key.session_id)} for key in part],
            )

    def _nearest(
        self, name: str, vector: Vector, count: int, session_id: UUID | None
    ) -> dict[EntryKey, float]:
        collection = self._find(name)
        if collection is None:
            return {}
        result = collection.query(
            query_embeddings=_embeddings([vector]),
            n_results=count,
            where=None if session_id is None else {"session_id": str(session_id)},
            include=["distances"],
        )
        distances = (result["distances"] or [[]])[0]
        pairs = zip(result["ids"][0], distances, strict=True)
        return {_key_of(text): 1.0 - distance for text, distance in pairs}

    def _remove(self, owner_id: UUID, ids: list[str]) -> None:
        names = (self._name(owner_id, digest) for digest in self._models())
        for collection in filter(None, map(self._find, names)):
            for start in range(0, len(ids), _PAGE):
                part = ids[start : start + _PAGE]
                collection.delete(ids=part)
                if collection.get(ids=part, include=[])["ids"]:
                    raise VectorStoreUnavailable("Chroma still has vectors that it was to delete")

    def _delete(self, is_meant: Callable[[UUID, str], bool]) -> None:
        """Drop the collections of which the owner and the model's digest are meant."""
        for collection, owner, digest in list(self._collections()):
            if is_meant(owner, digest):
                self._client.delete_collection(collection.name)
        if any(is_meant(owner, digest) for _, owner, digest in self._collections()):
            raise VectorStoreUnavailable("Chroma still has a collection that it was to delete")

    def _count(self, owner_id: UUID) -> int:
        names = (self._name(owner_id, digest) for digest in self._models())
        return sum(collection.count() for collection in filter(None, map(self._find, names)))

    def _keys(self, name: str) -> Iterator[EntryKey]:
        collection = self._find(name)
        offset = 0
        while collection is not None:
            ids = collection.get(limit=_PAGE, offset=offset, include=[])["ids"]
            yield from map(_key_of, ids)
            offset += len(ids)
            if len(ids) < _PAGE:
                return

    def _find(self, name: str) -> ChromaCollection | None:
        try:
            return self._client.get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def _collections(self) -> Iterator[tuple[ChromaCollection, UUID, str]]:
        """Recollect's collections, with their owners and models; there may be other collections."""
        offset = 0
        while True:
            page = self._client.list_collections(limit=_PAGE, offset=offset)
            for one in page:
                name = _OWNER_AND_MODEL.fullmatch(one.name, len(self._prefix))
                if name and one.name.startswith(self._prefix):
                    yield one, UUID(name[1]), name[2]
            offset += len(page)
            if len(page) < _PAGE:
                return

    def _models(self) -> set[str]:
        """The digests of all models that have had a collection, in a collection of their own.

        Chroma finds collections by name: with all models known, the collections of an owner need
        not be searched among those of all owners. If the digests were lost, all collections are
        listed once. A mark is written last, so that a list that was written in part is not used.
        """
        known = self._find(self._models_name)
        digests = set(known.get(include=[])["ids"]) if known is not None else set()
        if _COMPLETE not in digests:
            digests = {digest for _, _, digest in self._collections()}
            collection = self._client.get_or_create_collection(
                self._models_name, embedding_function=None
            )
            _write(collection, digests)
            _write(collection, [_COMPLETE])
        return digests - {_COMPLETE}

    @property
    def _models_name(self) -> str:
        return f"{self._prefix}-models"


def _write(collection: ChromaCollection, ids: Iterable[str]) -> None:
    written = list(ids)
    if written:
        collection.upsert(ids=written, embeddings=[_NO_MEANING] * len(written))


def _digest(model: str) -> str:
    return hashlib.sha256(model.encode()).hexdigest()[:12]


def _embeddings(vectors: Iterable[Vector]) -> list[Sequence[float] | Sequence[int]]:
    return [list(vector) for vector in vectors]  # it takes lists, no tuples


def _id_of(key: EntryKey) -> str:
    return f"{key.session_id}:{key.number}"


def _key_of(text: str) -> EntryKey:
    session_id, _, number = text.partition(":")
    return EntryKey(session_id=UUID(session_id), number=int(number))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except InvalidDimensionException:
        raise InvalidInput("vector", "is not as long as the others of its model") from None
    except ChromaError as error:
        if "dimension" in str(error).lower():
            raise InvalidInput("vector", "is not as long as the others of its model") from None
        raise VectorStoreUnavailable(f"Chroma failed: {type(error).__name__}") from None
    except (OSError, ValueError, httpx.HTTPError) as error:
        raise VectorStoreUnavailable(f"Chroma cannot be reached: {type(error).__name__}") from None
