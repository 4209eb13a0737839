"""Erasures in PostgreSQL: durable, in short transactions that count what they have erased."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import orjson
from asyncpg import Record

from recollect.domain.erasure.erasure import (
    DATABASE,
    ENCRYPTION,
    Counts,
    Erasure,
    ErasureKind,
    ErasureRequest,
    ErasureState,
)
from recollect.domain.erasure.phrases import phrases_of
from recollect.domain.identity.scope import SYSTEM_TENANT, Scope, TenantScope
from recollect.domain.text import JsonObject
from recollect.engines.postgres.audit import append_entry
from recollect.engines.postgres.connection.database import Database, PostgresStore, Transaction
from recollect.engines.postgres.conversations.messages import name_anew
from recollect.engines.postgres.encryption import MESSAGES, TABLES, EncryptedTable, pages
from recollect.engines.postgres.rows import to_json, worker_scope
from recollect.ports.privacy.erasure import ErasureStores, RecentErasure, TenantProgress
from recollect.ports.recall import EntryKey
from recollect.ports.runtime import Clock

_SYSTEM: Final = TenantScope(tenant=SYSTEM_TENANT).owner_id


def postgres_erasure_stores(
    database: Database, clock: Clock, *, kept_in: str | None
) -> ErasureStores:
    """All that erasures need; `kept_in` names the store that vectors are in."""
    removals = None if kept_in is None else PostgresOwnerRemovals(database, clock, kept_in=kept_in)
    return ErasureStores(
        erasures=PostgresErasureStore(database, clock),
        database=PostgresErasable(database, clock),
        tenants=PostgresTenantErasures(database, clock),
        phrases=PostgresErasedPhrases(database, clock),
        receipt_keys=PostgresReceiptKeys(database, clock),
        removals=removals,
        data_keys=PostgresDataKeys(database, clock) if database.keys.is_on else None,
    )


class PostgresErasureStore(PostgresStore):
    """Keeps erasures in the table `erasures`, and the mark of an owner in `owners`.

    A session that is being erased has expired at -infinity: to all readers and writers it is gone.
    """

    async def begin(self, scope: Scope | TenantScope, erasure: Erasure) -> Erasure | None:
        request = erasure.request
        rows = await self._database.write(
            "begin_erasure",
            **_key_of(erasure),
            tenant_id=erasure.tenant,
            user_id=scope.user if isinstance(scope, Scope) else "",
            kind=request.kind,
            session_id=request.session_id,
            before=request.before,
            part_of=erasure.part_of,
            actor=erasure.requested_by,
            transaction_id=erasure.transaction_id,
            now=erasure.requested_at,
        )
        begun = rows[0]["erasure_id"]
        return None if begun is None else await self.get(scope.owner_id, begun)

    async def get(self, owner_id: UUID, erasure_id: UUID) -> Erasure | None:
        rows = await self._database.run("get_erasure", owner_id=owner_id, erasure_id=erasure_id)
        return _erasure_from(rows[0]) if rows else None

    async def due(
        self, *, now: datetime, limit: int, part_of: UUID | None = None, tenant: str | None = None
    ) -> tuple[Erasure, ...]:
        rows = await self._database.run_for_all(
            "due_erasures", at=now, now=now, limit=limit, part_of=part_of, tenant_id=tenant
        )
        return tuple(map(_erasure_from, rows))

    async def count(self, erasure: Erasure, place: str, counts: Counts) -> None:
        for kind, number in counts.items():
            await self._database.write(
                "count_erased", **_key_of(erasure), place=place, kind=kind, number=number
            )

    async def postpone(self, erasure: Erasure, *, until: datetime, waits_for: str | None) -> None:
        await self._database.run(
            "postpone_erasure", **_key_of(erasure), until=until, waits_for=waits_for
        )

    async def finish(self, erasure: Erasure, receipt: JsonObject, *, now: datetime) -> bool:
        key, kind = {"erasure_id": erasure.erasure_id}, erasure.request.kind
        async with self._database.transaction(erasure.owner_id) as transaction:
            if not await transaction.rows("hold_erasure", **key):
                return True
            if any((await _rows_left(transaction, erasure)).values()):
                return False
            if kind in {ErasureKind.EVERYTHING, ErasureKind.TENANT}:
                await transaction.rows("delete_owner")
            await append_entry(transaction, erasure.audit_entry(at=now))
            await transaction.rows("finish_erasure", **key, receipt=to_json(receipt), now=now)
        return True

    async def forget_store(self, kept_in: str) -> int:
        return await self._database.count("forget_store", at=self._clock.now(), store=kept_in)

    async def lately(self, *, since: datetime) -> tuple[RecentErasure, ...]:
        rows = await self._database.run_for_all(
            "recent_erasures", at=self._clock.now(), since=since
        )
        return tuple(RecentErasure(*row) for row in rows)


class PostgresErasable(PostgresStore):
    """All tables with rows of owners, which it finds in the catalogue of the database."""

    @property
    def name(self) -> str:
        return DATABASE

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:
        request = erasure.request
        match request.kind:
            case ErasureKind.TENANT:
                return False
            case ErasureKind.BEFORE:
                return await self._erase_before(erasure, limit=limit)
            case _:
                (row,) = await self._database.write(
                    "erase_rows", **_key_of(erasure), session_id=request.session_id, limit=limit
                )
                return bool(row["has_more"])

    async def remaining(self, erasure: Erasure) -> Counts:
        if erasure.request.kind is ErasureKind.TENANT:
            return {}
        async with self._database.transaction(erasure.owner_id) as transaction:
            return await _rows_left(transaction, erasure)

    async def _erase_before(self, erasure: Erasure, *, limit: int) -> bool:
        async with self._database.transaction(erasure.owner_id) as transaction:
            changed = await transaction.value(
                "erase_before",
                erasure_id=erasure.erasure_id,
                before=erasure.request.before,
                limit=limit,
            )
            if changed:
                await name_anew(transaction, changed)
        return bool(changed)


class PostgresTenantErasures(PostgresStore):
    """Finds the users of a tenant as a worker does, who sees names, and no memory."""

    async def users(self, erasure: Erasure, *, after: UUID | None, limit: int) -> tuple[Scope, ...]:
        rows = await self._database.run_for_all(
            "users_of_tenant",
            at=self._clock.now(),
            tenant_owner_id=erasure.owner_id,
            erasure_id=erasure.erasure_id,
            requested_at=erasure.requested_at,
            after=after,
            limit=limit,
        )
        return tuple(worker_scope(row["tenant_id"], row["user_id"]) for row in rows)

    async def progress(self, erasure: Erasure) -> TenantProgress:
        now, key = self._clock.now(), {"erasure_id": erasure.erasure_id}
        (state,) = await self._database.run_for_all("state_of_parts", at=now, **key)
        counted = await self._database.run_for_all("counts_of_parts", at=now, **key)
        left = await self._database.count(
            "users_left",
            at=now,
            **key,
            tenant_owner_id=erasure.owner_id,
            requested_at=erasure.requested_at,
        )
        counts: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for place, kind, number in counted:
            counts[place][kind] = number
        return TenantProgress(**state, counts=dict(counts), left=left)


class PostgresErasedPhrases(PostgresStore):
    """Reads texts of one owner, in transactions of their own."""

    async def sample(self, erasure: Erasure, *, limit: int) -> tuple[str, ...]:
        if erasure.request.kind is ErasureKind.TENANT:
            return ()
        rows = await self._database.run(
            "sample_messages",
            owner_id=erasure.owner_id,
            **_range_of(erasure),
            limit=limit * 4,  # some are too short, or said again
        )
        phrases = phrases_of(row["content"] for row in rows)[:limit]
        return tuple(await self._only_erased(erasure, phrases))

    async def found(self, erasure: Erasure, phrases: Sequence[str]) -> int:
        gone = await self._only_erased(erasure, phrases)
        if not gone:
            return 0
        # Once everything is erased so is the key: what were left could not be decrypted.
        if self._database.keys.is_on and erasure.request.kind is not ErasureKind.EVERYTHING:
            return len(await self._in_decrypted(erasure, gone, TABLES))
        rows = await self._database.run("phrases_left", owner_id=erasure.owner_id, phrases=gone)
        return int(rows[0][0])

    async def _only_erased(self, erasure: Erasure, phrases: Sequence[str]) -> list[str]:
        """The phrases that no message has which stays."""
        if not phrases or erasure.request.kind is ErasureKind.EVERYTHING:
            return [*phrases]
        if self._database.keys.is_on:
            staying = await self._in_decrypted(erasure, phrases, [MESSAGES], stays=True)
            return [phrase for phrase in phrases if phrase not in staying]
        rows = await self._database.run(
            "phrases_that_stay",
            owner_id=erasure.owner_id,
            **_range_of(erasure),
            phrases=[*phrases],
        )
        staying = {row["phrase"] for row in rows}
        return [phrase for phrase in phrases if phrase not in staying]

    async def _in_decrypted(
        self,
        erasure: Erasure,
        phrases: Sequence[str],
        tables: Iterable[EncryptedTable],
        *,
        stays: bool = False,
    ) -> set[str]:
        """The phrases that rows have; with `stays` only rows that are not to be erased.

        SQL cannot look into encrypted texts: they are read page by page.
        """
        found: set[str] = set()
        for table in tables:
            async for rows in pages(self._database, erasure.owner_id, table):
                texts = [
                    text
                    for row in rows
                    if not stays or _stays(erasure, row)
                    for text in table.contents(row)
                ]
                found |= {one for one in phrases if any(one in text for text in texts)}
                if len(found) == len(phrases):
                    return found
        return found


class PostgresDataKeys(PostgresStore):
    """Destroys an owner's data key, which makes copies of what it encrypted unreadable."""

    @property
    def name(self) -> str:
        return ENCRYPTION

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:  # noqa: ARG002  # one key
        if erasure.request.kind is ErasureKind.EVERYTHING:
            cached_for = timedelta(seconds=2 * self._database.keys.fresh_seconds)
            await self._database.write(
                "destroy_owner_key", **_key_of(erasure), cached_for=cached_for
            )
            self._database.keys.forget(erasure.owner_id)
        return False

    async def remaining(self, erasure: Erasure) -> Counts:
        if erasure.request.kind is not ErasureKind.EVERYTHING:
            return {}
        rows = await self._database.run("count_owner_keys", owner_id=erasure.owner_id)
        return {"data_keys": rows[0][0]}


