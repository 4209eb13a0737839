"""The recall index in PostgreSQL."""

import random
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Candidate, Entry, IndexedEntry, RecallQuery, Vector
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.recall.rows import (
    candidates_from,
    embedded_json,
    entry_from,
    indexed_json,
    search_parameters,
)
from recollect.engines.postgres.sql import statement
from recollect.ports.recall import IndexSize
from recollect.ports.runtime import Clock

EXACT_UP_TO: Final = 1_000
"""Comparing this many vectors is as fast as choosing first which to compare."""
_OWNERS_AT_LEAST: Final = 100  # to choose from
_CHANCE: Final = random.Random()  # noqa: S311  # keeps workers apart, keeps no secrets
_FIRST: Final = UUID(int=0)


class PostgresRecallIndex:
    """A `RecallIndex` in the tables `recall_…`.

    What changes entries locks their session first, then the owner's row of `recall_owners`.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        kept_in: str | None = None,
        exact_up_to: int = EXACT_UP_TO,
    ) -> None:
        """With `kept_in`, new entries are noted as perhaps copied to the store of that name.

        The vectors of owners with more entries than `exact_up_to` are searched in two stages.
        """
        self._database = database
        self._clock = clock
        self._kept_in = kept_in
        self._exact_up_to = exact_up_to

    async def replace(
        self,
        scope: Scope,
        session_id: UUID,
        turns: Sequence[int],
        entries: Sequence[IndexedEntry],
    ) -> None:
        """Keep these entries of these turns in place of what was kept of the turns before."""
        await self._database.write(
            "replace_entries",
            owner_id=scope.owner_id,
            session_id=session_id,
            turn_numbers=turns,
            entries=indexed_json(entries),
            store=self._kept_in,
            now=self._clock.now(),
        )

    async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
        """The entries with the best scores, those by meaning and those by words among them."""
        parameters = search_parameters(query, now=self._clock.now(), exact_up_to=self._exact_up_to)
        rows = await self._database.read("search_entries", owner_id=scope.owner_id, **parameters)
        return tuple(candidates_from(rows, query.filters))

    async def speakers(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        """The names of those who speak in the owner's entries, each once, in no order."""
        rows = await self._database.read("list_speakers", owner_id=scope.owner_id, limit=limit)
        return tuple(row["speaker"] for row in rows)

    async def size(self, scope: Scope, *, model: str) -> IndexSize:
        """How many entries the owner has, and how many of them that model has embedded."""
        owner = scope.owner_id
        async with self._database.owned_by(owner) as connection:
            row = await connection.fetchrow(
                *statement("count_entries", owner_id=owner, model=model, now=self._clock.now())
            )
        return IndexSize(entries=row["entries"], embedded=row["embedded"])

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Entry], ...]:
        """Some entries of any owner that this model has not embedded.

        Which ones is left to chance, so that several workers seldom embed the same.
        """
        owners = max(limit, _OWNERS_AT_LEAST)
        async with self._database.working(now=self._clock.now()) as connection:
            rows = await connection.fetch(*statement("outdated_owners", model=model, limit=owners))
        outdated: list[tuple[Scope, Entry]] = []
        for row in _CHANCE.sample(rows, len(rows)):
            scope = Scope.stored(tenant=row["tenant_id"], user=row["user_id"], actor="worker")
            entries = await self._outdated_of(scope, model, limit - len(outdated))
            outdated += [(scope, entry) for entry in entries]
            if len(outdated) >= limit:
                break
        return tuple(outdated)

    async def count_outdated(self, *, model: str) -> int:
        """How many entries of all owners this model has not embedded."""
        async with self._database.working(now=self._clock.now()) as connection:
            count: int = await connection.fetchval(*statement("count_outdated", model=model))
        return count

    async def embed(
        self, scope: Scope, vectors: Sequence[tuple[Entry, Vector]], *, model: str
    ) -> None:
        """Give entries that are still there the vectors of this model in place of others."""
        await self._database.write(
            "embed_entries",
            owner_id=scope.owner_id,
            session_ids=sorted({entry.session_id for entry, _ in vectors}),
            model=model,
            entries=embedded_json(vectors, model),
            now=self._clock.now(),
        )

    async def _outdated_of(self, scope: Scope, model: str, limit: int) -> list[Entry]:
        """From a session by chance on; from the first one where nothing comes after that."""
        owner, now = scope.owner_id, self._clock.now()
        parameters = {"owner_id": owner, "model": model, "limit": limit, "now": now}
        for first in (UUID(int=_CHANCE.getrandbits(128)), _FIRST):
            async with self._database.owned_by(owner) as connection:
                rows = await connection.fetch(
                    *statement("outdated_entries", first_session=first, **parameters)
                )
            if rows:
                return [entry_from(row) for row in rows]
        return []
