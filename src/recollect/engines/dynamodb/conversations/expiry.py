"""Expired sessions of all owners: counted, archived and deleted."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.transfer.records import MessageRecord, SessionRecord, TurnRecord
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.purging import PURGES, purge
from recollect.engines.dynamodb.conversations.store import EXPIRY, DynamoStore
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Item, time_text
from recollect.engines.dynamodb.table.keys import WORK_DUE, WORK_QUEUE, owner_of, queue_of
from recollect.ports.privacy.archive import ExpiredSession

_AT_ONCE: Final = 1000
_FOREVER: Final = datetime.max.replace(tzinfo=UTC)


class DynamoExpiredBase(DynamoStore):
    """Finds what has expired.

    The note of a session waits for the end that the session had when it was started. When its
    time comes, it is moved to the end that the session has by then, so that using a session costs
    no further write.
    """

    async def expired(self, *, now: datetime, limit: int) -> list[Conversation]:
        """Return expired conversations of all owners, those first that expired first."""
        found: list[Conversation] = []
        while len(found) < limit:
            notes = await self.table.waiting(
                EXPIRY, until=time_text(now), limit=len(found) + _AT_ONCE
            )
            found, moved = await self._sort(notes, now)
            if not moved or len(notes) < _AT_ONCE:
                break
        found.sort(key=lambda one: (one.session.expires_at or _FOREVER, one.session_id))
        return found[:limit]

    async def _sort(self, notes: Sequence[Item], now: datetime) -> tuple[list[Conversation], int]:
        """The expired ones of noted conversations; the notes of the others are moved."""
        items = await self.table.get_many(notes)
        by_owner: dict[UUID, list[UUID]] = {}
        for item in items.values():
            by_owner.setdefault(owner_of(item), []).append(UUID(str(item["sessionId"])))
        stored: dict[tuple[UUID, UUID], Conversation] = {}
        for owner_id, ids in by_owner.items():
            for one in (await self.sealed_data.many(owner_id, ids)).values():
                stored[owner_id, one.session_id] = one
        expired, moved = [], 0
        for item in items.values():
            known = stored.get((owner_of(item), UUID(str(item["sessionId"]))))
            if known is not None and known.is_being_erased:
                continue
            if known is not None and known.has_expired(now):
                expired.append(known)
            else:
                moved += await self._move(item, known)
        return expired, moved

    async def _move(self, note: Item, one: Conversation | None) -> bool:
        """Let the note of a session wait for the end that the session has now."""
        read = {":read": note.get(WORK_DUE, "")}
        end = None if one is None else one.session.expires_at
        with suppress(ConditionFailed):
            if end is None:
                # Swept by DynamoDB itself, or kept for good since: there is no end to wait for.
                await self.table.update(
                    note,
                    f"REMOVE {WORK_DUE}, {WORK_QUEUE}",
                    read,
                    condition=f"{WORK_DUE} = :read",
                )
            else:
                await self.table.update(
                    note,
                    f"SET {WORK_DUE} = :end, {WORK_QUEUE} = :queue",
                    {**read, ":end": time_text(end), ":queue": queue_of(EXPIRY, owner_of(note))},
                    condition=f"{WORK_DUE} = :read",
                )
            return True
        return False


class DynamoExpired(DynamoExpiredBase):
    """Implements `recollect.ports.jobs.ExpiredSessions`."""

    async def count(self, *, now: datetime) -> int:
        return len(await self.expired(now=now, limit=_AT_ONCE * 10))

    async def delete(self, *, now: datetime, limit: int) -> int:
        await self._purge_left(limit)
        deleted = 0
        for one in await self.expired(now=now, limit=limit):
            with suppress(ConditionFailed):  # another replica was faster, or it was used again
                await self.data.delete_expired(one, now=now)
                deleted += 1
        return deleted

    async def _purge_left(self, limit: int) -> None:
        """Finish deletions whose process was killed halfway."""
        keys = await self.table.waiting(PURGES, limit=limit)
        markers = await self.table.get_many(keys)
        for marker in markers.values():
            await purge(self.table, marker)


class DynamoExpiredRecords(DynamoExpiredBase):
    """Implements `recollect.ports.privacy.archive.ExpiredRecords`."""

    async def some(self, *, now: datetime, limit: int) -> tuple[ExpiredSession, ...]:
        return tuple(map(_expired, await self.expired(now=now, limit=limit)))

    async def find(
        self, scope: Scope, session_ids: Sequence[UUID], *, now: datetime
    ) -> tuple[ExpiredSession, ...]:
        found = (await self.sealed_data.many(scope.owner_id, session_ids)).values()
        gone = (one for one in found if one.has_expired(now) and not one.is_being_erased)
        return tuple(map(_expired, gone))

    async def record(self, scope: Scope, session_id: UUID) -> SessionRecord | None:
        one = await self.data.stored(scope.owner_id, session_id)
        return None if one is None or one.is_being_erased else session_record(one)

    async def messages(
        self, scope: Scope, session_id: UUID, *, after: int, limit: int
    ) -> tuple[MessageRecord, ...]:
        one = await self.data.stored(scope.owner_id, session_id)
        if one is None or one.is_being_erased:
            return ()
        found: list[MessageRecord] = []
        async for message in self.data.messages(one, after=after, limit=limit):
            turn = turn_record(one, message.turn_number)
            found.append(MessageRecord(message=message, turn=turn))
            if len(found) == limit:
                break
        return tuple(found)

    async def delete(self, sessions: Sequence[ExpiredSession], *, now: datetime) -> int:
        deleted = 0
        for session in sessions:
            one = await self.sealed_data.stored(session.scope.owner_id, session.session_id)
            if one is None or one.is_being_erased or _expired(one) != session:
                continue
            with suppress(ConditionFailed):
                await self.data.delete_expired(one, now=now)
                deleted += 1
        return deleted


def session_record(one: Conversation) -> SessionRecord:
    """Return everything that is stored of a session beside its messages."""
    return SessionRecord(
        session=one.session,
        last_sequence=one.last_sequence,
        last_turn=one.last_turn,
        summary=one.summary,
    )


def turn_record(one: Conversation, number: int | None) -> TurnRecord | None:
    """Return a turn as a message of it tells."""
    if number is None:
        return None
    return TurnRecord(
        number=number,
        status=one.turns[number],
        follows=one.parents.get(number),
        is_learnt=one.is_learnt(number),
    )


def _expired(one: Conversation) -> ExpiredSession:
    return ExpiredSession(
        scope=one.scope,
        session_id=one.session_id,
        created_at=one.session.created_at,
        updated_at=one.session.updated_at,
        expires_at=one.session.expires_at or _FOREVER,
    )