class PostgresReceiptKeys(PostgresStore):
    """Keeps the key in the table `receipt_keys`, where it belongs to the system tenant."""

    async def key(self, new: bytes, *, now: datetime) -> bytes:
        # Where another has stored one at this moment, the statement sees neither: once more.
        rows: list[Record] = []
        while not rows:
            rows = await self._database.run("receipt_key", owner_id=_SYSTEM, key=new, now=now)
        return bytes(rows[0]["key"])


class PostgresOwnerRemovals(PostgresStore):
    """Reads the removals of one owner in `recall_removals`."""

    def __init__(self, database: Database, clock: Clock, *, kept_in: str) -> None:
        super().__init__(database, clock)
        self._kept_in = kept_in

    @property
    def kept_in(self) -> str:
        return self._kept_in

    async def of_owner(
        self, owner_id: UUID, *, session_id: UUID | None = None, limit: int
    ) -> tuple[tuple[int, EntryKey], ...]:
        rows = await self._database.run(
            "removals_of_owner",
            owner_id=owner_id,
            store=self._kept_in,
            session_id=session_id,
            limit=limit,
        )
        return tuple((number, EntryKey(session_id=one, number=key)) for number, one, key in rows)

    async def last(self, owner_id: UUID) -> int:
        rows = await self._database.run("last_removal", owner_id=owner_id, store=self._kept_in)
        return int(rows[0][0])

    async def forget(self, owner_id: UUID, *, through: int) -> None:
        await self._database.run(
            "forget_removals", owner_id=owner_id, store=self._kept_in, through=through
        )

    async def done(self, owner_id: UUID, numbers: Sequence[int]) -> None:
        await self._database.run("finish_removals", owner_id=owner_id, removal_ids=[*numbers])


