from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from conformance.contracts.pages import walk
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import Order, PageRequest
from recollect.domain.conversation.session import Session
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory import in_memory_stores
from recollect.ports import Stores
from support.examples import a_message, a_scope, append, seconds_on, start_session

SESSION_COUNT = 3
orders = st.sampled_from(Order)
limits = st.integers(1, 7)
writes = st.lists(st.tuples(st.integers(0, SESSION_COUNT - 1), st.integers(0, 5)), max_size=25)
operations = st.lists(
    st.tuples(
        st.sampled_from(
            ["user", "assistant", "system", "reply", "delete", "clear", "forget", "trim", "fail"]
        ),
        st.integers(0, 20),
    ),
    max_size=40,
)


async def sessions_with(
    stores: Stores, scope: Scope, written: list[tuple[int, int]]
) -> tuple[list[UUID], list[Message]]:
    ids = [(await start_session(stores, scope)).session_id for _ in range(SESSION_COUNT)]
    messages: list[Message] = []
    for session, second in written:
        messages += await append(stores, scope, ids[session], a_message(), now=seconds_on(second))
    return ids, messages


def in_order(items: list[Message], order: Order, key: Callable[[Message], object]) -> list[Message]:
    return sorted(items, key=key, reverse=order is Order.DESC)  # type: ignore[arg-type]


def by_time(message: Message) -> tuple[datetime, UUID, int]:
    return message.created_at, message.session_id, message.sequence


def by_change(session: Session) -> tuple[datetime, UUID]:
    return session.updated_at, session.session_id


@given(writes, orders, limits, st.integers(0, 30))
async def test_the_pages_of_a_history_are_the_sorted_list(
    written: list[tuple[int, int]], order: Order, limit: int, offset: int
) -> None:
    stores, scope = in_memory_stores(), a_scope()
    _, messages = await sessions_with(stores, scope, written)
    request = PageRequest(order=order, limit=limit, offset=offset)
    walked = await walk(lambda page: stores.history.list(scope, page), request)
    assert walked == in_order(messages, order, by_time)[offset:]


@given(writes, orders, limits, st.integers(0, 30))
async def test_the_pages_of_a_session_are_its_messages_by_number(
    written: list[tuple[int, int]], order: Order, limit: int, offset: int
) -> None:
    stores, scope = in_memory_stores(), a_scope()
    ids, messages = await sessions_with(stores, scope, written)
    request = PageRequest(order=order, limit=limit, offset=offset)
    walked = await walk(lambda page: stores.messages.list(scope, ids[0], page), request)
    own = [message for message in messages if message.session_id == ids[0]]
    assert walked == in_order(own, order, lambda message: message.sequence)[offset:]


@given(writes, orders, limits)
async def test_the_pages_of_the_sessions_are_sorted_by_their_last_change(
    written: list[tuple[int, int]], order: Order, limit: int
) -> None:
    stores, scope = in_memory_stores(), a_scope()
    ids, _ = await sessions_with(stores, scope, written)
    request = PageRequest(order=order, limit=limit)
    walked = await walk(lambda page: stores.sessions.list(scope, page), request)
    assert walked == sorted(walked, key=by_change, reverse=order is Order.DESC)
    assert sorted(session.session_id for session in walked) == sorted(ids)


@given(writes, st.integers(0, 30))
async def test_a_trim_keeps_the_end_of_the_sorted_list(
    written: list[tuple[int, int]], keep_last: int
) -> None:
    stores, scope = in_memory_stores(), a_scope()
    _, messages = await sessions_with(stores, scope, written)
    await stores.history.trim(scope, keep_last=keep_last, now=seconds_on(9))
    left = await stores.history.list(scope, PageRequest())
    assert list(left.items) == in_order(messages, Order.DESC, by_time)[:keep_last]


class Walkthrough:
    """Works on one session as told, and knows from the answers what must be there."""

    def __init__(self, stores: Stores, session_id: UUID, scope: Scope) -> None:
        self.stores = stores
        self.session_id = session_id
        self.scope = scope
        self.expected: list[Message] = []
        self.last_sequence = 0
        self.last_turn = 0

    async def apply(self, operation: str, number: int) -> None:
        now = seconds_on(number)
        messages, history = self.stores.messages, self.stores.history
        match operation:
            case "user" | "assistant" | "system":
                await self.write(operation, now)
            case "reply" if self.expected:
                await self.write("assistant", now, reply_to=self.pick(number).message_id)
            case "delete" if self.expected:
                gone = self.pick(number)
                assert await messages.delete(self.scope, self.session_id, gone.message_id, now=now)
                self.expected.remove(gone)
            case "trim":
                count = await history.trim(self.scope, keep_last=number, now=now)
                assert count == max(0, len(self.expected) - number)
                del self.expected[:count]
            case "clear":
                cleared = await messages.clear(self.scope, self.session_id, now=now)
                assert cleared == len(self.expected)
                self.expected.clear()
            case "forget":
                assert await history.clear(self.scope, now=now) == len(self.expected)
                self.expected.clear()
            case "fail":
                is_there = await messages.fail_turn(self.scope, self.session_id, number)
                assert is_there == (number in self.turns())

    async def write(self, role: str, now: datetime, reply_to: UUID | None = None) -> None:
        latest = max(self.turns(), default=None)
        (message,) = await append(
            self.stores, self.scope, self.session_id, a_message(role), reply_to=reply_to, now=now
        )
        assert message.sequence == self.last_sequence + 1
        if role == "user":
            assert message.turn_number == self.last_turn + 1
            self.last_turn += 1
        elif role == "assistant" and reply_to is None:
            assert message.turn_number == latest
        self.last_sequence += 1
        self.expected.append(message)

    def pick(self, number: int) -> Message:
        return self.expected[number % len(self.expected)]

    def turns(self) -> set[int]:
        return {m.turn_number for m in self.expected if m.turn_number is not None}

    async def check(self) -> None:
        session = await self.stores.sessions.get(self.scope, self.session_id)
        messages = await self.stores.messages.last(self.scope, self.session_id, count=1000)
        assert session is not None
        assert messages == tuple(self.expected)
        assert session.message_count == len(self.expected)
        assert session.turn_count == len(self.turns())
        assert await self.stores.history.count(self.scope) == len(self.expected)
        times = [message.created_at for message in self.expected]
        assert times == sorted(times)
        assert all(time <= session.updated_at for time in times)
        for turn in range(1, self.last_turn + 2):
            status = await self.stores.messages.turn_status(self.scope, self.session_id, turn)
            assert (status is not None) == (turn in self.turns())


@given(operations)
async def test_sequence_numbers_grow_and_counts_are_correct_after_any_operations(
    done: list[tuple[str, int]],
) -> None:
    stores, scope = in_memory_stores(), a_scope()
    session = await start_session(stores, scope)
    walkthrough = Walkthrough(stores, session.session_id, scope)
    for operation, number in done:
        await walkthrough.apply(operation, number)
        await walkthrough.check()
