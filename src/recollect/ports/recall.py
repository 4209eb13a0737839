"""Where entries for recall are stored and searched."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    Candidate,
    Entry,
    IndexedEntry,
    RecallQuery,
)
from recollect.domain.vectors import Vector


class RecallIndex(Protocol):
    """Finds the entries of one owner among those of all.

    What is deleted from the conversation is deleted here with it: an entry is never found once
    one of its messages, its session or its owner is gone or has expired.
    """

    async def replace(
        self, scope: Scope, session_id: UUID, turns: Sequence[int], entries: Sequence[IndexedEntry]
    ) -> None:
        """Store these entries of these turns in place of what was stored of the turns before.

        An entry whose messages are no longer all there is left out silently. All or nothing.
        """

    async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
        """Return the entries with the best scores, by meaning and by words, in no order.

        In a log, whose entries name their speakers, the entries right before and right after one
        of the best come too, unless the filter leaves them out: a reply need not share a word
        with the question it answers.
        Exact: none of the owner's best is missing because of other owners.
        `VectorStoreUnavailable` if vectors are in a store outside that does not answer; a query
        without a vector never asks it.
        """

    async def speakers(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        """Return the names of the speakers in the owner's entries, each once, in no order."""

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Entry], ...]:
        """Return some entries of any owner that this model has not embedded; for workers.

        Those that cannot be decrypted are left out.
        """

    async def count_outdated(self, *, model: str) -> int:
        """Return how many entries of all owners this model has not embedded; for workers."""

    async def embed(
        self, scope: Scope, vectors: Sequence[tuple[Entry, Vector]], *, model: str
    ) -> None:
        """Give entries that are still there the vectors of this model in place of others."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class EntryKey:
    """What names an entry among those of its owner, for good.

    What is indexed again gets another number: a late removal of the entry before never takes
    away the one that is there now.
    """

    session_id: UUID
    number: int


class VectorStore(Protocol):
    """Stores the vectors of each owner apart; it holds ids and vectors and never text.

    It is fed and emptied by durable work: everything may come twice, and later than in the
    database. Every method raises `VectorStoreUnavailable` when the store does not answer.
    """

    async def put(self, owner_id: UUID, vectors: Mapping[EntryKey, Vector], *, model: str) -> None:
        """Store a model's vectors, each in place of the one of that key; found once this returns.

        `InvalidInput` if a vector is not as long as that model's others.
        """

    async def nearest(
        self,
        owner_id: UUID,
        vector: Vector,
        *,
        model: str,
        count: int,
        session_id: UUID | None = None,
    ) -> dict[EntryKey, float]:
        """Return the nearest of the owner's vectors of that model, with their cosines."""

    async def remove(self, owner_id: UUID, keys: Collection[EntryKey]) -> None:
        """Delete the vectors of these keys, of every model, and check that they are gone."""

    async def erase(self, owner_id: UUID) -> None:
        """Delete everything of the owner, of every model, and check that it is gone."""

    async def keys(self, owner_id: UUID, *, model: str) -> frozenset[EntryKey]:
        """Return what the store has of the owner and that model."""

    async def count(self, owner_id: UUID) -> int:
        """Return how many vectors of the owner there are, of all models."""

    async def owners(self) -> frozenset[UUID]:
        """Return all owners that may have vectors, of any model."""

    async def keep_only(self, model: str) -> None:
        """Delete the vectors of all other models, of all owners."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """An entry that is deleted here, and has still to be deleted from the other store."""

    removal_id: int
    owner_id: UUID
    key: EntryKey


class OutsideEntries(Protocol):
    """Knows which entries the other store may have, has, and is to lose.

    An entry is claimed before its vector is sent away and placed after it has arrived: after a
    crash in between it is embedded again, and what is deleted meanwhile is removed there, too.
    """

    @property
    def kept_in(self) -> str:
        """The name of the other store."""

    async def claim(self, owner_id: UUID, entries: Sequence[Entry]) -> tuple[EntryKey | None, ...]:
        """Record that the store may have these from now on; None for what is not there any more."""

    async def place(
        self, owner_id: UUID, keys: Collection[EntryKey], *, model: str, dimensions: int
    ) -> None:
        """Record that the store has these vectors; those deleted meanwhile are to be removed."""

    async def displace(self, owner_id: UUID, keys: Collection[EntryKey]) -> None:
        """Record that the store has lost these vectors: they count as embedded by no model."""

    async def keys(self, owner_id: UUID, *, model: str | None = None) -> frozenset[EntryKey]:
        """Return what the store may have of an owner, or with a model: what it should have."""

    async def owners(self, *, model: str) -> frozenset[UUID]:
        """Return all owners of whom the store should have vectors of that model; for workers."""

    async def removals(self, *, limit: int) -> tuple[Removal, ...]:
        """Return the oldest removals of all owners that are still to be done; for workers."""

    async def removed(self, removals: Collection[Removal]) -> None:
        """Record that these are gone from the store."""

    async def count_removals(self) -> int:
        """Return how many removals of all owners are still to be done; for workers."""


class WordStems(Protocol):
    """Knows the stems of words, so that 'painted' finds 'painting'."""

    def stems(self, text: str, *, language: str | None = None) -> Sequence[str]:
        """Return the stems of a text's words in their order, without common words.

        The language is guessed from the text where it is not given. Case and accents do not
        matter; numbers and names with digits or dots stay whole. The same text always gives the
        same stems: they are stored.
        """