async def _rows_left(transaction: Transaction, erasure: Erasure) -> dict[str, int]:
    request = erasure.request
    match request.kind:
        case ErasureKind.TENANT:
            return {}
        case ErasureKind.BEFORE:
            rows = await transaction.rows("rows_left_before", before=request.before)
        case _:
            rows = await transaction.rows("rows_left", session_id=request.session_id)
    return {row["name"]: row["number"] for row in rows}


def _stays(erasure: Erasure, row: Mapping[str, Any]) -> bool:
    """Whether a message is not to be erased: it is of another session, or later."""
    request = erasure.request
    if request.session_id is not None:
        return bool(row["session_id"] != request.session_id)
    return request.before is not None and bool(row["created_at"] >= request.before)


def _key_of(erasure: Erasure) -> dict[str, UUID]:
    return {"owner_id": erasure.owner_id, "erasure_id": erasure.erasure_id}


def _range_of(erasure: Erasure) -> dict[str, Any]:
    return {"session_id": erasure.request.session_id, "before": erasure.request.before}


def _erasure_from(row: Record) -> Erasure:
    request = ErasureRequest(
        kind=ErasureKind(row["kind"]), session_id=row["session_id"], before=row["before"]
    )
    counts: Mapping[str, Counts] = orjson.loads(row["counts"])
    names = ("erasure_id", "owner_id", "requested_by", "transaction_id", "requested_at")
    more = ("expected", "waits_for", "part_of")
    return Erasure(
        tenant=row["tenant_id"],
        **{name: row[name] for name in (*names, *more)},
        request=request,
        state=ErasureState(row["state"]),
        counts=counts,
        receipt=None if row["receipt"] is None else orjson.loads(row["receipt"]),
    )
