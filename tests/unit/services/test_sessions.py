from datetime import timedelta
from uuid import uuid4

import pytest

from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import SessionChanges
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import SessionNotFound
from recollect.services.conversations.last_access import LastAccess
from recollect.services.conversations.sessions import Sessions
from recollect.testing import FIRST_MOMENT, FixedClock
from support.examples import a_scope, a_session
from support.permissions import permissions_on


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def sessions(clock: FixedClock) -> Sessions:
    stores = in_memory_stores()
    return Sessions(
        store=stores.sessions,
        permissions=permissions_on(stores),
        clock=clock,
        last_access=LastAccess(store=stores.sessions, clock=clock),
    )


async def test_a_started_session_is_resumed_by_its_id(sessions: Sessions) -> None:
    scope, new = a_scope(), a_session(name="Sales")
    started, is_new = await sessions.start(scope, new)
    assert is_new
    assert await sessions.start(scope, new) == (started, False)
    assert await sessions.get(scope, new.session_id) == started


async def test_a_change_happens_at_the_clocks_time(sessions: Sessions, clock: FixedClock) -> None:
    scope, new = a_scope(), a_session()
    started, _ = await sessions.start(scope, new)
    assert started.created_at == FIRST_MOMENT
    clock.move(timedelta(hours=1))
    changed = await sessions.change(scope, new.session_id, SessionChanges(name="Renamed"))
    assert (changed.name, changed.updated_at) == ("Renamed", clock.now())


async def test_the_last_changed_session_is_listed_first(
    sessions: Sessions, clock: FixedClock
) -> None:
    scope, first, second = a_scope(), a_session(), a_session()
    for new in (first, second):
        await sessions.start(scope, new)
        clock.move(timedelta(seconds=1))
    page = await sessions.list(scope, PageRequest())
    assert [session.session_id for session in page.items] == [second.session_id, first.session_id]


async def test_a_deleted_session_is_not_found(sessions: Sessions) -> None:
    scope, new = a_scope(), a_session()
    await sessions.start(scope, new)
    await sessions.delete(scope, new.session_id)
    with pytest.raises(SessionNotFound):
        await sessions.get(scope, new.session_id)


async def test_an_unknown_session_is_not_found(sessions: Sessions) -> None:
    scope, unknown = a_scope(), uuid4()
    for call in (
        sessions.get(scope, unknown),
        sessions.change(scope, unknown, SessionChanges(name="x")),
        sessions.delete(scope, unknown),
    ):
        with pytest.raises(SessionNotFound) as missing:
            await call
        assert missing.value.identifier == unknown


async def test_a_session_of_somebody_else_is_not_found(sessions: Sessions) -> None:
    owner, new = a_scope(), a_session()
    started, _ = await sessions.start(owner, new)
    for stranger in (a_scope(owner.tenant, user="bob"), a_scope(user=owner.user)):
        for call in (
            sessions.get(stranger, new.session_id),
            sessions.change(stranger, new.session_id, SessionChanges(name="x")),
            sessions.delete(stranger, new.session_id),
        ):
            with pytest.raises(SessionNotFound):
                await call
        assert (await sessions.list(stranger, PageRequest())).items == ()
    assert await sessions.get(owner, new.session_id) == started
