"""Vectors in OpenSearch, over HTTP, against a double as strict as the real one."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest
import pytest_asyncio

from conformance.contracts.vectors import VectorStoreContract
from recollect.engines.opensearch import OpenSearchClient, OpenSearchVectorStore
from recollect.errors import ConfigurationError, InvalidInput, VectorStoreUnavailable
from recollect.ports.recall import EntryKey
from support.doubles.opensearch import OpenSearchDouble, running_opensearch
from support.tables import for_each

_KEY = EntryKey(session_id=UUID(int=1), number=1)


@pytest_asyncio.fixture
async def cluster() -> AsyncIterator[OpenSearchDouble]:
    async with running_opensearch() as double:
        yield double


@pytest_asyncio.fixture
async def vectors(cluster: OpenSearchDouble) -> AsyncIterator[OpenSearchVectorStore]:
    client = OpenSearchClient(cluster.url)
    yield OpenSearchVectorStore(client, collection="memory")
    await client.aclose()


class TestOpenSearch(VectorStoreContract):
    pass


async def test_a_second_process_knows_how_long_the_vectors_are(
    cluster: OpenSearchDouble, vectors: OpenSearchVectorStore
) -> None:
    await vectors.put(uuid4(), {_KEY: (1.0, 0.0)}, model="m")
    client = OpenSearchClient(cluster.url)
    other = OpenSearchVectorStore(client, collection="memory")

    with pytest.raises(InvalidInput, match="long"):
        await other.put(uuid4(), {_KEY: (1.0, 0.0, 0.0)}, model="m")

    await client.aclose()


async def test_a_question_of_another_length_is_refused(vectors: OpenSearchVectorStore) -> None:
    owner = uuid4()
    await vectors.put(owner, {_KEY: (1.0, 0.0)}, model="m")

    with pytest.raises(InvalidInput, match="long"):
        await vectors.nearest(owner, (1.0, 0.0, 0.0), model="m", count=1)


async def test_a_deletion_that_did_not_happen_is_noticed(
    cluster: OpenSearchDouble, vectors: OpenSearchVectorStore
) -> None:
    owner = uuid4()
    await vectors.put(owner, {_KEY: (1.0, 0.0)}, model="m")
    cluster.keeps_deleted = True

    with pytest.raises(VectorStoreUnavailable, match="still has"):
        await vectors.remove(owner, [_KEY])


async def test_a_cluster_that_fails_says_so_without_its_page(
    cluster: OpenSearchDouble, vectors: OpenSearchVectorStore
) -> None:
    cluster.fails_with = 502

    with pytest.raises(VectorStoreUnavailable, match="502") as failed:
        await vectors.nearest(uuid4(), (1.0, 0.0), model="m", count=1)

    assert "html" not in str(failed.value)


async def test_an_unreachable_cluster_raises_vector_store_unavailable() -> None:
    client = OpenSearchClient("http://127.0.0.1:9", username="admin", password="secret")
    store = OpenSearchVectorStore(client, collection="memory")

    with pytest.raises(VectorStoreUnavailable, match="cannot be reached"):
        await store.keys(uuid4(), model="m")

    await client.aclose()


@for_each("address", ["", "ftp://host", "just-a-name"])
def test_an_invalid_opensearch_address_is_refused(address: str) -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_VECTOR_STORE_URL"):
        OpenSearchClient(address)


async def test_a_name_that_opensearch_would_refuse_is_refused_at_once() -> None:
    client = OpenSearchClient("http://127.0.0.1:9")
    with pytest.raises(ConfigurationError, match="lower-case"):
        OpenSearchVectorStore(client, collection="Memory")
    await client.aclose()
