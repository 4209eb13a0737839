"""LangGraph's PostgresStore, with its vectors as it makes them by default."""

import sys
from collections.abc import Mapping

from langchain_core.embeddings import Embeddings
from langgraph.store.postgres import PostgresStore
from protocol import EmbeddingClient, said, serve


class SharedEmbedder(EmbeddingClient, Embeddings):
    """The embedder that all share, as LangGraph takes one."""


class LangGraphStore:
    """A namespace for each user, an item for each turn."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    def add(self, user: str, turn: Mapping[str, str]) -> None:
        """Put an item."""
        self._store.put(("memories", user), turn["id"], {"text": said(turn)})

    def settle(self) -> None:
        """Nothing is left to do."""

    def search(self, user: str, query: str, k: int) -> list[str]:
        """The items that fit best."""
        return [item.key for item in self._store.search(("memories", user), query=query, limit=k)]

    def context(self, user: str, question: str, k: int) -> str:
        """The items that changed last, and those that fit best."""
        last = self._store.search(("memories", user), limit=10)
        nearest = self._store.search(("memories", user), query=question, limit=k)
        return "\n".join([*(item.value["text"] for item in (*nearest, *last)), question])


if __name__ == "__main__":
    dsn, embeddings = sys.argv[1:3]
    index = {"dims": 384, "embed": SharedEmbedder(embeddings), "fields": ["text"]}
    with PostgresStore.from_conn_string(dsn, index=index) as opened:
        opened.setup()
        serve(LangGraphStore(opened))
