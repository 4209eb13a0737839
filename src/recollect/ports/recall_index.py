"""Where entries are found by words and by meaning."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from recollect.domain.recall.entry import Candidate, Entry, IndexedEntry, RecallQuery, Vector
from recollect.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSize:
    """How far an owner's index has come."""

    entries: int
    embedded: int
    """Entries with a vector of the model that was asked about."""


class RecallIndex(Protocol):
    """Finds the entries of one owner among those of all.

    What is deleted from the conversation is deleted here with it: an entry is never found once
    one of its messages, its session or its owner is gone or has expired.
    """

    async def replace(
        self,
        scope: Scope,
        session_id: UUID,
        turns: Sequence[int],
        entries: Sequence[IndexedEntry],
    ) -> None:
        """Keep these entries of these turns in place of what was kept of the turns before.

        An entry whose messages are no longer all there is left out silently. All or nothing.
        """
        ...

    async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
        """The entries with the best scores, those by meaning and those by words among them.

        In a log, where both name their speakers, what was said right before and right after one
        of the best comes too, unless the filter leaves it out: a reply need not share a word
        with the question it answers.
        Exact: none of the owner's best is missing because of other owners. In no order.
        `VectorStoreUnavailable` if vectors are kept by a store outside that does not answer; a
        query without a vector never asks it.
        """
        ...

    async def speakers(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        """The names of those who speak in the owner's entries, each once, in no order."""
        ...

    async def size(self, scope: Scope, *, model: str) -> IndexSize:
        """How many entries the owner has, and how many of them that model has embedded."""
        ...

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Entry], ...]:
        """Some entries of any owner that this model has not embedded; a worker's question."""
        ...

    async def count_outdated(self, *, model: str) -> int:
        """How many entries of all owners this model has not embedded; a worker's question."""
        ...

    async def embed(
        self, scope: Scope, vectors: Sequence[tuple[Entry, Vector]], *, model: str
    ) -> None:
        """Give entries that are still there the vectors of this model in place of others."""
        ...
