"""What `recollect.ports.privacy.archive.ExpiredRecords` promises."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID, uuid4

import pytest

from conformance.contracts.shared import END_OF_PAST, alone, long_ago
from recollect.domain.identity.scope import Scope
from recollect.ports import Stores
from recollect.ports.privacy.archive import ExpiredSession
from support.examples import a_message, a_scope, a_session, append, start_session


class ExpiredRecordsContract:
    """Expired sessions are found, read whole, and deleted as they were read."""

    @pytest.fixture(autouse=True)
    async def _alone(self, stores: Stores) -> AsyncIterator[None]:
        async with alone(stores, "expired sessions"):
            await _delete_all(stores)
            yield
            await _delete_all(stores)

    async def test_those_that_expired_first_come_first_whoever_owns_them(
        self, stores: Stores
    ) -> None:
        first, second = a_scope(), a_scope()
        ids = {
            second_: await _expiring(stores, scope, second_)
            for second_, scope in ((3, first), (1, second), (2, first))
        }
        found = await stores.expired_records.some(now=long_ago(2), limit=9)
        assert [(one.scope, one.session_id) for one in found] == [
            (second, ids[1]),
            (first, ids[2]),
        ]
        assert await stores.expired_records.some(now=long_ago(9), limit=1) == found[:1]

    async def test_one_owner_finds_their_own_expired_sessions_alone(self, stores: Stores) -> None:
        scope, other = a_scope(), a_scope()
        expired, others = await _expiring(stores, scope, 1), await _expiring(stores, other, 1)
        endless = (await start_session(stores, scope)).session_id
        wanted = [expired, others, endless, uuid4()]
        found = await stores.expired_records.find(scope, wanted, now=long_ago(1))
        assert [one.session_id for one in found] == [expired]
        assert await stores.expired_records.find(scope, wanted, now=long_ago(0.5)) == ()

    async def test_an_expired_session_is_read_in_pages_as_it_is_stored(
        self, stores: Stores
    ) -> None:
        scope, records = a_scope(), stores.expired_records
        session = await start_session(stores, scope, expires_at=None)
        session_id = session.session_id
        given = [a_message(role) for role in ("user", "assistant", "user", "assistant")]
        await append(stores, scope, session_id, *given)
        record = await records.record(scope, session_id)
        assert record is not None
        assert (record.session.session_id, record.last_sequence) == (session_id, 4)
        first = await records.messages(scope, session_id, after=0, limit=3)
        rest = await records.messages(scope, session_id, after=3, limit=3)
        contents = [one.message.content for one in (*first, *rest)]
        assert contents == [message.content for message in given]
        assert [one.turn.number for one in first if one.turn] == [1, 1, 2]
        assert await records.messages(scope, session_id, after=4, limit=3) == ()
        stranger = a_scope()
        assert await records.record(stranger, session_id) is None
        assert await records.messages(stranger, session_id, after=0, limit=3) == ()

    async def test_what_was_read_is_deleted_once_and_audited(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, kept = await _expiring(stores, scope, 1), await _expiring(stores, scope, 2)
        read = await _some(stores, limit=1)
        assert await stores.expired_records.delete(read, now=long_ago(5)) == 1
        assert await stores.expired_records.delete(read, now=long_ago(5)) == 0
        assert [one.session_id for one in await _some(stores)] == [kept]
        (entry,) = await stores.audit.entries(scope, limit=9)
        assert (entry.action, entry.target) == ("session.expired", str(session_id))

    async def test_a_session_that_was_started_again_meanwhile_stays(self, stores: Stores) -> None:
        scope = a_scope()
        session_id = await _expiring(stores, scope, 1)
        read = await _some(stores)
        await stores.sessions.start(
            scope, a_session(session_id), now=long_ago(2), expires_at=long_ago(3)
        )
        assert await stores.expired_records.delete(read, now=long_ago(5)) == 0
        assert [one.created_at for one in await _some(stores)] == [long_ago(2)]


async def _expiring(stores: Stores, scope: Scope, second: float) -> UUID:
    session = await start_session(stores, scope, now=long_ago(0), expires_at=long_ago(second))
    return session.session_id


async def _some(stores: Stores, *, limit: int = 9) -> Sequence[ExpiredSession]:
    return await stores.expired_records.some(now=END_OF_PAST, limit=limit)


async def _delete_all(stores: Stores) -> None:
    while sessions := await _some(stores, limit=1000):
        await stores.expired_records.delete(sessions, now=END_OF_PAST)
