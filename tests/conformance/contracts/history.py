"""What `recollect.ports.conversations.HistoryStore` promises."""

from uuid import UUID, uuid4

import pytest

from conformance.contracts.pages import walk
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import Order, PageRequest
from recollect.domain.identity.scope import Scope
from recollect.errors import InvalidCursor
from recollect.ports import Stores
from support.examples import (
    a_message,
    a_scope,
    append,
    messages_of,
    seconds_on,
    start_conversation,
)


class HistoryStoreContract:
    """An owner's messages across sessions."""

    async def test_messages_of_all_sessions_come_in_the_order_of_time(self, stores: Stores) -> None:
        scope = a_scope()
        stored = await _interleaved_sessions(stores, scope)
        oldest_first = await stores.history.list(scope, PageRequest(order=Order.ASC))
        assert oldest_first.items == tuple(stored)
        newest_first = await stores.history.list(scope, PageRequest())
        assert newest_first.items == tuple(reversed(stored))

    @pytest.mark.parametrize("order", Order)
    @pytest.mark.parametrize("limit", [1, 2, 3, 1000])
    async def test_walking_all_pages_yields_every_message_once(
        self, stores: Stores, order: Order, limit: int
    ) -> None:
        scope = a_scope()
        stored = await _interleaved_sessions(stores, scope)
        walked = await walk(
            lambda page: stores.history.list(scope, page), PageRequest(order=order, limit=limit)
        )
        assert walked == (stored if order is Order.ASC else stored[::-1])

    async def test_walking_from_an_offset_yields_the_rest(self, stores: Stores) -> None:
        scope = a_scope()
        stored = await _interleaved_sessions(stores, scope)
        walked = await walk(
            lambda page: stores.history.list(scope, page), PageRequest(limit=2, offset=3)
        )
        assert walked == stored[::-1][3:]
        beyond = await stores.history.list(scope, PageRequest(offset=10_000))
        assert (beyond.items, beyond.next_cursor) == ((), None)

    async def test_a_cursor_of_another_list_or_order_is_refused(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        history = await stores.history.list(scope, PageRequest(limit=1))
        messages = await stores.messages.list(scope, session_id, PageRequest(limit=1))
        assert messages is not None
        for request in (
            PageRequest(cursor=messages.next_cursor),
            PageRequest(cursor=history.next_cursor, order=Order.ASC),
            PageRequest(cursor="bm90IGpzb24"),
        ):
            with pytest.raises(InvalidCursor):
                await stores.history.list(scope, request)

    async def test_the_messages_of_turns_are_found_in_whichever_session(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        first_id, first = await start_conversation(stores, scope, ["system", "user", "user"])
        second_id, second = await start_conversation(stores, scope, ["user", "assistant", "user"])
        (late,) = await append(
            stores, scope, first_id, a_message("assistant"), reply_to=first[1].message_id
        )
        messages = await stores.history.of_turns(scope, [(first_id, 1), (second_id, 1)])
        assert sorted(messages, key=lambda m: (m.session_id, m.sequence)) == sorted(
            [first[1], late, *second[:2]], key=lambda m: (m.session_id, m.sequence)
        )
        assert await stores.history.of_turns(scope, [(first_id, 9), (uuid4(), 1)]) == ()
        assert await stores.history.of_turns(scope, []) == ()

    async def test_messages_are_counted_across_sessions(self, stores: Stores) -> None:
        scope = a_scope()
        assert await stores.history.count(scope) == 0
        await start_conversation(stores, scope)
        session_id, messages = await start_conversation(stores, scope, ["system", "user", "user"])
        assert await stores.history.count(scope) == 5
        await stores.messages.delete(scope, session_id, messages[0].message_id, now=seconds_on(1))
        assert await stores.history.count(scope) == 4

    async def test_one_message_is_deleted_in_whichever_session(self, stores: Stores) -> None:
        scope = a_scope()
        first_id, first = await start_conversation(stores, scope)
        second_id, second = await start_conversation(stores, scope)
        deleted = second[0].message_id
        assert await stores.history.delete(scope, deleted, now=seconds_on(1)) is True
        assert await stores.messages.last(scope, first_id, count=9) == first
        assert await stores.messages.last(scope, second_id, count=9) == second[1:]
        assert await _counts(stores, scope, second_id) == (1, 1)
        assert await stores.history.delete(scope, deleted, now=seconds_on(2)) is False
        assert await stores.history.delete(scope, uuid4(), now=seconds_on(2)) is False

    async def test_a_cleared_history_leaves_the_sessions_empty(self, stores: Stores) -> None:
        scope = a_scope()
        first_id, _ = await start_conversation(stores, scope)
        second_id, _ = await start_conversation(stores, scope, ["system", "user"])
        assert await stores.history.clear(scope, now=seconds_on(1)) == 4
        assert await stores.history.count(scope) == 0
        for session_id in (first_id, second_id):
            assert await stores.messages.last(scope, session_id, count=9) == ()
            assert await _counts(stores, scope, session_id) == (0, 0)
            assert await stores.messages.turn_status(scope, session_id, 1) is None
        assert await stores.history.clear(scope, now=seconds_on(2)) == 0

    async def test_sequence_numbers_continue_after_the_history_is_cleared(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        await stores.history.clear(scope, now=seconds_on(1))
        (following,) = await append(stores, scope, session_id, a_message())
        assert (following.sequence, following.turn_number) == (3, 2)

    @pytest.mark.parametrize("keep_last", [0, 1, 3, 5, 6, 7, 2**31 - 1])
    async def test_a_trim_keeps_the_newest_messages_of_all_sessions(
        self, stores: Stores, keep_last: int
    ) -> None:
        scope = a_scope()
        stored = await _interleaved_sessions(stores, scope)
        kept = stored[max(0, len(stored) - keep_last) :]
        trimmed = await stores.history.trim(scope, keep_last=keep_last, now=seconds_on(9))
        assert trimmed == len(stored) - len(kept)
        left = await stores.history.list(scope, PageRequest(order=Order.ASC))
        assert list(left.items) == kept
        assert await stores.history.count(scope) == len(kept)
        for session_id in {message.session_id for message in stored}:
            own = [message for message in kept if message.session_id == session_id]
            turns = {message.turn_number for message in own} - {None}
            assert await _counts(stores, scope, session_id) == (len(own), len(turns))

    async def test_numbers_continue_after_a_trim(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user", "user", "user"])
        await stores.history.trim(scope, keep_last=1, now=seconds_on(1))
        reply, question = await append(stores, scope, session_id, *messages_of("assistant", "user"))
        assert (reply.sequence, reply.turn_number) == (4, 3)
        assert (question.sequence, question.turn_number) == (5, 4)

    async def test_a_trim_of_an_empty_history_deletes_nothing(self, stores: Stores) -> None:
        assert await stores.history.trim(a_scope(), keep_last=0, now=seconds_on(1)) == 0


async def _interleaved_sessions(stores: Stores, scope: Scope) -> list[Message]:
    """Six messages of two sessions, two of each at the same moment, in the order of history."""
    first_id, first = await start_conversation(stores, scope, now=seconds_on(0))
    second_id, second = await start_conversation(
        stores, scope, ["system", "user"], now=seconds_on(0)
    )
    together = sorted(first + second, key=lambda m: (m.created_at, m.session_id, m.sequence))
    late = await append(stores, scope, second_id, a_message("assistant"), now=seconds_on(2))
    later = await append(stores, scope, first_id, a_message("user"), now=seconds_on(3))
    return [*together, *late, *later]


async def _counts(stores: Stores, scope: Scope, session_id: UUID) -> tuple[int, int]:
    session = await stores.sessions.get(scope, session_id)
    assert session is not None
    return session.message_count, session.turn_count
