"""Owners with many entries who search again: the signs of their vectors at hand in this process."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import UUID

from asyncpg import Record

from recollect.domain.recall.entry import REACH, Candidate, RecallQuery
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.recall.entry_cache import CachedOwner, OwnerLru
from recollect.engines.postgres.recall.query_parameters import (
    key_of_model,
    rescoring_count,
    weights_of,
)
from recollect.engines.postgres.recall.rows import candidates_of, vector_text

if TYPE_CHECKING:
    from recollect.engines.postgres.recall.binary_quantised import BinaryQuantisedVectors
    from recollect.engines.postgres.recall.word_scores import WordScores

MOST_BYTES: Final = 128 * 2**20
"""Of all owners together: about two million entries where vectors have 384 dimensions."""

_CHOSEN_AT_ONCE: Final = 100_000  # takes about three milliseconds
_NOTHING: Final = -1
_NO_LIMIT: Final = 2**31 - 2


class _Chosen(NamedTuple):
    """What is likely to be among the best, by the numbers of entries."""

    words: "WordScores"
    worded: list[int]
    """Those by words, best first."""
    likely: list[int]
    """Those that may be near: by the signs of their vectors, and those by words as well."""


class LargeOwners:
    """Chooses among the entries of owners with many who search a second time within minutes.

    The database is asked at each search what has changed, and which entries say the words; what
    is likely it compares and tells itself. So whoever else writes or deletes, nothing is found
    that is not there.
    """

    def __init__(
        self, database: Database, *, limit: int, at_once: bool, most_bytes: int = MOST_BYTES
    ) -> None:
        """For owners with at least so many entries, as far as their signs find room."""
        self._database = database
        self._limit = limit
        self._at_once = at_once
        self._most_bytes = most_bytes
        self._owners = OwnerLru["BinaryQuantisedVectors"](most=most_bytes)
        self._being_read: set[UUID] = set()

    async def search(
        self, owner_id: UUID, asked: RecallQuery, *, now: datetime
    ) -> tuple[Candidate, ...] | None:
        """The best of all entries; None where the database should search."""
        owner, is_back = self._owners.touch(owner_id, now)
        if not self._most_bytes or not (is_back or self._at_once):
            return None
        known, key = owner.kept, key_of_model(asked)
        if known is not None and known.key_of_model != key:
            known = None
        if known is None and key is not None:
            return await self._search_first(owner, owner_id, asked, now=now)
        return await self._search(owner, known, owner_id, asked, now=now)

    async def _search_first(
        self,
        owner: CachedOwner["BinaryQuantisedVectors"],
        owner_id: UUID,
        asked: RecallQuery,
        *,
        now: datetime,
    ) -> tuple[Candidate, ...] | None:
        """Search with signs that are read first; not while the same are read for another."""
        if owner_id in self._being_read:
            return None
        self._being_read.add(owner_id)
        try:
            return await self._search(owner, None, owner_id, asked, now=now)
        finally:
            self._being_read.discard(owner_id)

    async def _search(
        self,
        owner: CachedOwner["BinaryQuantisedVectors"],
        known: "BinaryQuantisedVectors | None",
        owner_id: UUID,
        asked: RecallQuery,
        *,
        now: datetime,
    ) -> tuple[Candidate, ...] | None:
        rows = await self._words_and_signs(known, owner_id, asked, now=now)
        if not rows or not rows[0]["is_told"]:
            self._owners.forget(owner)
            return None
        signs = await self._brought_up_to_date(owner, known, asked, rows)
        chosen = await _chosen(signs, asked, rows)
        return await self._told(owner_id, chosen, asked)

    async def _words_and_signs(
        self,
        known: "BinaryQuantisedVectors | None",
        owner_id: UUID,
        asked: RecallQuery,
        *,
        now: datetime,
    ) -> list[Record]:
        return await self._database.read(
            "words_and_signs",
            owner_id=owner_id,
            known_changes=_NOTHING if known is None else known.changes,
            last_number=0 if known is None else known.last_number,
            model_key=key_of_model(asked),
            min_entries=self._limit,
            max_entries=self._most_entries(asked),
            terms=list(weights_of(asked)),
            now=now,
            row_limit=_NO_LIMIT,
        )

    def _most_entries(self, asked: RecallQuery) -> int:
        """How many entries an owner may have: the signs of one take at most half of the room."""
        if asked.vector is None:
            return _NO_LIMIT
        from recollect.engines.postgres.recall.binary_quantised import bytes_of  # noqa: PLC0415  # numpy

        return self._most_bytes // (2 * bytes_of(len(asked.vector)))

    async def _brought_up_to_date(
        self,
        owner: CachedOwner["BinaryQuantisedVectors"],
        known: "BinaryQuantisedVectors | None",
        asked: RecallQuery,
        rows: Sequence[Record],
    ) -> "BinaryQuantisedVectors | None":
        """The owner's signs with those that were read; None for a search by words alone."""
        from recollect.engines.postgres.recall.binary_quantised import BinaryQuantisedVectors  # noqa: PLC0415  # numpy

        key, vector, state = key_of_model(asked), asked.vector, rows[0]
        if key is None or vector is None:
            return None
        sent = [(row["numbers"], row["signs"]) for row in rows if row["signs"] is not None]
        signs = known
        if signs is None:  # all of them, which nobody else has yet: others are served meanwhile
            signs = BinaryQuantisedVectors(key, dimensions=len(vector), changes=state["changes"])
            await asyncio.to_thread(signs.add, sent, last=state["last_number"])
        else:
            signs.add(sent, last=state["last_number"])
        if signs.are_newer_than(owner.kept):
            self._owners.keep(owner, signs, size=signs.size)
        return signs

    async def _told(
        self, owner_id: UUID, chosen: _Chosen, asked: RecallQuery
    ) -> tuple[Candidate, ...]:
        if not chosen.likely:
            return ()
        rows = await self._database.read(
            "read_likely_entries",
            owner_id=owner_id,
            worded=chosen.worded,
            likely=chosen.likely,
            vector=None if asked.vector is None else vector_text(asked.vector),
            model_key=key_of_model(asked),
            count=asked.count,
            without=list(asked.filters.without) or None,
            reach=REACH,
            row_limit=_NO_LIMIT,
        )
        return candidates_of(rows, chosen.words.of_entries([row["number"] for row in rows]))


async def _chosen(
    signs: "BinaryQuantisedVectors | None", asked: RecallQuery, rows: Sequence[Record]
) -> _Chosen:
    """Which are likely; where there are very many, others are served meanwhile."""
    if signs is None or len(signs) <= _CHOSEN_AT_ONCE:
        return _choose(signs, asked, rows)
    return await asyncio.to_thread(_choose, signs, asked, rows)


def _choose(
    signs: "BinaryQuantisedVectors | None", asked: RecallQuery, rows: Sequence[Record]
) -> _Chosen:
    import numpy as np  # noqa: PLC0415  # not before somebody searches

    from recollect.engines.postgres.recall.word_scores import WordScores  # noqa: PLC0415  # numpy

    state, said = rows[0], [row for row in rows if row["said"] is not None]
    out = np.array(state["expired"] or (), dtype=np.int64)
    more = len(asked.filters.without)  # that many entries may turn out to be known already
    words = WordScores.of(said, weights_of(asked), entries=state["entries"], length=state["length"])
    worded = words.best(asked.count + more, out)
    likely = worded
    if signs is not None and asked.vector is not None:
        near = signs.nearest(asked.vector, rescoring_count(asked) + more, out)
        likely = np.union1d(worded, near)
    return _Chosen(words, worded.tolist(), likely.tolist())
