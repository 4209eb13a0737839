"""Expired sessions in PostgreSQL, as the archive reads and deletes them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from asyncpg import Record

from recollect.domain.identity.scope import Scope
from recollect.domain.transfer.records import MessageRecord, SessionRecord
from recollect.engines.postgres.connection.database import PostgresStore
from recollect.engines.postgres.rows import read_message_records, read_session_records
from recollect.ports.privacy.archive import ExpiredSession

_PAGE_BYTES: Final = 4_000_000
"""A page ends with the message that passes this."""


class PostgresExpiredRecords(PostgresStore):
    """Finds expired sessions through the workers' own view, and reads each as its owner."""

    async def some(self, *, now: datetime, limit: int) -> tuple[ExpiredSession, ...]:
        rows = await self._database.run_for_all("some_expired", at=now, now=now, limit=limit)
        return tuple(_expired(row, _scope_of(row)) for row in rows)

    async def find(
        self, scope: Scope, session_ids: Sequence[UUID], *, now: datetime
    ) -> tuple[ExpiredSession, ...]:
        rows = await self._database.run(
            "find_expired", owner_id=scope.owner_id, session_ids=session_ids, now=now
        )
        return tuple(_expired(row, scope) for row in rows)

    async def record(self, scope: Scope, session_id: UUID) -> SessionRecord | None:
        rows = await self._database.run(
            "session_to_archive", owner_id=scope.owner_id, session_id=session_id
        )
        records = await read_session_records(rows)
        return records[0] if records else None

    async def messages(
        self, scope: Scope, session_id: UUID, *, after: int, limit: int
    ) -> tuple[MessageRecord, ...]:
        rows = await self._database.run(
            "export_messages",
            owner_id=scope.owner_id,
            session_ids=[session_id],
            after_sequence=after,
            limit=limit,
            most_bytes=_PAGE_BYTES,
        )
        return await read_message_records(rows)

    async def delete(self, sessions: Sequence[ExpiredSession], *, now: datetime) -> int:
        return await self._database.count(
            "delete_archived",
            at=now,
            now=now,
            owner_ids=[one.scope.owner_id for one in sessions],
            session_ids=[one.session_id for one in sessions],
            created=[one.created_at for one in sessions],
            updated=[one.updated_at for one in sessions],
            ends=[one.expires_at for one in sessions],
        )


class PostgresArchiveNotes(PostgresStore):
    """Keeps them in the table `archive_notes`."""

    async def add(
        self, scope: Scope, archive: str, *, now: datetime, claims_owner: bool = False
    ) -> bool:
        async with self._database.transaction(scope.owner_id) as transaction:
            if claims_owner:
                await transaction.rows(
                    "claim_owner", tenant_id=scope.tenant, user_id=scope.user, now=now
                )
            return bool(await transaction.rows("add_archive_note", archive=archive, now=now))

    async def of_owner(self, owner_id: UUID) -> tuple[str, ...]:
        rows = await self._database.run("archive_notes_of_owner", owner_id=owner_id)
        return tuple(row["archive"] for row in rows)

    async def remove(self, owner_id: UUID, archive: str) -> None:
        await self._database.run("remove_archive_note", owner_id=owner_id, archive=archive)

    async def replace(self, archive: str, *, by: str | None) -> int:
        return await self._database.count(
            "replace_archive_notes", at=self._clock.now(), archive=archive, by=by
        )


def _scope_of(row: Record) -> Scope:
    return Scope(tenant=row["tenant_id"], user=row["user_id"], is_stored=True)


def _expired(row: Record, scope: Scope) -> ExpiredSession:
    return ExpiredSession(
        scope=scope,
        session_id=row["session_id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        expires_at=row["expires_at"],
    )
