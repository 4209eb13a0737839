"""What every port promises of sessions that come to an end.

The stores must tell the time by a real clock: these tests wait for it.
"""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

import pytest

from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import Session, SessionChanges
from recollect.domain.identity.audit import AuditAction, AuditEntry
from recollect.domain.identity.scope import Interface, Scope
from recollect.ports import Stores
from support.examples import (
    a_message,
    a_scope,
    a_session,
    a_summary,
    append,
    messages_of,
    put_summary,
    seconds_on,
    start_conversation,
    start_session,
    summary_of,
)

NEVER: Final = datetime(9000, 1, 1, tzinfo=UTC)
LATER: Final = NEVER + timedelta(days=1)
EARLIER: Final = NEVER - timedelta(days=1)
LONG_PAST: Final = datetime(2000, 1, 1, tzinfo=UTC)


class RetentionContract:
    """A session is there until its end, which only ever moves away, and then it is gone."""

    async def test_a_session_keeps_the_expiry_time_it_was_started_with(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session = await start_session(stores, scope, expires_at=NEVER)
        assert session.expires_at == NEVER
        again, _ = await stores.sessions.start(
            scope, a_session(session.session_id), now=seconds_on(1), expires_at=LATER
        )
        assert again == session, "resuming a session is no use of it yet"
        assert await _session(stores, scope, session.session_id) == session

    @pytest.mark.parametrize("way", ["append", "touch"])
    @pytest.mark.parametrize(
        ("end", "moved_to", "expected"),
        [
            (NEVER, LATER, LATER),
            (NEVER, NEVER, NEVER),
            (NEVER, EARLIER, NEVER),
            (NEVER, LONG_PAST, NEVER),
            (NEVER, None, NEVER),
            (None, LATER, None),
            (None, None, None),
        ],
    )
    async def test_an_expiry_time_is_only_ever_moved_later(
        self,
        stores: Stores,
        way: str,
        end: datetime | None,
        moved_to: datetime | None,
        expected: datetime | None,
    ) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope, expires_at=end)).session_id
        now = seconds_on(1)
        if way == "append":
            await stores.messages.append(
                scope, session_id, [a_message()], now=now, expires_at=moved_to
            )
        else:
            await stores.sessions.touch(scope, session_id, now=now, expires_at=moved_to)
        assert (await _session(stores, scope, session_id)).expires_at == expected

    async def test_changing_a_session_does_not_move_its_expiry_time(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope, expires_at=NEVER)
        changed = await stores.sessions.change(
            scope, session.session_id, SessionChanges(name="Renamed"), now=seconds_on(1)
        )
        assert changed is not None
        assert changed.expires_at == NEVER

    async def test_a_touch_notes_the_use_and_changes_nothing_else(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, now=seconds_on(10))
        before = await _session(stores, scope, session_id)
        for now, expected in ((20, 20), (15, 20), (21, 21)):
            await stores.sessions.touch(scope, session_id, now=seconds_on(now), expires_at=None)
            session = await _session(stores, scope, session_id)
            assert session.last_accessed_at == seconds_on(expected)
            assert session.updated_at == before.updated_at == seconds_on(10)
        assert await stores.audit.entries(scope, limit=9) == ()

    async def test_a_late_write_does_not_set_the_last_use_back(self, stores: Stores) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope)).session_id
        await stores.sessions.touch(scope, session_id, now=seconds_on(20), expires_at=None)
        await append(stores, scope, session_id, a_message(), now=seconds_on(10))
        changes = SessionChanges(name="Renamed")
        await stores.sessions.change(scope, session_id, changes, now=seconds_on(15))
        session = await _session(stores, scope, session_id)
        assert (session.updated_at, session.last_accessed_at) == (seconds_on(15), seconds_on(20))

    async def test_a_touch_does_not_reach_a_session_of_another_owner(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope, expires_at=NEVER)
        for stranger in (a_scope(scope.tenant, user="mallory"), a_scope(user=scope.user)):
            await stores.sessions.touch(
                stranger, session.session_id, now=seconds_on(9), expires_at=LATER
            )
        await stores.sessions.touch(scope, uuid4(), now=seconds_on(9), expires_at=LATER)
        assert await _session(stores, scope, session.session_id) == session

    async def test_a_session_whose_end_has_passed_already_is_not_there(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session, is_new = await stores.sessions.start(
            scope, a_session(), now=seconds_on(0), expires_at=LONG_PAST
        )
        assert is_new
        assert await stores.sessions.get(scope, session.session_id) is None

    async def test_an_expired_session_is_not_read(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await _expired_conversation(stores, scope)
        assert await stores.sessions.get(scope, session_id) is None
        assert (await stores.sessions.list(scope, PageRequest())).items == ()
        assert await stores.messages.last(scope, session_id, count=9) is None
        for covers_all in (False, True):
            assert (
                await stores.messages.window(scope, session_id, count=9, covers_all=covers_all)
                is None
            )
        assert await stores.messages.list(scope, session_id, PageRequest()) is None
        assert await stores.messages.turn_status(scope, session_id, 1) is None
        assert (await stores.history.list(scope, PageRequest())).items == ()
        assert await stores.history.count(scope) == 0
        assert await summary_of(stores, scope, session_id) is None
        assert await stores.summaries.uncompacted(scope, session_id, limit=9) is None

    async def test_an_expired_session_is_not_written(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await _expired_conversation(stores, scope)
        now = seconds_on(9)
        new, repeated = a_message(), a_message("user", "user 1", message_id=messages[0].message_id)
        for message in (new, repeated):
            appended = await stores.messages.append(
                scope, session_id, [message], now=now, expires_at=NEVER
            )
            assert appended is None
        await stores.sessions.touch(scope, session_id, now=now, expires_at=NEVER)
        changes = SessionChanges(name="Renamed")
        assert await stores.sessions.change(scope, session_id, changes, now=now) is None
        assert await stores.messages.fail_turn(scope, session_id, 1) is False
        later = a_summary(through=2)
        assert await put_summary(stores, scope, session_id, later, replaces=1) is False
        assert await stores.sessions.get(scope, session_id) is None

    async def test_an_expired_session_is_not_deleted_by_its_owner(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, (message, *_) = await _expired_conversation(stores, scope)
        now = seconds_on(9)
        assert await stores.sessions.delete(scope, session_id, now=now) is False
        assert not await stores.messages.delete(scope, session_id, message.message_id, now=now)
        assert await stores.messages.clear(scope, session_id, now=now) is None
        assert await stores.history.delete(scope, message.message_id, now=now) is False
        assert await stores.audit.entries(scope, limit=9) == ()

    async def test_a_history_is_that_of_the_sessions_still_there(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user"] * 3)
        await _expired_conversation(stores, scope)
        assert await stores.history.count(scope) == 3
        newest_first = messages[::-1]
        assert (await stores.history.list(scope, PageRequest())).items == newest_first
        assert await stores.history.trim(scope, keep_last=2, now=seconds_on(9)) == 1
        assert await stores.messages.last(scope, session_id, count=9) == messages[1:]
        assert await stores.history.clear(scope, now=seconds_on(9)) == 2
        told = [entry.count for entry in await stores.audit.entries(scope, limit=9)]
        assert told == [2, 1]

    async def test_an_expired_id_starts_a_new_session(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, old = await _expired_conversation(stores, scope)
        session, is_new = await stores.sessions.start(
            scope, a_session(session_id), now=seconds_on(9), expires_at=NEVER
        )
        assert is_new
        assert (session.created_at, session.expires_at) == (seconds_on(9), NEVER)
        assert (session.name, session.message_count, session.summary) == (None, 0, None)
        assert await stores.messages.last(scope, session_id, count=9) == ()
        assert await summary_of(stores, scope, session_id) is None
        message = a_message(message_id=old[0].message_id)
        (stored,) = await append(stores, scope, session_id, message, now=seconds_on(9))
        assert (stored.sequence, stored.turn_number) == (1, 1), "its ids and numbers are free"

    async def test_replacing_an_expired_session_audits_it_as_expired(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await _expired_conversation(stores, scope)
        await stores.sessions.start(scope, a_session(session_id), now=seconds_on(9))
        expected = AuditEntry(
            action=AuditAction.SESSION_EXPIRED,
            target=str(session_id),
            count=len(messages),
            actor="retention",
            transaction_id="",
            at=seconds_on(9),
            interface=Interface.WORKER,
        )
        assert await stores.audit.entries(scope, limit=9) == (expected,)

    async def test_of_many_that_start_an_expired_id_at_once_one_is_first(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        new = a_session()
        await stores.sessions.start(scope, new, now=seconds_on(0), expires_at=LONG_PAST)
        started = await asyncio.gather(
            *(stores.sessions.start(scope, new, now=seconds_on(n)) for n in range(1, 9))
        )
        assert sum(is_new for _, is_new in started) == 1
        assert len({session.created_at for session, _ in started}) == 1
        assert len(await stores.audit.entries(scope, limit=9)) == 1


async def _session(stores: Stores, scope: Scope, session_id: UUID) -> Session:
    session = await stores.sessions.get(scope, session_id)
    assert session is not None, "the session should exist"
    return session


async def _expired_conversation(stores: Stores, scope: Scope) -> tuple[UUID, tuple[Message, ...]]:
    """A session with a question, its reply and a summary that has just expired."""
    for seconds in (0.3, 3, 30):
        end = datetime.now(UTC) + timedelta(seconds=seconds)
        session_id = (await start_session(stores, scope, expires_at=end)).session_id
        appended = await stores.messages.append(
            scope, session_id, messages_of("user", "assistant"), now=seconds_on(0)
        )
        summary = a_summary(through=1)
        if appended and await put_summary(stores, scope, session_id, summary, replaces=0):
            rest = (end - datetime.now(UTC)).total_seconds()
            await asyncio.sleep(max(0, rest) + 0.02)  # timers may be early by some milliseconds
            return session_id, appended.messages
        await stores.sessions.delete(scope, session_id, now=seconds_on(0))
    raise TimeoutError("the engine is too slow to fill a session in 30 seconds")
