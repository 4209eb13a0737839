"""What an engine promises of the names that sessions get from their questions."""

from uuid import UUID

import pytest

from conformance.contracts.branch_client import Talk
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.session import MAX_SESSION_NAME_LENGTH, SessionChanges
from recollect.domain.identity.scope import Scope
from recollect.ports import Stores
from support.examples import (
    a_message,
    a_scope,
    append,
    seconds_on,
    start_conversation,
    start_session,
)

_TWO_TURNS = ("user", "assistant", "user", "assistant")


class SessionNamingContract:
    """A name made from a question goes with it; a name that was given stays."""

    async def test_a_session_records_which_turn_it_is_named_after(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ("system", "assistant", "user"))
        assert await _name(stores, scope, session_id) == ("user 3", 1)

    async def test_a_session_with_a_given_name_is_named_after_no_turn(self, stores: Stores) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope, name="Sales")).session_id
        await append(stores, scope, session_id, a_message())
        assert await _name(stores, scope, session_id) == ("Sales", None)

    @pytest.mark.parametrize("way", ["message", "history"])
    async def test_deleting_the_naming_question_renames_the_session_after_the_first_remaining_one(
        self, stores: Stores, way: str
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, _TWO_TURNS)
        await _delete(stores, scope, messages[0], way)
        assert await _name(stores, scope, session_id) == ("user 3", 2)
        await _delete(stores, scope, messages[2], way)
        assert await _name(stores, scope, session_id) == (None, None)

    async def test_a_session_without_questions_is_named_after_the_next_one(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        await stores.messages.clear(scope, session_id, now=seconds_on(1))
        assert await _name(stores, scope, session_id) == (None, None)
        await append(stores, scope, session_id, a_message(content="Why?"))
        assert await _name(stores, scope, session_id) == ("Why?", 2)

    async def test_deleting_another_message_leaves_the_name(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, _TWO_TURNS)
        for message in messages[1:]:
            await _delete(stores, scope, message, "message")
            assert await _name(stores, scope, session_id) == ("user 1", 1)

    async def test_clearing_and_trimming_a_history_take_the_names_along(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        first_id, _ = await start_conversation(stores, scope, now=seconds_on(1))
        second_id, _ = await start_conversation(stores, scope, _TWO_TURNS, now=seconds_on(2))
        await stores.history.trim(scope, keep_last=2, now=seconds_on(3))
        assert await _name(stores, scope, first_id) == (None, None)
        assert await _name(stores, scope, second_id) == ("user 3", 2)
        await stores.history.clear(scope, now=seconds_on(4))
        assert await _name(stores, scope, second_id) == (None, None)

    @pytest.mark.parametrize("way", ["message", "history", "clear", "clear history", "trim"])
    async def test_a_name_given_by_the_user_stays_when_messages_are_deleted(
        self, stores: Stores, way: str
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope)
        changes = SessionChanges(name="user 1")
        await stores.sessions.change(scope, session_id, changes, now=seconds_on(1))
        match way:
            case "clear":
                await stores.messages.clear(scope, session_id, now=seconds_on(2))
            case "clear history":
                await stores.history.clear(scope, now=seconds_on(2))
            case "trim":
                await stores.history.trim(scope, keep_last=0, now=seconds_on(2))
            case _:
                await _delete(stores, scope, messages[0], way)
        assert await _name(stores, scope, session_id) == ("user 1", None)

    async def test_changing_tags_keeps_the_session_named_after_its_question(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope)
        await stores.sessions.change(
            scope, session_id, SessionChanges(tags=("a",)), now=seconds_on(1)
        )
        await _delete(stores, scope, messages[0], "message")
        assert await _name(stores, scope, session_id) == (None, None)

    async def test_the_name_of_a_question_left_behind_goes_when_that_is_deleted(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        await talk.say("one, edited")
        assert await _name(stores, talk.scope, talk.session_id) == ("one", 1)
        left_behind = (await talk.everything())[0]
        assert not left_behind.is_active
        await _delete(stores, talk.scope, left_behind, "message")
        assert await _name(stores, talk.scope, talk.session_id) == ("one, edited", 2)

    async def test_a_question_of_an_inactive_branch_does_not_name_the_session(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        await talk.say("two")
        await talk.say("one")
        first, *_ = await talk.everything()
        await _delete(stores, talk.scope, first, "message")
        assert await _name(stores, talk.scope, talk.session_id) == (None, None)

    async def test_a_new_name_is_shortened_and_tidied_like_the_first_one(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, (first,) = await start_conversation(stores, scope, ["user"])
        asked = "\n  " + "why\tnot " * 400
        await append(stores, scope, session_id, a_message(content=asked))
        await _delete(stores, scope, first, "message")
        name, _ = await _name(stores, scope, session_id)
        assert name == ("why not " * 100)[:MAX_SESSION_NAME_LENGTH].strip()

    async def test_names_of_other_sessions_stay(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        other_id, _ = await start_conversation(stores, scope)
        await stores.messages.clear(scope, session_id, now=seconds_on(1))
        assert await _name(stores, scope, other_id) == ("user 1", 1)


async def _name(stores: Stores, scope: Scope, session_id: UUID) -> tuple[str | None, int | None]:
    session = await stores.sessions.get(scope, session_id)
    assert session is not None
    window = await stores.messages.window(scope, session_id, count=1, covers_all=False)
    assert window is not None
    assert (window.session.name, window.session.name_turn) == (session.name, session.name_turn)
    return session.name, session.name_turn


async def _delete(stores: Stores, scope: Scope, message: Message, way: str) -> None:
    now, message_id = seconds_on(9), message.message_id
    if way == "history":
        assert await stores.history.delete(scope, message_id, now=now)
    else:
        assert await stores.messages.delete(scope, message.session_id, message_id, now=now)
