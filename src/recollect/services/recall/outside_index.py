"""The recall index with its vectors in a store outside the database, kept as it should be."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    Candidate,
    Entry,
    IndexedEntry,
    RecallFilter,
    RecallQuery,
)
from recollect.domain.vectors import Vector
from recollect.errors import VectorStoreUnavailable
from recollect.ports.models import Embedder
from recollect.ports.recall import (
    EntryKey,
    OutsideEntries,
    RecallIndex,
    Removal,
    VectorStore,
)
from recollect.ports.runtime import Clock
from recollect.services.background import repeat

_AT_ONCE: Final = 500
logger = logging.getLogger(__name__)
_AT_LEAST: Final = 200
_FOR_EACH: Final = 4  # some of the nearest are deleted, or in the context already
_FILTERED: Final = 2_000  # the store knows no filters: they choose among what it returns
_MOST: Final = 10_000  # the most that OpenSearch returns at once
_PAUSE: Final = timedelta(seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removals:
    """Removes vectors whose entries are gone; work that is interrupted is done again.

    A removal is done when the store was checked and has nothing left. Several may work at once.
    """

    entries: OutsideEntries
    vectors: VectorStore

    async def do_some(self) -> int:
        """Remove some waiting vectors, and return how many; may raise `VectorStoreUnavailable`."""
        waiting = await self.entries.removals(limit=_AT_ONCE)
        by_owner: defaultdict[UUID, list[Removal]] = defaultdict(list)
        for removal in waiting:
            by_owner[removal.owner_id].append(removal)
        for owner_id, removals in by_owner.items():
            await self.vectors.remove(owner_id, {removal.key for removal in removals})
            await self.entries.removed(removals)
        if waiting:
            logger.info("removals.done", extra={"facts": {"vectors": len(waiting)}})
        return len(waiting)

    async def do_all(self, *, progress: Callable[[int], None] = lambda _: None) -> int:
        """Remove all waiting vectors, and return how many; `progress` gets the number so far."""
        return await repeat(self.do_some, progress)

    async def waiting(self) -> int:
        """How many vectors are still to be removed."""
        return await self.entries.count_removals()


@dataclass(slots=True, kw_only=True)
class OutsideIndex:
    """A `RecallIndex`: entries, words and filters in the database, vectors in a store outside.

    In the database a model is named together with the store: another store is like another
    model, and what it lacks is embedded and stored there in the background.
    """

    inner: RecallIndex
    entries: OutsideEntries
    vectors: VectorStore
    clock: Clock
    search_seconds: float = 5.0
    """How long a search waits for the store."""
    _rests_until: datetime | None = None
    """Until then new entries are not sent to a store that failed a moment ago."""

    async def replace(
        self,
        scope: Scope,
        session_id: UUID,
        turns: Sequence[int],
        entries: Sequence[IndexedEntry],
    ) -> None:
        """Keep these entries of these turns in place of what was kept of the turns before.

        If the store does not take their vectors, they are found by their words until it does.
        """
        plain = [replace(one, model=None, vector=None) for one in entries]
        await self.inner.replace(scope, session_id, turns, plain)
        if self._rests_until is not None and self.clock.now() < self._rests_until:
            return
        for model in {one.model for one in entries if one.model is not None}:
            given = [
                (one.entry, one.vector)
                for one in entries
                if one.model == model and one.vector is not None
            ]
            try:
                await self.embed(scope, given, model=model)
            except VectorStoreUnavailable as error:
                self._rests_until = self.clock.now() + _PAUSE
                facts = {"problem": type(error).__name__, "entries": len(given)}
                logger.warning("indexing.not_placed", extra={"facts": facts})

    async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
        """The best by words, and by meaning of what the store returns.

        `VectorStoreUnavailable` if it does not answer in time; words alone never need it.
        """
        if query.vector is None or query.model is None:
            return await self.inner.search(scope, query)
        nearest = await self._nearest(scope, query, query.vector, query.model)
        query = replace(
            query,
            model=self.name_of(query.model),
            nearest={key.number: cosine for key, cosine in nearest.items()},
        )
        return await self.inner.search(scope, query)

    async def speakers(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        """The names of those who speak in the owner's entries."""
        return await self.inner.speakers(scope, limit=limit)

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Entry], ...]:
        """Some entries of any owner of which the store has no vector of this model."""
        return await self.inner.outdated(model=self.name_of(model), limit=limit)

    async def count_outdated(self, *, model: str) -> int:
        """Of how many entries of all owners the store has no vector of this model."""
        return await self.inner.count_outdated(model=self.name_of(model))

    async def embed(
        self, scope: Scope, vectors: Sequence[tuple[Entry, Vector]], *, model: str
    ) -> None:
        """Store the vectors of entries that still exist.

        `VectorStoreUnavailable` if it does not take them; the entries stay outdated then.
        """
        owner = scope.owner_id
        keys = await self.entries.claim(owner, [entry for entry, _ in vectors])
        placed: dict[int, dict[EntryKey, Vector]] = {}
        for key, (_, vector) in zip(keys, vectors, strict=True):
            if key is not None:
                placed.setdefault(len(vector), {})[key] = vector
        for dimensions, part in placed.items():
            # Stores that compare angles refuse vectors of zeros.
            pointing = {key: vector for key, vector in part.items() if any(vector)}
            await self.vectors.put(owner, pointing, model=stored_name(model, dimensions))
            await self.entries.place(
                owner, part.keys(), model=self.name_of(model), dimensions=dimensions
            )

    def name_of(self, model: str) -> str:
        """The name in the database of a model whose vectors are in this store."""
        return f"{model} @ {self.entries.kept_in}"

    async def _nearest(
        self, scope: Scope, query: RecallQuery, vector: Vector, model: str
    ) -> Mapping[EntryKey, float]:
        filters = replace(query.filters, session_id=None, without=frozenset())
        at_least = _AT_LEAST if filters == RecallFilter() else _FILTERED
        count = min(max(at_least, query.count * _FOR_EACH), _MOST)
        try:
            async with asyncio.timeout(self.search_seconds):
                return await self.vectors.nearest(
                    scope.owner_id,
                    vector,
                    model=stored_name(model, len(vector)),
                    count=count,
                    session_id=query.filters.session_id,
                )
        except TimeoutError:
            raise VectorStoreUnavailable(
                f"the store of vectors took more than {self.search_seconds:g} s"
            ) from None


