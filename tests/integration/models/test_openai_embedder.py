import json
import math
from typing import Final

import pytest

from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.models.embedding.openai_embedder import OpenAICompatibleEmbedder
from support.doubles.chat_endpoint import Reply
from support.doubles.embedding_endpoint import EmbeddingDouble, embedding_double
from support.tables import for_each

KEY: Final = "sk-very-secret"


def an_embedder(
    double: EmbeddingDouble, *, dimensions: int | None = None
) -> OpenAICompatibleEmbedder:
    return OpenAICompatibleEmbedder(
        double.url, model="embed-small", api_key=KEY, dimensions=dimensions, first_pause=0.01
    )


async def failure(double: EmbeddingDouble, *, dimensions: int | None = None) -> str:
    async with an_embedder(double, dimensions=dimensions) as embedder:
        with pytest.raises(ModelUnavailable) as caught:
            await embedder.embed(["the salary of Zebedee Quux"])
    assert "embed-small" in str(caught.value)
    assert "Quux" not in str(caught.value)
    assert KEY not in str(caught.value)
    return str(caught.value)


async def test_it_asks_as_openai_s_api_wants_and_gives_vectors_of_length_one() -> None:
    async with embedding_double() as double, an_embedder(double) as embedder:
        assert embedder.dimensions is None
        vectors = await embedder.embed(["abc", ""])
        assert embedder.dimensions == 3
    (request,) = double.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "embed-small",
        "input": ["abc", "."],
        "encoding_format": "float",
    }
    assert vectors[0] == pytest.approx((3 / math.sqrt(10), 1 / math.sqrt(10), 0))


async def test_many_texts_go_in_batches_and_come_back_in_their_order() -> None:
    texts = ["x" * (1 + at % 7) for at in range(150)]
    async with embedding_double() as double, an_embedder(double) as embedder:
        vectors = await embedder.embed(texts)
        assert await embedder.embed([]) == ()
    assert sorted(len(request.body["input"]) for request in double.requests) == [22, 64, 64]
    assert [round(vector[0] / vector[1]) for vector in vectors] == [len(text) for text in texts]


async def test_asked_dimensions_are_part_of_the_name() -> None:
    async with embedding_double() as double, an_embedder(double, dimensions=5) as embedder:
        (vector,) = await embedder.embed(["abc"])
        assert embedder.model == "embed-small:5"
        assert len(vector) == embedder.dimensions == 5
    assert double.requests[0].body["dimensions"] == 5


async def test_a_text_longer_than_models_take_is_cut() -> None:
    async with embedding_double() as double, an_embedder(double) as embedder:
        await embedder.embed(["word " * 100_000])
    assert len(double.requests[0].body["input"][0]) == 6_000


async def test_a_transient_error_is_retried_and_a_lasting_one_raised() -> None:
    async with (
        embedding_double(Reply(status=429), Reply(hangs_up=True), Reply()) as double,
        an_embedder(double) as embedder,
    ):
        assert len(await embedder.embed(["abc"])) == 1
    async with embedding_double(Reply(status=500)) as double:
        assert "status 500" in await failure(double)
    async with embedding_double(Reply(status=401)) as double:
        assert "MEMORY_EMBEDDING_API_KEY" in await failure(double)


@for_each(
    "body",
    [
        b"nothing",
        b"[]",
        b'{"data": 5}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": "0", "embedding": [1, 2]}]}',
        b'{"data": [{"index": 0, "embedding": "AAAA"}]}',
        b'{"data": [{"index": 0, "embedding": [1, null]}]}',
        b'{"data": [{"index": 0, "embedding": [0, 0]}]}',
    ],
)
async def test_a_response_that_has_no_vectors_is_an_error(body: bytes) -> None:
    async with embedding_double(Reply(body=body)) as double:
        assert "no list of vectors" in await failure(double)


async def test_a_response_with_too_few_vectors_is_an_error() -> None:
    async with embedding_double(Reply(body=b'{"data": []}')) as double:
        assert "0 vectors for 1 texts" in await failure(double)


@pytest.mark.parametrize("length", [1, 4001])
async def test_vectors_that_cannot_be_stored_are_refused(length: int) -> None:
    row = {"index": 0, "embedding": [1] * length}
    async with embedding_double(Reply(body=json.dumps({"data": [row]}).encode())) as double:
        assert "MEMORY_EMBEDDING_DIMENSIONS" in await failure(double)


async def test_vectors_of_other_than_the_configured_dimensions_are_an_error() -> None:
    body = b'{"data": [{"index": 0, "embedding": [1, 2, 3]}]}'
    async with embedding_double(Reply(body=body)) as double:
        assert "3 dimensions, where 2 were expected" in await failure(double, dimensions=2)


def test_invalid_embedding_settings_are_refused_by_their_names() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_EMBEDDING_BASE_URL"):
        OpenAICompatibleEmbedder("nowhere", model="embed-small")
    with pytest.raises(ConfigurationError, match="MEMORY_EMBEDDING_API_KEY"):
        OpenAICompatibleEmbedder("http://127.0.0.1/v1", model="embed-small", api_key="a b")
