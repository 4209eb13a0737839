"""Which models have vectors in a Chroma, kept there in a collection of its own.

Chroma finds collections by their whole name, or lists all there are. Whoever knows every model
can name all collections of an owner, and need not list those of everybody.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from chromadb.api import ClientAPI
from chromadb.api.models.Collection import Collection
from chromadb.errors import NotFoundError

_COMPLETE: Final = "complete"
# Chroma keeps nothing without a vector.
_MEANS_NOTHING: Final[Sequence[float] | Sequence[int]] = [1.0, 1.0]


class KnownModels:
    """The digests of all models that an owner may have a collection of; none is ever forgotten.

    Where they are not kept yet, or were lost, all collections are listed once. What is kept counts
    only with a mark that is written last, so that nobody goes by half of it.
    """

    def __init__(self, name: str, *, listed: Callable[[], Iterable[str]]) -> None:
        """`listed` reads the digests from the names of all collections."""
        self._name = name
        self._listed = listed

    def all(self, client: ClientAPI) -> frozenset[str]:
        """All that are known."""
        try:
            kept = set(self._kept(client).get(include=[])["ids"])
        except NotFoundError:
            kept = set()
        if _COMPLETE not in kept:
            kept = self._write_all(client)
        return frozenset(kept - {_COMPLETE})

    def add(self, client: ClientAPI, digest: str) -> None:
        """Make a model known, before a collection is made of it."""
        if digest not in self.all(client):
            _write(self._kept(client), [digest])

    def _kept(self, client: ClientAPI) -> Collection:
        return client.get_collection(self._name, embedding_function=None)

    def _write_all(self, client: ClientAPI) -> set[str]:
        digests = set(self._listed())
        collection = client.get_or_create_collection(self._name, embedding_function=None)
        _write(collection, digests)
        _write(collection, [_COMPLETE])
        return digests


def _write(collection: Collection, ids: Iterable[str]) -> None:
    written = list(ids)
    if written:
        collection.upsert(ids=written, embeddings=[_MEANS_NOTHING] * len(written))