def stored_name(model: str, dimensions: int) -> str:
    """A model's name in a store: an endpoint may have vectors of two lengths under one name."""
    return f"{model}/{dimensions}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """What was not as it should be, and is set right."""

    missing: int = 0
    """Vectors that the store had lost: their entries are to be embedded again."""
    surplus: int = 0
    """Vectors of entries that are gone: they were removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorStoreCheck:
    """Sets right what differs: after a store was restored, lost, or changed by somebody else."""

    index: OutsideIndex
    embedder: Embedder

    async def do_all(
        self, *, progress: Callable[[int, int], None] = lambda _done, _of: None
    ) -> Differences:
        """Compare everybody's vectors; progress hears how many owners are done, of how many."""
        model = self.embedder.model
        stored = stored_name(model, await self._dimensions())
        known = await self.index.entries.owners(model=self.index.name_of(model))
        owners = sorted(known | await self.index.vectors.owners())
        missing = surplus = 0
        for number, owner_id in enumerate(owners, start=1):
            differences = await self._compare(owner_id, self.index.name_of(model), stored)
            missing, surplus = missing + differences.missing, surplus + differences.surplus
            progress(number, len(owners))
        return Differences(missing=missing, surplus=surplus)

    async def forget_other_models(self) -> bool:
        """Delete what other models left in the store; whether nothing needs these any more."""
        model = self.embedder.model
        if await self.index.count_outdated(model=model):
            return False
        await self.index.vectors.keep_only(stored_name(model, await self._dimensions()))
        return True

    async def _compare(self, owner_id: UUID, model: str, stored: str) -> Differences:
        """Nothing has to stand still: what is on its way counts as neither missing nor surplus.

        It is claimed in the database before it comes to the store, and placed afterwards.
        """
        expected = await self.index.entries.keys(owner_id, model=model)
        there = await self.index.vectors.keys(owner_id, model=stored)
        claimed = await self.index.entries.keys(owner_id)
        missing, surplus = expected - there, there - claimed
        if missing:
            await self.index.entries.displace(owner_id, missing)
        if surplus:
            await self.index.vectors.remove(owner_id, surplus)
        return Differences(missing=len(missing), surplus=len(surplus))

    async def _dimensions(self) -> int:
        known = self.embedder.dimensions
        if known is not None:
            return known
        (vector,) = await self.embedder.embed(["how long are your vectors?"])
        return len(vector)
