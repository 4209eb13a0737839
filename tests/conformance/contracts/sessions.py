"""What `recollect.ports.conversations.SessionStore` promises."""

import asyncio
from uuid import uuid4

import pytest

from conformance.contracts.json_types import assert_same_json
from conformance.contracts.pages import walk
from recollect.domain.conversation.paging import Order, PageRequest, SessionSort
from recollect.domain.conversation.session import NewSession, SessionChanges
from recollect.domain.text import JsonValue
from recollect.errors import InvalidCursor
from recollect.ports import Stores
from support.examples import (
    EVERY_KIND_OF_JSON,
    a_message,
    a_scope,
    a_session,
    append,
    seconds_on,
    start_conversation,
    start_session,
)


class SessionStoreContract:
    """Starting, finding, listing, changing and deleting sessions."""

    async def test_a_started_session_is_found_as_it_was_returned(self, stores: Stores) -> None:
        scope = a_scope()
        new = NewSession(
            session_id=uuid4(), name="Sales", databases=("dwh", "crm"), tags=("b", "a")
        )
        session, is_new = await stores.sessions.start(scope, new, now=seconds_on(0))
        assert is_new
        assert await stores.sessions.get(scope, new.session_id) == session
        assert (session.session_id, session.name) == (new.session_id, "Sales")
        assert (session.databases, session.tags) == (("dwh", "crm"), ("b", "a"))
        assert (session.message_count, session.turn_count) == (0, 0)
        assert session.created_at == session.updated_at == session.last_accessed_at == seconds_on(0)
        assert (session.expires_at, session.summary) == (None, None)

    async def test_metadata_come_back_with_their_types(self, stores: Stores) -> None:
        scope = a_scope()
        new = NewSession(session_id=uuid4(), metadata=EVERY_KIND_OF_JSON)
        await stores.sessions.start(scope, new, now=seconds_on(0))
        session = await stores.sessions.get(scope, new.session_id)
        assert session is not None
        assert_same_json(session.metadata, EVERY_KIND_OF_JSON)

    async def test_changing_the_metadata_object_after_the_call_changes_nothing_stored(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        languages: list[JsonValue] = ["nl"]
        new = NewSession(session_id=uuid4(), metadata={"languages": languages})
        await stores.sessions.start(scope, new, now=seconds_on(0))
        languages.append("en")
        session = await stores.sessions.get(scope, new.session_id)
        assert session is not None
        assert session.metadata == {"languages": ["nl"]}

    async def test_starting_a_known_id_returns_the_session_unchanged(self, stores: Stores) -> None:
        scope = a_scope()
        first = await start_session(stores, scope, name="First")
        again, is_new = await stores.sessions.start(
            scope, a_session(first.session_id, name="Second"), now=seconds_on(9)
        )
        assert not is_new
        assert again == first

    async def test_of_many_that_start_one_id_at_once_one_is_first(self, stores: Stores) -> None:
        scope = a_scope()
        new = a_session()
        started = await asyncio.gather(
            *(stores.sessions.start(scope, new, now=seconds_on(n)) for n in range(10))
        )
        assert sum(is_new for _, is_new in started) == 1
        assert len({session.created_at for session, _ in started}) == 1

    async def test_an_unknown_session_is_none(self, stores: Stores) -> None:
        scope = a_scope()
        assert await stores.sessions.get(scope, uuid4()) is None
        changes = SessionChanges(name="x")
        assert await stores.sessions.change(scope, uuid4(), changes, now=seconds_on(0)) is None
        assert await stores.sessions.delete(scope, uuid4(), now=seconds_on(0)) is False

    async def test_a_change_replaces_only_the_given_fields(self, stores: Stores) -> None:
        scope = a_scope()
        new = NewSession(
            session_id=uuid4(), name="Old", metadata={"a": 1}, databases=("dwh",), tags=("t",)
        )
        await stores.sessions.start(scope, new, now=seconds_on(0))
        renamed = await stores.sessions.change(
            scope, new.session_id, SessionChanges(name="New"), now=seconds_on(1)
        )
        assert renamed is not None
        assert (renamed.name, renamed.metadata) == ("New", {"a": 1})
        assert (renamed.databases, renamed.tags) == (("dwh",), ("t",))
        changes = SessionChanges(metadata={}, databases=(), tags=("u", "v"))
        changed = await stores.sessions.change(scope, new.session_id, changes, now=seconds_on(2))
        assert changed is not None
        assert (changed.name, changed.metadata) == ("New", {})
        assert (changed.databases, changed.tags) == ((), ("u", "v"))
        assert await stores.sessions.get(scope, new.session_id) == changed
        untagged = await stores.sessions.change(
            scope, new.session_id, SessionChanges(tags=()), now=seconds_on(3)
        )
        assert untagged is not None
        assert untagged.tags == ()

    async def test_a_change_moves_the_time_forwards_only(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope, now=seconds_on(10))
        for now, expected in ((20, 20), (15, 20), (21, 21)):
            changed = await stores.sessions.change(
                scope, session.session_id, SessionChanges(name=f"at {now}"), now=seconds_on(now)
            )
            assert changed is not None
            assert changed.updated_at == seconds_on(expected)
            assert changed.created_at == seconds_on(10)

    async def test_a_deleted_session_is_gone_with_its_messages_and_turns(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope)
        assert await stores.sessions.delete(scope, session_id, now=seconds_on(1)) is True
        assert await stores.sessions.get(scope, session_id) is None
        assert await stores.messages.last(scope, session_id, count=10) is None
        assert await stores.messages.turn_status(scope, session_id, 1) is None
        assert await stores.history.count(scope) == 0
        assert await stores.sessions.delete(scope, session_id, now=seconds_on(2)) is False
        again = await start_session(stores, scope)
        message = a_message(message_id=messages[0].message_id)
        assert await append(stores, scope, again.session_id, message), "its ids are free again"

    async def test_a_session_started_again_after_its_deletion_is_empty(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        await stores.sessions.delete(scope, session_id, now=seconds_on(1))
        session, is_new = await stores.sessions.start(
            scope, a_session(session_id), now=seconds_on(2)
        )
        assert is_new
        assert (session.message_count, session.turn_count, session.name) == (0, 0, None)
        messages = await append(stores, scope, session_id, a_message(), now=seconds_on(3))
        assert (messages[0].sequence, messages[0].turn_number) == (1, 1)

    @pytest.mark.parametrize("order", Order)
    @pytest.mark.parametrize("limit", [1, 2, 5, 6])
    async def test_walking_all_pages_yields_every_session_once_by_its_last_change(
        self, stores: Stores, order: Order, limit: int
    ) -> None:
        scope = a_scope()
        started = [await start_session(stores, scope, now=seconds_on(n // 2)) for n in range(5)]
        await append(stores, scope, started[0].session_id, a_message(), now=seconds_on(99))
        walked = await walk(
            lambda page: stores.sessions.list(scope, page), PageRequest(order=order, limit=limit)
        )
        expected = sorted(walked, key=lambda session: (session.updated_at, session.session_id))
        assert walked == (expected if order is Order.ASC else expected[::-1])
        assert {s.session_id for s in walked} == {s.session_id for s in started}
        assert len(walked) == 5
        assert expected[-1].session_id == started[0].session_id

    @pytest.mark.parametrize("order", Order)
    @pytest.mark.parametrize("limit", [1, 2, 5, 6])
    async def test_walking_all_pages_yields_every_session_once_by_its_last_use(
        self, stores: Stores, order: Order, limit: int
    ) -> None:
        scope = a_scope()
        started = [await start_session(stores, scope, now=seconds_on(n // 2)) for n in range(5)]
        used = started[1].session_id
        await stores.sessions.touch(scope, used, now=seconds_on(99), expires_at=None)
        walked = await walk(
            lambda page: stores.sessions.list(scope, page, sort=SessionSort.LAST_ACCESSED),
            PageRequest(order=order, limit=limit),
        )
        expected = sorted(walked, key=lambda one: (one.last_accessed_at, one.session_id))
        assert walked == (expected if order is Order.ASC else expected[::-1])
        assert {s.session_id for s in walked} == {s.session_id for s in started}
        assert (len(walked), expected[-1].session_id) == (5, used)
        by_change = await stores.sessions.list(scope, PageRequest(limit=2))
        assert used not in {session.session_id for session in by_change.items}

    async def test_a_cursor_of_one_sort_is_refused_by_the_other(self, stores: Stores) -> None:
        scope = a_scope()
        for _ in range(2):
            await start_session(stores, scope)
        for sort, other in ((*SessionSort,), (*SessionSort,)[::-1]):
            page = await stores.sessions.list(scope, PageRequest(limit=1), sort=sort)
            with pytest.raises(InvalidCursor):
                await stores.sessions.list(scope, PageRequest(cursor=page.next_cursor), sort=other)

    async def test_an_offset_skips_so_many_sessions(self, stores: Stores) -> None:
        scope = a_scope()
        started = [await start_session(stores, scope, now=seconds_on(n)) for n in range(4)]
        page = await stores.sessions.list(scope, PageRequest(limit=2, offset=1))
        assert page.items == (started[2], started[1])
        rest = await stores.sessions.list(scope, PageRequest(limit=2, cursor=page.next_cursor))
        assert rest.items == (started[0],)
        assert rest.next_cursor is None
        beyond = await stores.sessions.list(scope, PageRequest(offset=4))
        assert (beyond.items, beyond.next_cursor) == ((), None)

    async def test_a_cursor_of_another_list_or_order_is_refused(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        await start_session(stores, scope)
        sessions = await stores.sessions.list(scope, PageRequest(limit=1))
        messages = await stores.messages.list(scope, session_id, PageRequest(limit=1))
        assert messages is not None
        for request in (
            PageRequest(cursor=messages.next_cursor),
            PageRequest(cursor=sessions.next_cursor, order=Order.ASC),
            PageRequest(cursor="broken"),
        ):
            with pytest.raises(InvalidCursor):
                await stores.sessions.list(scope, request)
