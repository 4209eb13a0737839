"""What `recollect.ports.conversations.MessageStore` promises of messages sent twice."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest

from recollect.domain.conversation.message import NewMessage
from recollect.domain.identity.scope import Scope
from recollect.errors import IdAlreadyUsed
from recollect.ports import Stores
from recollect.ports.conversations import Appended
from support.examples import (
    a_message,
    a_scope,
    append,
    messages_of,
    seconds_on,
    start_conversation,
    start_session,
)


class MessageRetryingContract:
    """A retry stores nothing twice; an id stands for one message only."""

    async def test_a_retry_returns_the_stored_messages_and_changes_nothing(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope)).session_id
        batch = messages_of("user", "assistant")
        first = await _append(stores, scope, session_id, batch)
        assert first.is_new
        before = await stores.sessions.get(scope, session_id)
        retried = await _append(stores, scope, session_id, batch, seconds=9)
        assert retried == Appended(messages=first.messages, is_new=False)
        assert await stores.sessions.get(scope, session_id) == before
        assert await stores.messages.last(scope, session_id, count=9) == first.messages

    async def test_a_retry_of_a_part_returns_that_part_in_the_order_asked(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope)).session_id
        batch = messages_of("user", "assistant", "user")
        stored = await append(stores, scope, session_id, *batch)
        retried = await _append(stores, scope, session_id, [batch[2], batch[0]])
        assert retried == Appended(messages=(stored[2], stored[0]), is_new=False)

    async def test_a_retry_is_recognised_after_later_messages(self, stores: Stores) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope)).session_id
        question, reply = messages_of("user", "assistant")
        await append(stores, scope, session_id, question)
        stored = await append(
            stores, scope, session_id, reply, reply_to=question.message_id, now=seconds_on(1)
        )
        await append(stores, scope, session_id, a_message(), now=seconds_on(2))
        retried = await stores.messages.append(
            scope, session_id, [reply], reply_to=question.message_id, now=seconds_on(3)
        )
        assert retried == Appended(messages=stored, is_new=False)

    async def test_many_retries_at_once_store_one_message(self, stores: Stores) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope)).session_id
        message = a_message()
        appended = await asyncio.gather(
            *(_append(stores, scope, session_id, [message], seconds=n) for n in range(10))
        )
        assert sum(one.is_new for one in appended) == 1
        assert len({one.messages[0].created_at for one in appended}) == 1
        (following,) = await append(stores, scope, session_id, a_message())
        assert (following.sequence, following.turn_number) == (2, 2)
        session = await stores.sessions.get(scope, session_id)
        assert session is not None
        assert (session.message_count, session.turn_count) == (2, 2)

    @pytest.mark.parametrize(("role", "content"), [("user", "changed"), ("system", "user 1")])
    async def test_an_id_cannot_be_used_for_a_message_that_says_something_else(
        self, stores: Stores, role: str, content: str
    ) -> None:
        scope = a_scope()
        session_id, stored = await start_conversation(stores, scope)
        changed = a_message(role, content, message_id=stored[0].message_id)
        await _assert_refused(stores, scope, session_id, [changed])
        assert await stores.messages.last(scope, session_id, count=9) == stored

    async def test_an_id_of_one_session_cannot_be_used_in_another(self, stores: Stores) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope)).session_id
        other_id = (await start_session(stores, scope)).session_id
        message = a_message()
        stored = await append(stores, scope, session_id, message)
        await _assert_refused(stores, scope, other_id, [message])
        assert await stores.messages.last(scope, other_id, count=9) == ()
        assert await stores.messages.last(scope, session_id, count=9) == stored

    async def test_a_batch_with_old_and_new_messages_is_refused_as_a_whole(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope)).session_id
        batch = messages_of("user", "assistant")
        stored = await append(stores, scope, session_id, batch[0])
        await _assert_refused(stores, scope, session_id, batch)
        assert await stores.messages.last(scope, session_id, count=9) == stored

    async def test_a_batch_with_one_id_twice_is_refused_as_a_whole(self, stores: Stores) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope)).session_id
        message = a_message()
        await _assert_refused(stores, scope, session_id, [message, replace(message)])
        assert await stores.messages.last(scope, session_id, count=9) == ()

    async def test_a_refused_batch_uses_up_no_number(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, stored = await start_conversation(stores, scope)
        changed = a_message("user", "changed", message_id=stored[0].message_id)
        await _assert_refused(stores, scope, session_id, [a_message(), changed])
        (following,) = await append(stores, scope, session_id, a_message())
        assert (following.sequence, following.turn_number) == (3, 2)

    async def test_two_sessions_that_claim_one_id_at_once_do_not_share_it(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        sessions = [(await start_session(stores, scope)).session_id for _ in range(5)]
        message = a_message()
        outcomes = await asyncio.gather(
            *(_append(stores, scope, session_id, [message]) for session_id in sessions),
            return_exceptions=True,
        )
        refused = [outcome for outcome in outcomes if isinstance(outcome, IdAlreadyUsed)]
        assert len(refused) == 4, outcomes
        assert await stores.history.count(scope) == 1

    async def test_two_owners_may_use_the_same_ids(self, stores: Stores) -> None:
        message = a_message()
        alice = a_scope()
        for scope in (alice, a_scope(alice.tenant, user="bob"), a_scope(user="alice")):
            session_id = (await start_session(stores, scope)).session_id
            assert (await _append(stores, scope, session_id, [message])).is_new

    async def test_the_id_of_a_deleted_message_is_free_again(self, stores: Stores) -> None:
        scope = a_scope()
        session_id = (await start_session(stores, scope)).session_id
        message = a_message()
        await append(stores, scope, session_id, message)
        await stores.messages.delete(scope, session_id, message.message_id, now=seconds_on(1))
        again = await _append(stores, scope, session_id, [message])
        assert again.is_new
        assert again.messages[0].sequence == 2

    async def test_a_retried_reply_is_found_though_its_question_is_gone(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, (question,) = await start_conversation(stores, scope, ["user"])
        reply = a_message("assistant")
        (first,) = await append(stores, scope, session_id, reply, reply_to=question.message_id)
        await stores.messages.delete(scope, session_id, question.message_id, now=seconds_on(5))
        (second,) = await append(stores, scope, session_id, reply, reply_to=question.message_id)
        assert second == first


async def _append(
    stores: Stores,
    scope: Scope,
    session_id: UUID,
    messages: Sequence[NewMessage],
    *,
    seconds: float = 0,
) -> Appended:
    appended = await stores.messages.append(scope, session_id, messages, now=seconds_on(seconds))
    assert appended is not None
    return appended


async def _assert_refused(
    stores: Stores, scope: Scope, session_id: UUID, messages: Sequence[NewMessage]
) -> None:
    before = await stores.sessions.get(scope, session_id)
    with pytest.raises(IdAlreadyUsed) as refusal:
        await _append(stores, scope, session_id, messages, seconds=9)
    assert refusal.value.message_id in {message.message_id for message in messages}
    assert await stores.sessions.get(scope, session_id) == before
