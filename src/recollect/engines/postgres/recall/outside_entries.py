"""Entries whose vectors are in an outside store."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from asyncpg import Record

from recollect.domain.recall.entry import Entry
from recollect.engines.postgres.connection.database import Database, PostgresStore, Transaction
from recollect.engines.postgres.recall.index import identity, json_text, model_key
from recollect.ports.recall import EntryKey, Removal
from recollect.ports.runtime import Clock


class PostgresOutsideEntries(PostgresStore):
    """Stores in `recall_entries.kept_in` which store has a copy; `recall_removals` is the outbox.

    Triggers fill the outbox in the transaction that deletes an entry.
    """

    def __init__(self, database: Database, clock: Clock, *, kept_in: str) -> None:
        super().__init__(database, clock)
        self._kept_in = kept_in

    @property
    def kept_in(self) -> str:
        return self._kept_in

    async def claim(self, owner_id: UUID, entries: Sequence[Entry]) -> tuple[EntryKey | None, ...]:
        async with self._database.transaction(owner_id) as transaction:
            sessions = await self._lock(transaction, entries)
            living = [identity(entry) for entry in entries if entry.session_id in sessions]
            rows = await transaction.rows(
                "claim_entries", store=self._kept_in, entries=json_text(living)
            )
        keys = {(row["session_id"], row["sequence"]): _key_of(row) for row in rows}
        return tuple(keys.get((entry.session_id, entry.sequence)) for entry in entries)

    async def place(
        self, owner_id: UUID, keys: Collection[EntryKey], *, model: str, dimensions: int
    ) -> None:
        async with self._database.transaction(owner_id) as transaction:
            sessions = await self._lock(transaction, keys)
            await transaction.rows(
                "place_entries",
                store=self._kept_in,
                model=model,
                model_key=model_key(model, dimensions),
                session_ids=[key.session_id for key in keys],
                numbers=[key.number for key in keys],
                living_sessions=list(sessions),
            )

    async def displace(self, owner_id: UUID, keys: Collection[EntryKey]) -> None:
        async with self._database.transaction(owner_id) as transaction:
            sessions = await self._lock(transaction, keys)
            await transaction.rows(
                "displace_entries",
                store=self._kept_in,
                numbers=[key.number for key in keys],
                session_ids=list(sessions),
            )

    async def keys(self, owner_id: UUID, *, model: str | None = None) -> frozenset[EntryKey]:
        rows = await self._database.run(
            "keys_of_entries", owner_id=owner_id, store=self._kept_in, model=model
        )
        return frozenset(map(_key_of, rows))

    async def owners(self, *, model: str) -> frozenset[UUID]:
        now = self._clock.now()
        rows = await self._database.run_for_all("owners_of_model", at=now, model=model)
        return frozenset(row["owner_id"] for row in rows)

    async def removals(self, *, limit: int) -> tuple[Removal, ...]:
        rows = await self._database.run_for_all(
            "removals_from", at=self._clock.now(), store=self._kept_in, limit=limit
        )
        return tuple(
            Removal(removal_id=row["removal_id"], owner_id=row["owner_id"], key=_key_of(row))
            for row in rows
        )

    async def removed(self, removals: Collection[Removal]) -> None:
        of_owner: defaultdict[UUID, list[int]] = defaultdict(list)
        for removal in removals:
            of_owner[removal.owner_id].append(removal.removal_id)
        for owner_id, ids in of_owner.items():
            await self._database.run("finish_removals", owner_id=owner_id, removal_ids=ids)

    async def count_removals(self) -> int:
        now = self._clock.now()
        return await self._database.count("count_removals", at=now, store=self._kept_in)

    async def _lock(
        self, transaction: Transaction, of: Iterable[Entry | EntryKey]
    ) -> frozenset[UUID]:
        """Lock the living sessions of these, then the owner's entries; return those sessions.

        Everything that locks both takes sessions first, so that no two wait for each other.
        """
        sessions = sorted({one.session_id for one in of})
        now = self._clock.now()
        rows = await transaction.rows("lock_some_sessions", session_ids=sessions, now=now)
        if rows:
            await transaction.rows("lock_recall")
        return frozenset(row["session_id"] for row in rows)


def _key_of(row: Record) -> EntryKey:
    return EntryKey(session_id=row["session_id"], number=row["number"])
