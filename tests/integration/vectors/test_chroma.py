"""Vectors in a real Chroma, kept in a folder."""

from pathlib import Path
from typing import cast
from uuid import UUID, uuid4

import pytest
import pytest_asyncio
from chromadb import PersistentClient
from chromadb.api import ClientAPI
from chromadb.config import Settings

from conformance.contracts.vectors import VectorStoreContract
from recollect.engines.chroma import ChromaVectorStore, open_chroma
from recollect.errors import ConfigurationError, VectorStoreUnavailable
from recollect.ports.recall import EntryKey
from support.servers.chroma_server import running_chroma

_KEY = EntryKey(session_id=UUID(int=1), number=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("chroma")


class TestChroma(VectorStoreContract):
    @pytest.fixture
    def vectors(self, folder: Path) -> ChromaVectorStore:
        return open_chroma(str(folder), collection=f"tests-{uuid4().hex[:8]}")

    async def test_stored_vectors_are_still_there_after_reopening(self, folder: Path) -> None:
        owner = uuid4()
        first = open_chroma(str(folder), collection="kept")
        await first.put(owner, {_KEY: (1.0, 0.0)}, model="m")

        again = open_chroma(str(folder), collection="kept")

        assert await again.keys(owner, model="m") == {_KEY}


class Unlisted:
    """A Chroma client that cannot list collections."""

    def __init__(self, client: ClientAPI) -> None:
        self._client = client

    def __getattr__(self, name: str) -> object:
        if name == "list_collections":
            raise ValueError
        return getattr(self._client, name)


class TestRemoval:
    """Vectors of several owners and models, to be removed by a store opened anew."""

    @pytest.fixture
    def client(self, folder: Path) -> ClientAPI:
        return PersistentClient(folder, settings=Settings(anonymized_telemetry=False))

    @pytest.fixture
    def name(self) -> str:
        return f"removal-{uuid4().hex[:8]}"

    @pytest_asyncio.fixture
    async def owners(self, client: ClientAPI, name: str) -> tuple[UUID, UUID]:
        """The first has vectors of two models, the second of one."""
        first, second = uuid4(), uuid4()
        store = ChromaVectorStore(lambda: client, collection=name)
        await store.put(first, {_KEY: (1.0, 0.0)}, model="old")
        await store.put(first, {_KEY: (1.0, 0.0, 0.0)}, model="new")
        await store.put(second, {_KEY: (1.0, 0.0)}, model="old")
        return first, second

    async def check(self, store: ChromaVectorStore, owners: tuple[UUID, UUID]) -> None:
        first, second = owners
        await store.remove(first, {_KEY})
        left = [await store.keys(first, model=model) for model in ("old", "new")]
        assert left == [frozenset(), frozenset()]
        assert await store.keys(second, model="old") == {_KEY}

    async def test_it_needs_no_list_of_everybodys_collections(
        self, client: ClientAPI, name: str, owners: tuple[UUID, UUID]
    ) -> None:
        unlisted = cast("ClientAPI", Unlisted(client))
        await self.check(ChromaVectorStore(lambda: unlisted, collection=name), owners)

    async def test_models_that_were_forgotten_are_found_again(
        self, client: ClientAPI, name: str, owners: tuple[UUID, UUID]
    ) -> None:
        client.delete_collection(f"{name}-models")
        await self.check(ChromaVectorStore(lambda: client, collection=name), owners)

    async def test_models_that_were_written_down_by_half_are_found_as_well(
        self, client: ClientAPI, name: str, owners: tuple[UUID, UUID]
    ) -> None:
        known = client.get_collection(f"{name}-models", embedding_function=None)
        known.delete(ids=known.get(include=[])["ids"])
        store = ChromaVectorStore(lambda: client, collection=name)
        await store.put(owners[1], {_KEY: (1.0, 0.0)}, model="old")
        await self.check(store, owners)


async def test_an_unreachable_server_raises_vector_store_unavailable_on_first_use() -> None:
    store = open_chroma("http://127.0.0.1:9", collection="tests", username="u", password="p")

    with pytest.raises(VectorStoreUnavailable):
        await store.keys(uuid4(), model="m")


async def test_a_server_is_used_when_reachable_and_reported_unavailable_when_it_stops(
    tmp_path: Path,
) -> None:
    owner = uuid4()
    with running_chroma(tmp_path) as url:
        store = open_chroma(url, collection="tests")
        await store.put(owner, {_KEY: (1.0, 0.0)}, model="m")
        assert await store.keys(owner, model="m") == {_KEY}

    with pytest.raises(VectorStoreUnavailable):
        await store.keys(owner, model="m")


def test_a_collection_needs_a_name_that_chroma_takes(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_VECTOR_COLLECTION_NAME"):
        open_chroma(str(tmp_path), collection="no spaces please")
