"""What `recollect.ports.conversations.MessageStore` promises of windows."""

from uuid import UUID, uuid4

import pytest

from conformance.contracts.facts_shared import a_fact, an_edit
from recollect.domain.identity.scope import Scope
from recollect.ports import Stores
from recollect.ports.conversations import MAX_WINDOW, StoredWindow
from support.examples import (
    a_message,
    a_scope,
    a_summary,
    append,
    put_summary,
    seconds_on,
    start_conversation,
    start_session,
)

TURN = ("user", "assistant")


class WindowContract:
    """The session, its summary and the last messages that were answered."""

    @pytest.mark.parametrize("covers_all", [False, True])
    @pytest.mark.parametrize("turns", [1, 4, 5, 6, 50])
    async def test_a_window_has_the_last_messages_oldest_first(
        self, stores: Stores, *, turns: int, covers_all: bool
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, TURN * turns)
        window = await stores.messages.window(scope, session_id, count=10, covers_all=covers_all)
        assert window is not None
        assert window.messages == (messages if covers_all else messages[-10:])

    async def test_an_empty_session_has_an_empty_window(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        for covers_all in (False, True):
            window = await _window(
                stores, scope, session.session_id, count=9, covers_all=covers_all
            )
            assert window == StoredWindow(session=session, summary=None, messages=())

    @pytest.mark.parametrize(
        ("mode", "is_halted"), [(None, False), ("away", False), ("halted", True), ("Halted", True)]
    )
    async def test_a_window_tells_whether_its_user_is_halted_or_nothing_of_it(
        self, stores: Stores, mode: str | None, *, is_halted: bool
    ) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        await stores.states.put(a_scope(), "halted", now=seconds_on(0))
        if mode is not None:
            await stores.states.put(scope, mode, now=seconds_on(0))
        window = await _window(stores, scope, session.session_id, count=1)
        assert window.is_halted in {None, is_halted}

    async def test_a_window_tells_its_session_and_the_summary(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, TURN * 3)
        window = await _window(stores, scope, session_id, count=1)
        assert window.session == await stores.sessions.get(scope, session_id)
        assert window.summary is None
        summary = a_summary(through=4, tables=("sales",))
        assert await put_summary(stores, scope, session_id, summary, replaces=0)
        window = await _window(stores, scope, session_id, count=1)
        assert window.summary == summary
        assert window.session == await stores.sessions.get(scope, session_id)
        assert window.session.is_summarized

    async def test_a_window_denies_no_facts_that_are_there(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, TURN)
        others = an_edit(a_fact())
        assert await stores.facts.commit(a_scope(), [others], {})
        fact = a_fact()
        assert await stores.facts.commit(scope, [an_edit(fact)], {})
        window = await _window(stores, scope, session_id, count=1)
        assert window.has_facts

    async def test_a_session_without_an_answer_has_an_empty_window(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user"])
        window = await _window(stores, scope, session_id, count=9)
        assert (window.messages, window.session.message_count) == ((), 1)

    async def test_messages_of_pending_and_failed_turns_are_left_out(self, stores: Stores) -> None:
        scope = a_scope()
        roles = ("assistant", "user", "system", "user", "assistant", "assistant", "user")
        session_id, messages = await start_conversation(stores, scope, roles)
        await stores.messages.fail_turn(scope, session_id, 1)
        greeting, _, instruction, question, reply, second_reply, _ = messages
        expected = (greeting, instruction, question, reply, second_reply)
        for covers_all in (False, True):
            window = await _window(stores, scope, session_id, count=9, covers_all=covers_all)
            assert window.messages == expected
        assert (await _window(stores, scope, session_id, count=4)).messages == expected[-4:]

    async def test_a_question_is_in_the_window_once_it_is_answered(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, (older, newer) = await start_conversation(stores, scope, ["user", "user"])
        assert (await _window(stores, scope, session_id, count=9)).messages == ()
        (reply,) = await append(
            stores, scope, session_id, a_message("assistant"), reply_to=older.message_id
        )
        assert (await _window(stores, scope, session_id, count=9)).messages == (older, reply)
        (last,) = await append(stores, scope, session_id, a_message("assistant"))
        everything = (older, newer, reply, last)
        assert (await _window(stores, scope, session_id, count=9)).messages == everything

    @pytest.mark.parametrize(("count", "first"), [(1, 7), (3, 7), (4, 7), (5, 6), (99, 1)])
    async def test_a_covering_window_reaches_back_to_the_summary_or_further(
        self, stores: Stores, count: int, first: int
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, TURN * 5)
        assert await put_summary(stores, scope, session_id, a_summary(through=6), replaces=0)
        covering = await _window(stores, scope, session_id, count=count, covers_all=True)
        assert covering.messages == messages[first - 1 :]
        plain = await _window(stores, scope, session_id, count=count)
        assert plain.messages == messages[-count:]

    async def test_a_window_that_covers_all_lacks_no_answered_message_after_the_summary(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        roles = (*TURN, *TURN, "user", *TURN, "user", *TURN)
        session_id, messages = await start_conversation(stores, scope, roles)
        await stores.messages.delete(scope, session_id, messages[6].message_id, now=seconds_on(1))
        assert await put_summary(stores, scope, session_id, a_summary(through=4), replaces=0)
        window = await _window(stores, scope, session_id, count=1, covers_all=True)
        after = [message for message in window.messages if message.sequence > 4]
        assert after == [messages[5], *messages[8:]]

    async def test_a_covering_window_has_at_most_the_maximum_number_of_messages(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        roles = ["system"] * (MAX_WINDOW + 5)
        session_id, messages = await start_conversation(stores, scope, roles)
        window = await _window(stores, scope, session_id, count=10, covers_all=True)
        assert window.messages == messages[5:]

    async def test_a_deleted_message_is_in_no_window(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, TURN * 2)
        await stores.messages.delete(scope, session_id, messages[3].message_id, now=seconds_on(1))
        for covers_all in (False, True):
            window = await _window(stores, scope, session_id, count=2, covers_all=covers_all)
            assert window.messages[-2:] == messages[1:3]

    async def test_without_a_session_there_is_no_window(self, stores: Stores) -> None:
        owner = a_scope()
        session_id, _ = await start_conversation(stores, owner)
        strangers = [a_scope(owner.tenant, user="mallory"), a_scope(user=owner.user)]
        for scope, wanted in [
            (owner, uuid4()),
            *((stranger, session_id) for stranger in strangers),
        ]:
            for covers_all in (False, True):
                window = await stores.messages.window(scope, wanted, count=9, covers_all=covers_all)
                assert window is None


async def _window(
    stores: Stores, scope: Scope, session_id: UUID, *, count: int, covers_all: bool = False
) -> StoredWindow:
    """The window of a session that is known to exist."""
    window = await stores.messages.window(scope, session_id, count=count, covers_all=covers_all)
    assert window is not None, "the session should exist"
    return window
