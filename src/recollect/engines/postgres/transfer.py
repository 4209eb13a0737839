"""Everything of an owner in PostgreSQL, as exports read it and imports store it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

import orjson
from asyncpg import Record

from recollect.concurrency import AT_ONCE, off_loop
from recollect.domain.conversation.message import NO_DETAILS, characters_to_write
from recollect.domain.conversation.session import session_characters
from recollect.domain.facts.fact import FactRecord
from recollect.domain.identity.accounts import UserState
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.profile.profile import ProfileItem
from recollect.domain.recall.entry import Entry
from recollect.domain.transfer.document import Outcome
from recollect.domain.transfer.merging import (
    SortedMessages,
    TakenPlace,
    sort_messages,
    sort_profile,
)
from recollect.domain.transfer.records import (
    MessagePlace,
    MessageRecord,
    SessionRecord,
    TurnRecord,
    place_of,
)
from recollect.domain.transfer.writing import session as session_json
from recollect.engines.postgres.audit import audit_entry_from
from recollect.engines.postgres.connection.database import PostgresStore, Transaction
from recollect.engines.postgres.facts.rows import records_as_json
from recollect.engines.postgres.rows import (
    owner_scope,
    read_message_records,
    read_session_records,
    to_json,
)
from recollect.ports.privacy.transfer import NumberedAuditEntry, OwnerPlace

_PAGE_BYTES: Final = 4_000_000
"""A page ends with the item that passes this."""
_ENTRY: Final = ("session_id", "turn_number", "sequence", "text", "said_at", "speaker")


class PostgresOwners(PostgresStore):
    """Lists owners as a worker does, who sees names, and no memory."""

    async def owners(
        self, *, after: OwnerPlace | None, limit: int, tenant: str | None = None
    ) -> tuple[Scope | TenantScope, ...]:
        rows = await self._database.run_for_all(
            "list_owners",
            at=self._clock.now(),
            tenant=tenant,
            after_tenant=None if after is None else after.tenant,
            after_owner=None if after is None else after.owner_id,
            limit=limit,
        )
        return tuple(owner_scope(row["tenant_id"], row["user_id"]) for row in rows)


class PostgresExportStore(PostgresStore):
    """Reads the tables of an owner through their keys, each page in a transaction of its own."""

    async def sessions(self, scope: Scope, *, start: UUID, limit: int) -> tuple[SessionRecord, ...]:
        rows = await self._page("export_sessions", scope, limit, start=start, now=self._clock.now())
        return await read_session_records(rows)

    async def messages(
        self, scope: Scope, session_ids: Sequence[UUID], *, after: int, limit: int
    ) -> tuple[MessageRecord, ...]:
        rows = await self._database.read(
            "export_messages",
            owner_id=scope.owner_id,
            session_ids=session_ids,
            after_sequence=after,
            limit=limit,
            most_bytes=_PAGE_BYTES,
        )
        return await read_message_records(rows)

    async def recall_entries(
        self, scope: Scope, *, after: MessagePlace, limit: int
    ) -> tuple[Entry, ...]:
        rows = await self._page(
            "export_entries",
            scope,
            limit,
            after_session=after.session_id,
            after_sequence=after.sequence,
            now=self._clock.now(),
        )
        return tuple(map(_entry_from, rows))

    async def audit(
        self, scope: Scope, *, after: int, limit: int
    ) -> tuple[NumberedAuditEntry, ...]:
        rows = await self._database.run(
            "export_audit", owner_id=scope.owner_id, after=after, limit=limit
        )
        return tuple(map(_audit_from, rows))

    async def _page(
        self, name: str, scope: Scope, limit: int, **parameters: object
    ) -> list[Record]:
        return await self._database.run(
            name, owner_id=scope.owner_id, limit=limit, most_bytes=_PAGE_BYTES, **parameters
        )


def _entry_from(row: Record) -> Entry:
    columns = {name: row[name] for name in _ENTRY}
    return Entry(**columns, message_ids=tuple(row["message_ids"]), tables=tuple(row["tables"]))


def _audit_from(row: Record) -> NumberedAuditEntry:
    return NumberedAuditEntry(row["number"], audit_entry_from(row))


class PostgresImportStore(PostgresStore):
    """Stores what an import brings, each call in one transaction."""

    async def add_profile(
        self, scope: Scope, items: Sequence[ProfileItem], texts: Mapping[str, str]
    ) -> Outcome:
        sizes = {key: len(text.encode()) for key, text in texts.items()}
        async with self._database.transaction(scope.owner_id) as transaction:
            last_version = await transaction.value("hold_profile", **self._owner(scope))
            known = dict(await transaction.rows("profile_sizes"))
            new, outcome = sort_profile(items, sizes, known=known, last_version=last_version)
            await transaction.rows(
                "import_profile",
                keys=[item.key for item in new],
                values=[texts[item.key] for item in new],
                sizes=[sizes[item.key] for item in new],
                versions=[item.version for item in new],
                created=[item.created_at for item in new],
                updated=[item.updated_at for item in new],
            )
            version = max((item.version for item in new), default=0)
            await transaction.rows("raise_profile_version", version=version)
        return outcome

    async def add_state(self, scope: Scope, state: UserState) -> bool:
        async with self._database.transaction(scope.owner_id) as transaction:
            owner, updated_at = self._owner(scope), state.updated_at
            is_set = await transaction.value(
                "import_state", **owner, mode=state.mode, updated_at=updated_at
            )
        return bool(is_set)

    async def add_facts(self, scope: Scope, records: Sequence[FactRecord]) -> Outcome:
        facts, changes = await records_as_json(records)
        fact_ids = [record.fact.fact_id for record in records]
        async with self._database.transaction(scope.owner_id) as transaction:
            known = len(await transaction.rows("known_facts", fact_ids=fact_ids))
            owner = self._owner(scope)
            added = await transaction.value("import_facts", **owner, facts=facts, changes=changes)
        conflicting = len(records) - known - len(added)
        return Outcome(added=len(added), known=known, conflicting=conflicting)

    async def add_sessions(self, scope: Scope, sessions: Sequence[SessionRecord]) -> Outcome:
        session_ids = [record.session.session_id for record in sessions]
        characters = session_characters((one.session for one in sessions), most=AT_ONCE)
        text = await off_loop(partial(_sessions_as_json, sessions), characters=characters)
        owner = self._owner(scope)
        async with self._database.transaction(scope.owner_id) as transaction:
            now = owner["now"]
            await transaction.rows(
                "delete_some_expired",
                tenant_id=scope.tenant,
                session_ids=session_ids,
                now=now,
            )
            rows = await transaction.rows("import_sessions", **owner, sessions=text)
            added = [row["session_id"] for row in rows]
            await transaction.rows("import_summaries", sessions=text, session_ids=added)
        return Outcome(added=len(added), known=len(sessions) - len(added))

    async def add_messages(self, scope: Scope, messages: Sequence[MessageRecord]) -> SortedMessages:
        session_ids = sorted({record.message.session_id for record in messages})
        async with self._database.transaction(scope.owner_id) as transaction:
            held = await transaction.rows(
                "lock_some_sessions", session_ids=session_ids, now=self._clock.now()
            )
            result = sort_messages(
                messages,
                sessions={row["session_id"] for row in held},
                taken=await _taken(transaction, messages),
            )
            if result.new:
                await _store(transaction, result.new)
        return result

    def _owner(self, scope: Scope) -> dict[str, object]:
        return {"tenant_id": scope.tenant, "user_id": scope.user, "now": self._clock.now()}


def _sessions_as_json(sessions: Sequence[SessionRecord]) -> str:
    return orjson.dumps([session_json(record) for record in sessions], default=dict).decode()


async def _taken(
    transaction: Transaction, records: Sequence[MessageRecord]
) -> Sequence[TakenPlace]:
    messages = [record.message for record in records]
    rows = await transaction.rows(
        "taken_places",
        message_ids=[message.message_id for message in messages],
        session_ids=[message.session_id for message in messages],
        sequences=[message.sequence for message in messages],
    )
    return [
        TakenPlace(message_id, MessagePlace(session_id, sequence))
        for message_id, session_id, sequence in rows
    ]


async def _store(transaction: Transaction, records: Sequence[MessageRecord]) -> None:
    """Store new messages of locked sessions, with their turns and counts."""
    messages = [record.message for record in records]
    characters = characters_to_write(messages, most=AT_ONCE)
    columns = await off_loop(partial(_message_columns, records), characters=characters)
    counted = ("session_ids", "sequences", "turn_numbers", "active")
    await transaction.rows("count_imported", **{name: columns[name] for name in counted})
    await transaction.rows("import_turns", **_turn_columns(records))
    await transaction.rows("import_messages", **columns)


def _message_columns(records: Sequence[MessageRecord]) -> dict[str, list[Any]]:
    messages = [record.message for record in records]
    return {
        "session_ids": [message.session_id for message in messages],
        "sequences": [message.sequence for message in messages],
        "message_ids": [message.message_id for message in messages],
        "turn_numbers": [message.turn_number for message in messages],
        "roles": [str(message.role) for message in messages],
        "contents": [message.content for message in messages],
        "metadata": [to_json(message.metadata) for message in messages],
        "details": [
            None if message.details == NO_DETAILS else to_json(message.details.to_json())
            for message in messages
        ],
        "created": [message.created_at for message in messages],
        "active": [message.is_active for message in messages],
    }


def _turn_columns(records: Sequence[MessageRecord]) -> dict[str, list[Any]]:
    turns: dict[MessagePlace, TurnRecord] = {}
    times: dict[MessagePlace, list[Any]] = {}
    for record in records:
        if record.turn is not None:
            key = place_of(record.message)._replace(sequence=record.turn.number)
            turns.setdefault(key, record.turn)
            times.setdefault(key, []).append(record.message.created_at)
    return {
        "session_ids": [key.session_id for key in turns],
        "turn_numbers": [turn.number for turn in turns.values()],
        "statuses": [str(turn.status) for turn in turns.values()],
        "started": [min(times[key]) for key in turns],
        "ended": [max(times[key]) for key in turns],
        "follows": [turn.follows for turn in turns.values()],
        "learnt": [turn.is_learnt for turn in turns.values()],
    }
