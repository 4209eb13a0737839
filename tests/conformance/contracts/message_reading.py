"""What `recollect.ports.conversations.MessageStore` promises of reading."""

from uuid import uuid4

import pytest

from conformance.contracts.pages import walk
from recollect.domain.conversation.paging import Order, PageRequest
from recollect.errors import InvalidCursor
from recollect.ports import Stores
from support.examples import (
    a_message,
    a_scope,
    append,
    seconds_on,
    start_conversation,
    start_session,
)


class MessageReadingContract:
    """The last messages, and pages of them."""

    async def test_the_last_messages_come_oldest_first(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user"] * 5)
        assert await stores.messages.last(scope, session_id, count=1) == messages[4:]
        assert await stores.messages.last(scope, session_id, count=3) == messages[2:]
        assert await stores.messages.last(scope, session_id, count=5) == messages
        assert await stores.messages.last(scope, session_id, count=1000) == messages

    async def test_an_empty_session_has_no_messages_but_is_there(self, stores: Stores) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope)).session_id
        assert await stores.messages.last(scope, session_id, count=10) == ()
        page = await stores.messages.list(scope, session_id, PageRequest())
        assert page is not None
        assert (page.items, page.next_cursor) == ((), None)

    async def test_an_unknown_session_is_none(self, stores: Stores) -> None:
        scope = a_scope()
        assert await stores.messages.last(scope, uuid4(), count=10) is None
        assert await stores.messages.list(scope, uuid4(), PageRequest()) is None

    async def test_one_sessions_messages_are_not_anothers(self, stores: Stores) -> None:
        scope = a_scope()
        first, messages = await start_conversation(stores, scope)
        second, others = await start_conversation(stores, scope)
        assert await stores.messages.last(scope, first, count=9) == messages
        assert await stores.messages.last(scope, second, count=9) == others

    @pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 1000])
    async def test_walking_all_pages_yields_every_message_once_in_either_order(
        self, stores: Stores, limit: int
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user"] * 6)
        for order, expected in ((Order.ASC, messages), (Order.DESC, messages[::-1])):
            walked = await walk(
                lambda page: stores.messages.list(scope, session_id, page),
                PageRequest(limit=limit, order=order),
            )
            assert walked == list(expected)

    async def test_walking_from_an_offset_yields_the_rest(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user"] * 6)
        for order, expected in ((Order.ASC, messages), (Order.DESC, messages[::-1])):
            walked = await walk(
                lambda page: stores.messages.list(scope, session_id, page),
                PageRequest(limit=2, offset=3, order=order),
            )
            assert walked == list(expected[3:])

    async def test_an_offset_beyond_the_end_finds_nothing(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        for offset in (2, 10_000):
            page = await stores.messages.list(scope, session_id, PageRequest(offset=offset))
            assert page is not None
            assert (page.items, page.next_cursor) == ((), None)

    async def test_the_page_that_ends_the_list_has_no_cursor(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user"] * 4)
        full = await stores.messages.list(scope, session_id, PageRequest(limit=4))
        assert full is not None
        assert full.next_cursor is None
        short = await stores.messages.list(scope, session_id, PageRequest(limit=3))
        assert short is not None
        assert short.next_cursor is not None

    async def test_messages_are_listed_newest_first_by_default(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope)
        page = await stores.messages.list(scope, session_id, PageRequest())
        assert page is not None
        assert page.items == messages[::-1]

    async def test_messages_added_or_deleted_between_pages_do_not_shift_the_pages(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user"] * 5)
        first = await stores.messages.list(scope, session_id, PageRequest(limit=2))
        assert first is not None
        await append(stores, scope, session_id, a_message(), now=seconds_on(1))
        await stores.messages.delete(scope, session_id, messages[3].message_id, now=seconds_on(2))
        second = await stores.messages.list(
            scope, session_id, PageRequest(limit=2, cursor=first.next_cursor)
        )
        assert second is not None
        assert second.items == (messages[2], messages[1])

    async def test_a_cursor_of_another_list_or_order_is_refused(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        messages = await stores.messages.list(scope, session_id, PageRequest(limit=1))
        history = await stores.history.list(scope, PageRequest(limit=1))
        assert messages is not None
        for request in (
            PageRequest(cursor=history.next_cursor),
            PageRequest(cursor=messages.next_cursor, order=Order.ASC),
            PageRequest(cursor=""),
        ):
            with pytest.raises(InvalidCursor):
                await stores.messages.list(scope, session_id, request)
