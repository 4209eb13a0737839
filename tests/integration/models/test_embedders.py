import asyncio
from pathlib import Path

import pytest

from recollect.adapters import open_adapters
from recollect.domain.vectors import Vector
from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.models.embedding.embedders import EmbeddingChoice, open_embedder
from recollect.models.embedding.local_embedder import CachedEmbedder
from recollect.models.weights import WEIGHTS
from recollect.settings import load_settings
from recollect.testing import WordEmbedder
from support.doubles.embedding_endpoint import embedding_double


async def chosen(**settings: object) -> str | None:
    """The name of the embedder that these settings give."""
    async with open_adapters(load_settings(**settings)) as adapters:
        embedder = adapters.dependencies.embedder
        return None if embedder is None else embedder.model


async def test_without_settings_the_model_that_is_installed_along_embeds() -> None:
    assert await chosen() == "recollect-multilingual-4:384:mean"
    llm = {"llm_base_url": "http://127.0.0.1/v1", "llm_model": "large"}
    assert await chosen(**llm) == "recollect-multilingual-4:384:mean"


async def test_none_switches_embeddings_off() -> None:
    assert await chosen(embedding_model="none") is None


async def test_another_name_is_a_model_of_an_endpoint() -> None:
    url = "http://127.0.0.1/v1"
    assert await chosen(embedding_model="small", llm_base_url=url) == "small"
    given = {"embedding_base_url": url, "embedding_dimensions": 256}
    assert await chosen(embedding_model="all-MiniLM-L6-v2", **given) == "all-MiniLM-L6-v2:256"


async def test_a_name_without_an_endpoint_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_EMBEDDING_BASE_URL"):
        await chosen(embedding_model="small")


async def test_dimensions_cannot_be_asked_of_a_local_model() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_EMBEDDING_DIMENSIONS"):
        await chosen(embedding_model="recollect-multilingual-4", embedding_dimensions=256)


async def test_a_path_as_model_name_loads_the_model_in_that_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "tokenizer.json").symlink_to(WEIGHTS / "tokenizer.json")
    (tmp_path / "mine" / "model.onnx").symlink_to(WEIGHTS / "embedder.onnx")
    name = await chosen(embedding_model=str(tmp_path / "mine"))
    assert name is not None
    assert name.startswith("mine-")


async def test_the_key_of_the_llm_goes_to_its_own_endpoint_only() -> None:
    async with embedding_double() as double:
        settings = {"embedding_model": "small", "llm_api_key": "sk-llm"}
        for urls in ({"llm_base_url": double.url}, {"embedding_base_url": double.url}):
            async with open_adapters(load_settings(**settings, **urls)) as adapters:
                assert adapters.dependencies.embedder is not None
                await adapters.dependencies.embedder.embed(["a"])
    sent = [request.headers.get("authorization") for request in double.requests]
    assert sent == ["Bearer sk-llm", None]


async def test_a_question_asked_again_is_not_embedded_again() -> None:
    words = WordEmbedder()
    embedder = CachedEmbedder(words, size=2)
    first = await embedder.embed_question("one")
    assert await embedder.embed_question("one") == first
    for question in ("two", "one", "three", "one"):
        await embedder.embed_question(question)
    assert words.embedded == ["one", "two", "three"]
    await embedder.embed_question("two")
    assert words.embedded[3:] == ["two"]


async def test_a_question_asked_twice_at_once_is_embedded_once() -> None:
    class SlowEmbedder(WordEmbedder):
        async def embed_question(self, question: str) -> Vector:
            await asyncio.sleep(0)
            return await super().embed_question(question)

    words = SlowEmbedder()
    embedder = CachedEmbedder(words)
    first, second = await asyncio.gather(*(embedder.embed_question("one") for _ in range(2)))
    assert first == second
    assert words.embedded == ["one"]


async def test_vectors_of_indexed_texts_are_not_cached() -> None:
    words = WordEmbedder()
    embedder = CachedEmbedder(words, size=2)
    await embedder.embed(["one"])
    await embedder.embed_question("one")
    assert words.embedded == ["one", "one"]


async def test_a_failure_is_not_remembered() -> None:
    words = WordEmbedder()
    embedder = CachedEmbedder(words)
    words.is_available = False
    with pytest.raises(ModelUnavailable):
        await embedder.embed_question("one")
    words.is_available = True
    assert await embedder.embed_question("one") == (await words.embed(["one"]))[0]


async def test_an_open_embedder_is_closed_behind_its_user() -> None:
    async with open_embedder(EmbeddingChoice()) as embedder:
        assert embedder is not None
    with pytest.raises(ModelUnavailable):
        await embedder.embed(["a"])


async def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is no folder"):
        await chosen(embedding_model=str(tmp_path / "missing"))
