"""What `recollect.ports.jobs.ExpiredSessions` promises."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from uuid import UUID

import pytest

from conformance.contracts.shared import END_OF_PAST, alone, long_ago
from recollect.domain.identity.audit import AuditAction, AuditEntry
from recollect.domain.identity.scope import Interface, Scope
from recollect.ports import Stores
from support.examples import a_scope, a_session, start_session


class ExpiredSessionsContract:
    """What has expired is counted and deleted, whoever owns it, and nothing else is."""

    @pytest.fixture(autouse=True)
    async def _alone(self, stores: Stores) -> AsyncIterator[None]:
        async with alone(stores, "expired sessions"):
            await _delete(stores, now=END_OF_PAST, limit=1000)
            yield
            await _delete(stores, now=END_OF_PAST, limit=1000)

    async def test_a_session_expires_exactly_at_its_expiry_time(self, stores: Stores) -> None:
        for second in (1, 2, 3):
            await _expiring(stores, a_scope(), second)
        moments = (0.999, 1, 2.5, 3, 4)
        counts = [await stores.expired.count(now=long_ago(moment)) for moment in moments]
        assert counts == [0, 1, 2, 3, 3]

    async def test_expired_sessions_of_all_owners_are_deleted_and_audited_for_each_owner(
        self, stores: Stores
    ) -> None:
        scope, other = a_scope(), a_scope()
        first = await _expiring(stores, scope, 1)
        second = await _expiring(stores, scope, 2)
        others = await _expiring(stores, other, 3)
        assert await _delete(stores, now=long_ago(5), limit=10) == 3
        assert await stores.expired.count(now=END_OF_PAST) == 0
        entries = await stores.audit.entries(scope, limit=9)
        assert {entry.target for entry in entries} == {str(first), str(second)}
        assert await stores.audit.entries(other, limit=9) == (_expiry_entry(others, second=5),)

    async def test_the_sessions_that_expired_first_are_deleted_first(self, stores: Stores) -> None:
        scope = a_scope()
        ids = {second: await _expiring(stores, scope, second) for second in (3, 1, 4, 2)}
        assert await _delete(stores, now=long_ago(9), limit=2) == 2
        told = {entry.target for entry in await stores.audit.entries(scope, limit=9)}
        assert told == {str(ids[1]), str(ids[2])}
        assert await _delete(stores, now=long_ago(9), limit=2) == 2
        assert await _delete(stores, now=long_ago(9), limit=2) == 0
        assert len(await stores.audit.entries(scope, limit=9)) == 4

    async def test_a_session_that_has_not_expired_yet_stays(self, stores: Stores) -> None:
        scope = a_scope()
        await _expiring(stores, scope, 5)
        endless = await start_session(stores, scope, now=long_ago(0))
        assert await _delete(stores, now=long_ago(4.999), limit=9) == 0
        assert await stores.expired.count(now=long_ago(5)) == 1
        assert await _delete(stores, now=long_ago(5), limit=9) == 1
        assert await stores.sessions.get(scope, endless.session_id) == endless

    async def test_a_deleted_id_can_be_started_again(self, stores: Stores) -> None:
        scope = a_scope()
        session_id = await _expiring(stores, scope, 1)
        await _delete(stores, now=long_ago(2), limit=9)
        session, is_new = await stores.sessions.start(scope, a_session(session_id), now=long_ago(3))
        assert is_new
        assert await stores.sessions.get(scope, session_id) == session
        entries = await stores.audit.entries(scope, limit=9)
        assert entries == (_expiry_entry(session_id, second=2),), "it is told once"

    async def test_two_that_clean_up_at_once_delete_nothing_twice(self, stores: Stores) -> None:
        scope = a_scope()
        for second in range(6):
            await _expiring(stores, scope, second)
        counts = await asyncio.gather(
            *(stores.expired.delete(now=long_ago(9), limit=4) for _ in range(4))
        )
        left = await stores.expired.count(now=long_ago(9))
        assert sum(counts) + left == 6
        assert len(await stores.audit.entries(scope, limit=9)) == sum(counts)


def _expiry_entry(session_id: UUID, *, second: float) -> AuditEntry:
    return AuditEntry(
        action=AuditAction.SESSION_EXPIRED,
        target=str(session_id),
        count=0,
        actor="retention",
        transaction_id="",
        at=long_ago(second),
        interface=Interface.WORKER,
    )


async def _expiring(stores: Stores, scope: Scope, second: float) -> UUID:
    """A session without messages that expired at a moment of the past; its id."""
    session = await start_session(stores, scope, now=long_ago(0), expires_at=long_ago(second))
    return session.session_id


async def _delete(stores: Stores, *, now: datetime, limit: int) -> int:
    """Delete what has expired, as soon as no other clean-up is at it."""
    while True:
        deleted = await stores.expired.delete(now=now, limit=limit)
        if deleted or not await stores.expired.count(now=now):
            return deleted
        await asyncio.sleep(0.02)
