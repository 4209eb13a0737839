"""Which store keeps vectors is set, and what is missing for it is said."""

import sys
from pathlib import Path

import pytest

from recollect.adapters import open_vectors
from recollect.engines.opensearch import OpenSearchVectorStore
from recollect.errors import ConfigurationError
from recollect.settings import VectorStoreKind, load_settings
from support.tables import for_each


def test_vectors_are_in_the_database_unless_something_else_is_set() -> None:
    settings = load_settings()
    assert settings.vector_store is VectorStoreKind.PGVECTOR
    assert settings.vector_collection_name == "recollect_memory"


def test_the_folder_of_chroma_is_for_one_process() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_VECTOR_STORE_URL"):
        load_settings(vector_store="chroma", processes=2)
    load_settings(vector_store="chroma", processes=1)
    load_settings(vector_store="chroma", processes=2, vector_store_url="http://127.0.0.1:8000")


def test_opensearch_needs_an_address() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_VECTOR_STORE_URL"):
        load_settings(vector_store="opensearch")


@for_each("name", ["Memory", "a", "no spaces", "-dash", "dot.dot", "x" * 65])
def test_a_collection_has_a_name_that_every_store_takes(name: str) -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_VECTOR_COLLECTION_NAME"):
        load_settings(vector_collection_name=name)


async def test_a_missing_chroma_package_is_an_error_that_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)
    settings = load_settings(vector_store="chroma", home=tmp_path)
    with pytest.raises(ConfigurationError, match=r"pip install 'recollect\[chroma\]'"):
        async with open_vectors(settings):
            pass


async def test_a_password_is_not_shown_and_the_store_is_opened_without_asking_it() -> None:
    settings = load_settings(
        vector_store="opensearch",
        vector_store_url="http://127.0.0.1:9",
        vector_collection_name="tests",
        vector_store_username="admin",
        vector_store_password="hunter2",
    )
    assert "hunter2" not in repr(settings)
    assert settings.outside_store == "opensearch/tests"
    async with open_vectors(settings) as store:
        assert isinstance(store, OpenSearchVectorStore)
    assert load_settings().outside_store is None
    async with open_vectors(load_settings()) as store:
        assert store is None
