"""What `recollect.ports.conversations.MessageStore` promises of turns."""

from uuid import UUID, uuid4

import pytest

from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.errors import MessageNotFound
from recollect.ports import Stores
from support.examples import (
    a_message,
    a_scope,
    append,
    messages_of,
    seconds_on,
    start_conversation,
    start_session,
)


class TurnContract:
    """A question opens a turn; a reply completes it, or it fails."""

    async def test_a_question_opens_a_turn_and_a_reply_completes_it(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, (question,) = await start_conversation(stores, scope, ["user"])
        assert question.turn_number == 1
        assert await _statuses(stores, scope, session_id) == [TurnStatus.PENDING]
        (reply,) = await append(stores, scope, session_id, a_message("assistant", "North"))
        assert reply.turn_number == 1
        assert await _statuses(stores, scope, session_id) == [TurnStatus.COMPLETE]

    async def test_a_second_reply_joins_the_same_turn(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        (second,) = await append(stores, scope, session_id, a_message("assistant", "South"))
        assert second.turn_number == 1
        assert await _statuses(stores, scope, session_id) == [TurnStatus.COMPLETE]

    async def test_questions_in_one_batch_open_a_turn_each(self, stores: Stores) -> None:
        scope = a_scope()
        roles = ("system", "user", "user", "assistant", "system", "assistant", "user")
        session_id, messages = await start_conversation(stores, scope, roles)
        assert [m.turn_number for m in messages] == [None, 1, 2, 2, None, 2, 3]
        assert await _statuses(stores, scope, session_id) == [
            TurnStatus.PENDING,
            TurnStatus.COMPLETE,
            TurnStatus.PENDING,
        ]

    async def test_a_reply_before_any_question_belongs_to_no_turn(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["assistant", "user"])
        assert [message.turn_number for message in messages] == [None, 1]
        assert await _statuses(stores, scope, session_id) == [TurnStatus.PENDING]

    async def test_a_system_message_opens_and_completes_no_turn(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user", "system"])
        assert [message.turn_number for message in messages] == [1, None]
        assert await _statuses(stores, scope, session_id) == [TurnStatus.PENDING]

    async def test_a_reply_to_an_older_question_leaves_a_newer_one_pending(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, (older, _) = await start_conversation(stores, scope, ["user", "user"])
        (reply,) = await append(
            stores,
            scope,
            session_id,
            a_message("assistant", "the older one's answer"),
            reply_to=older.message_id,
        )
        assert (reply.turn_number, reply.sequence) == (1, 3)
        assert await _statuses(stores, scope, session_id) == [
            TurnStatus.COMPLETE,
            TurnStatus.PENDING,
        ]
        (next_reply,) = await append(stores, scope, session_id, a_message("assistant", "next"))
        assert next_reply.turn_number == 2

    async def test_a_reply_to_a_reply_joins_its_turn(self, stores: Stores) -> None:
        scope = a_scope()
        roles = ("user", "assistant", "user")
        session_id, messages = await start_conversation(stores, scope, roles)
        (reply,) = await append(
            stores,
            scope,
            session_id,
            a_message("assistant", "again"),
            reply_to=messages[1].message_id,
        )
        assert reply.turn_number == 1

    async def test_a_reply_to_a_message_of_no_turn_belongs_to_none(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, (system, _) = await start_conversation(stores, scope, ["system", "user"])
        (reply,) = await append(
            stores, scope, session_id, a_message("assistant"), reply_to=system.message_id
        )
        assert reply.turn_number is None
        assert await _statuses(stores, scope, session_id) == [TurnStatus.PENDING]

    async def test_a_reply_to_a_message_of_another_session_is_refused(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user"])
        _, (elsewhere,) = await start_conversation(stores, scope, ["user"])
        for unknown in (elsewhere.message_id, uuid4()):
            with pytest.raises(MessageNotFound):
                await append(stores, scope, session_id, a_message("assistant"), reply_to=unknown)
        assert await _statuses(stores, scope, session_id) == [TurnStatus.PENDING]

    async def test_a_pending_turn_can_fail(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, questions = await start_conversation(stores, scope, ["user", "user"])
        assert await stores.messages.fail_turn(scope, session_id, 1) is True
        assert await _statuses(stores, scope, session_id) == [
            TurnStatus.FAILED,
            TurnStatus.PENDING,
        ]
        assert await stores.messages.last(scope, session_id, count=9) == questions
        assert await stores.messages.fail_turn(scope, session_id, 1) is True

    async def test_a_complete_turn_stays_complete(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        assert await stores.messages.fail_turn(scope, session_id, 1) is True
        assert await _statuses(stores, scope, session_id) == [TurnStatus.COMPLETE]

    async def test_a_reply_completes_a_failed_turn_after_all(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user"])
        await stores.messages.fail_turn(scope, session_id, 1)
        await append(stores, scope, session_id, a_message("assistant", "second try"))
        assert await _statuses(stores, scope, session_id) == [TurnStatus.COMPLETE]

    async def test_an_unknown_turn_has_no_status_and_cannot_fail(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        for session, turn in ((session_id, 2), (session_id, 0), (session_id, -1), (uuid4(), 1)):
            assert await stores.messages.turn_status(scope, session, turn) is None
            assert await stores.messages.fail_turn(scope, session, turn) is False

    async def test_a_turn_lives_as_long_as_its_last_message(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, (question, reply) = await start_conversation(stores, scope)
        await stores.messages.delete(scope, session_id, question.message_id, now=seconds_on(1))
        assert await _statuses(stores, scope, session_id) == [TurnStatus.COMPLETE]
        await stores.messages.delete(scope, session_id, reply.message_id, now=seconds_on(2))
        assert await stores.messages.turn_status(scope, session_id, 1) is None
        session = await stores.sessions.get(scope, session_id)
        assert session is not None
        assert session.turn_count == 0

    async def test_turn_numbers_are_not_reused_after_a_deletion(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user", "user"])
        await stores.messages.delete(scope, session_id, messages[1].message_id, now=seconds_on(1))
        (question,) = await append(stores, scope, session_id, a_message())
        assert question.turn_number == 3

    async def test_a_reply_joins_the_latest_turn_that_is_still_there(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user", "user"])
        await stores.messages.delete(scope, session_id, messages[1].message_id, now=seconds_on(1))
        (reply,) = await append(stores, scope, session_id, a_message("assistant"))
        assert reply.turn_number == 1

    async def test_after_a_clear_a_reply_waits_for_the_next_question(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        await append(stores, scope, session.session_id, *messages_of("user", "assistant"))
        await stores.messages.clear(scope, session.session_id, now=seconds_on(1))
        roles = ("assistant", "user", "assistant")
        messages = await append(stores, scope, session.session_id, *messages_of(*roles))
        assert [message.turn_number for message in messages] == [None, 2, 2]


async def _statuses(stores: Stores, scope: Scope, session_id: UUID) -> list[TurnStatus | None]:
    """The statuses of all turns of a session in which none was deleted."""
    session = await stores.sessions.get(scope, session_id)
    assert session is not None
    return [
        await stores.messages.turn_status(scope, session_id, number)
        for number in range(1, session.turn_count + 1)
    ]
