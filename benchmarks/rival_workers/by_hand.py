"""pgvector by hand: a table, an index on the user, and the nearest rows."""

import sys
from collections.abc import Mapping

import psycopg
from protocol import EmbeddingClient, said, serve

_TABLE = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE memories (
    id bigserial PRIMARY KEY, user_id text, turn_id text, text text, vector vector(384)
);
CREATE INDEX ON memories (user_id);
"""
_NEAREST = (
    "SELECT turn_id, text FROM memories WHERE user_id = %s ORDER BY vector <=> %s::vector LIMIT %s"
)
_LAST = "SELECT text FROM memories WHERE user_id = %s ORDER BY id DESC LIMIT 10"


class ByHand:
    """What one would write first."""

    def __init__(self, dsn: str, embeddings: str) -> None:
        self._connection = psycopg.connect(dsn, autocommit=True)
        self._connection.execute(_TABLE)
        self._embedder = EmbeddingClient(embeddings)

    def add(self, user: str, turn: Mapping[str, str]) -> None:
        """Store a row with its vector."""
        (vector,) = self._embedder.embed_documents([said(turn)])
        self._connection.execute(
            "INSERT INTO memories (user_id, turn_id, text, vector) VALUES (%s, %s, %s, %s)",
            (user, turn["id"], said(turn), str(vector)),
        )

    def settle(self) -> None:
        """Nothing is left to do."""

    def search(self, user: str, query: str, k: int) -> list[str]:
        """The nearest rows."""
        return [turn_id for turn_id, _ in self._nearest(user, query, k)]

    def context(self, user: str, question: str, k: int) -> str:
        """The last rows and the nearest."""
        last = [text for (text,) in self._connection.execute(_LAST, (user,))]
        nearest = [text for _, text in self._nearest(user, question, k)]
        return "\n".join([*nearest, *reversed(last), question])

    def _nearest(self, user: str, query: str, k: int) -> list[tuple[str, str]]:
        vector = str(self._embedder.embed_query(query))
        return self._connection.execute(_NEAREST, (user, vector, k)).fetchall()


if __name__ == "__main__":
    serve(ByHand(*sys.argv[1:3]))
