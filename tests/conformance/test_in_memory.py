from datetime import timedelta

import pytest

from conformance.contracts.engine import EngineContract
from conformance.contracts.indexing import IndexingContract
from conformance.contracts.recall_whole import WholeRecallContract
from recollect.domain.identity.audit import AuditAction
from recollect.engines.in_memory import in_memory_stores
from recollect.ports import Stores
from recollect.testing import FIRST_MOMENT, FixedClock
from support.examples import a_scope, append, messages_of, seconds_on, start_session


@pytest.fixture(scope="session")
def stores() -> Stores:
    return in_memory_stores()


class TestInMemory(EngineContract, WholeRecallContract):
    class TestIndexing(IndexingContract):
        pass


async def test_a_session_is_hidden_from_the_moment_its_end_is_there() -> None:
    clock = FixedClock()
    stores, scope = in_memory_stores(clock), a_scope()
    session = await start_session(stores, scope, expires_at=FIRST_MOMENT + timedelta(days=7))
    clock.move(timedelta(days=7, microseconds=-1))
    assert await stores.sessions.get(scope, session.session_id) == session
    clock.move(timedelta(microseconds=1))
    assert await stores.sessions.get(scope, session.session_id) is None


async def test_a_session_is_deleted_with_its_messages_which_are_counted() -> None:
    clock = FixedClock()
    stores, scope = in_memory_stores(clock), a_scope()
    session = await start_session(stores, scope, expires_at=seconds_on(1))
    messages = messages_of("user", "assistant", "user")
    await append(stores, scope, session.session_id, *messages)
    assert await stores.expired.delete(now=seconds_on(1), limit=9) == 1
    (entry,) = await stores.audit.entries(scope, limit=9)
    assert (entry.action, entry.count) == (AuditAction.SESSION_EXPIRED, 3)
    again = await start_session(stores, scope)
    assert await append(stores, scope, again.session_id, *messages), "their ids are free again"


async def test_stores_without_a_clock_tell_the_machines_time() -> None:
    stores, scope = in_memory_stores(), a_scope()
    session = await start_session(stores, scope, expires_at=FIRST_MOMENT)
    assert await stores.sessions.get(scope, session.session_id) is None
