"""What `MessageStore` promises of messages that come from elsewhere."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from conformance.contracts.shared import long_ago
from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.conversation.message import Role
from recollect.domain.conversation.paging import Order, PageRequest
from recollect.domain.conversation.session import TurnStatus
from recollect.errors import IdAlreadyUsed
from recollect.ports import Stores
from recollect.ports.conversations import SessionStart
from support.examples import (
    a_message,
    a_scope,
    a_session,
    append,
    messages_of,
    seconds_on,
    start_conversation,
    start_session,
)

_EARLIER = datetime(2019, 3, 1, 9, 30, tzinfo=UTC)
_ALL_AT_ONCE = 10_000


class MessageImportingContract:
    """Own times, sessions that start with their first messages, and many messages at once."""

    async def test_a_message_keeps_the_time_it_brings(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        question = a_message("user", "Sales?", created_at=_EARLIER)
        answer = a_message("assistant", "2.5M", created_at=_EARLIER + timedelta(seconds=2))
        appended = await append(stores, scope, session.session_id, question, answer)
        appended += await append(
            stores, scope, session.session_id, a_message("assistant", created_at=_EARLIER)
        )
        assert [message.created_at for message in appended] == [
            _EARLIER,
            _EARLIER + timedelta(seconds=2),
            _EARLIER,
        ]
        assert await stores.messages.last(scope, session.session_id, count=9) == appended

    async def test_messages_without_a_time_get_that_of_the_append(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        appended = await append(
            stores,
            scope,
            session.session_id,
            a_message("user", created_at=_EARLIER),
            a_message("assistant"),
            now=seconds_on(5),
        )
        assert [message.created_at for message in appended] == [_EARLIER, seconds_on(5)]
        assert await stores.messages.last(scope, session.session_id, count=9) == appended

    async def test_own_times_move_neither_the_session_nor_the_order(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        times = [_EARLIER, seconds_on(500), _EARLIER - timedelta(days=1)]
        for number, time in enumerate(times):
            message = a_message("user", f"number {number}", created_at=time)
            await append(stores, scope, session.session_id, message, now=seconds_on(7))
        found = await stores.sessions.get(scope, session.session_id)
        stored = await stores.messages.last(scope, session.session_id, count=9)
        assert found is not None
        assert stored is not None
        assert found.updated_at == found.last_accessed_at == seconds_on(7)
        assert [message.sequence for message in stored] == [1, 2, 3]
        assert [message.content for message in stored] == ["number 0", "number 1", "number 2"]

    async def test_history_lists_messages_by_their_own_times(self, stores: Stores) -> None:
        scope = a_scope()
        first = await start_session(stores, scope)
        second = await start_session(stores, scope)
        placed = [(first, 3), (second, 1), (first, 0), (second, 3), (first, 2), (second, 3)]
        for session, second_of in placed:
            time = _EARLIER + timedelta(seconds=second_of)
            await append(stores, scope, session.session_id, a_message(created_at=time))
        for order in Order:
            whole = await stores.history.list(scope, PageRequest(order=order))
            times = [message.created_at for message in whole.items]
            assert times == sorted(times, reverse=order is Order.DESC)
            page = await stores.history.list(scope, PageRequest(order=order, limit=1))
            paged = page.items
            while page.next_cursor:
                following = PageRequest(order=order, limit=1, cursor=page.next_cursor)
                page = await stores.history.list(scope, following)
                paged += page.items
            assert paged == whole.items

    async def test_the_first_messages_start_their_session(self, stores: Stores) -> None:
        scope = a_scope()
        new = a_session()
        start = SessionStart(session=new, expires_at=seconds_on(10**9))
        for _ in range(2):
            appended = await stores.messages.append(
                scope, new.session_id, messages_of("user"), now=seconds_on(3), start=start
            )
            assert appended is not None
            assert appended.is_new
        stored = await stores.sessions.get(scope, new.session_id)
        assert stored is not None
        assert (stored.message_count, stored.turn_count, stored.name) == (2, 2, "user 1")
        assert stored.created_at == stored.updated_at == seconds_on(3)
        assert stored.expires_at == seconds_on(10**9)

    async def test_a_session_is_not_started_for_messages_that_cannot_be_stored(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        _, (taken, _) = await start_conversation(stores, scope)
        twice = a_message()
        for refused in (
            [a_message(), a_message("assistant", message_id=taken.message_id)],
            [twice, twice],
        ):
            new = a_session()
            with pytest.raises(IdAlreadyUsed):
                await stores.messages.append(
                    *(scope, new.session_id, refused),
                    now=seconds_on(3),
                    start=SessionStart(session=new),
                )
            assert await stores.sessions.get(scope, new.session_id) is None
        assert await stores.history.count(scope) == 2

    async def test_an_expired_session_of_that_id_gives_way(self, stores: Stores) -> None:
        scope = a_scope()
        new = a_session()
        old = long_ago(0)
        await stores.sessions.start(scope, new, now=old, expires_at=old + timedelta(days=1))
        message = a_message()
        await stores.messages.append(scope, new.session_id, [message], now=old)
        appended = await stores.messages.append(
            *(scope, new.session_id, [message]),
            now=seconds_on(0),
            start=SessionStart(session=new),
        )
        assert appended is not None
        assert appended.is_new
        stored = await stores.sessions.get(scope, new.session_id)
        assert stored is not None
        assert (stored.message_count, stored.created_at) == (1, seconds_on(0))

    async def test_ten_thousand_messages_are_stored_as_one_by_one(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ("user",))
        cycle = ("assistant", "system", "user", "assistant", "user", "user", "system")
        roles = [cycle[number % len(cycle)] for number in range(_ALL_AT_ONCE)]
        messages = [
            a_message(role, f"number {number}", created_at=_EARLIER + timedelta(seconds=number))
            for number, role in enumerate(roles)
        ]
        compaction = CompactionPolicy(trigger=50, keep=10)
        appended = await append(stores, scope, session_id, *messages, compaction=compaction)
        assert [message.sequence for message in appended] == list(range(2, _ALL_AT_ONCE + 2))
        assert [message.message_id for message in appended] == [m.message_id for m in messages]
        turn, turns, answered = 1, [], set()
        for role in roles:
            turn += role == Role.USER
            turns.append(None if role == Role.SYSTEM else turn)
            if role == Role.ASSISTANT:
                answered.add(turn)
        assert [message.turn_number for message in appended] == turns
        for number in (1, 2, 3, 4, 999, 1000, 1001, 1002, turn):
            status = await stores.messages.turn_status(scope, session_id, number)
            is_complete = status is TurnStatus.COMPLETE
            assert is_complete == (number in answered)
        stored = await stores.sessions.get(scope, session_id)
        assert stored is not None
        assert (stored.message_count, stored.turn_count) == (_ALL_AT_ONCE + 1, turn)
        again = await stores.messages.append(scope, session_id, messages, now=seconds_on(9))
        assert again is not None
        assert (again.is_new, again.messages) == (False, appended)

    async def test_many_messages_are_stored_all_or_none(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, (taken, _) = await start_conversation(stores, scope)
        messages = messages_of(*("user", "assistant") * 500)
        messages[-1] = a_message("assistant", message_id=taken.message_id)
        with pytest.raises(IdAlreadyUsed):
            await append(stores, scope, session_id, *messages)
        stored = await stores.sessions.get(scope, session_id)
        assert stored is not None
        assert (stored.message_count, stored.turn_count) == (2, 1)
        (following,) = await append(stores, scope, session_id, a_message(message_id=uuid4()))
        assert (following.sequence, following.turn_number) == (3, 2)
