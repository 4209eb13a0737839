"""mem0's open-source Memory on pgvector, without a language model: nothing is inferred."""

import os
import sys
import tempfile
from collections.abc import Mapping

from protocol import EmbeddingClient, said, serve


class SharedEmbedder:
    """The embedder that all share, as mem0 calls one."""

    def __init__(self, url: str, config: object) -> None:
        self.config = config
        self._client = EmbeddingClient(url)

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """The vector of one text."""
        if memory_action == "search":
            return self._client.embed_query(text)
        return self._client.embed_documents([text])[0]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:  # noqa: ARG002  # mem0's
        """A vector for each text."""
        return self._client.embed_documents(texts)


class Mem0Memory:
    """A memory for each turn, never inferred."""

    def __init__(self, dsn: str, embeddings: str) -> None:
        from mem0 import Memory  # noqa: PLC0415  # reads the environment when it is loaded

        unused = {"api_key": "unused", "openai_base_url": embeddings}
        store = {"connection_string": dsn, "embedding_model_dims": 384, "collection_name": "mem0"}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": store},
                "embedder": {"provider": "openai", "config": {**unused, "embedding_dims": 384}},
                "llm": {"provider": "openai", "config": unused},
                "history_db_path": f"{os.environ['MEM0_DIR']}/history.db",
            }
        )
        shared = SharedEmbedder(embeddings, self._memory.embedding_model.config)
        self._memory.embedding_model = shared

    def add(self, user: str, turn: Mapping[str, str]) -> None:
        """Add a memory as it is."""
        self._memory.add(said(turn), user_id=user, metadata={"turn_id": turn["id"]}, infer=False)

    def settle(self) -> None:
        """Nothing is left to do."""

    def search(self, user: str, query: str, k: int) -> list[str]:
        """The memories that fit best."""
        return [item["metadata"]["turn_id"] for item in self._found(user, query, k)]

    def context(self, user: str, question: str, k: int) -> str:
        """The memories that fit best; it keeps no order of what was said."""
        return "\n".join([*(item["memory"] for item in self._found(user, question, k)), question])

    def _found(self, user: str, query: str, k: int) -> list[dict[str, object]]:
        found = self._memory.search(query, filters={"user_id": user}, top_k=k, threshold=0.0)
        return found["results"]


if __name__ == "__main__":
    os.environ["MEM0_TELEMETRY"] = "False"
    with tempfile.TemporaryDirectory(prefix="mem0-") as folder:
        os.environ["MEM0_DIR"] = folder
        serve(Mem0Memory(*sys.argv[1:3]))
