"""What `recollect.ports.conversations.MessageStore` promises of deleting."""

import asyncio
from uuid import UUID, uuid4

from recollect.domain.identity.scope import Scope
from recollect.ports import Stores
from support.examples import a_message, a_scope, append, seconds_on, start_conversation


class MessageDeletingContract:
    """What is deleted is gone, what stays is counted right, and no number comes again."""

    async def test_a_deleted_message_is_gone_and_the_others_stay(self, stores: Stores) -> None:
        scope = a_scope()
        roles = ("user", "assistant", "user")
        session_id, messages = await start_conversation(stores, scope, roles)
        deleted = messages[1].message_id
        assert await stores.messages.delete(scope, session_id, deleted, now=seconds_on(1)) is True
        left = await stores.messages.last(scope, session_id, count=9)
        assert left == (messages[0], messages[2])
        assert await _counts(stores, scope, session_id) == (2, 2)
        assert await stores.messages.delete(scope, session_id, deleted, now=seconds_on(2)) is False

    async def test_deleting_from_the_wrong_session_deletes_nothing(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope)
        other_id, _ = await start_conversation(stores, scope)
        message_id = messages[0].message_id
        for wrong in (other_id, uuid4()):
            assert not await stores.messages.delete(scope, wrong, message_id, now=seconds_on(1))
        assert await stores.messages.last(scope, session_id, count=9) == messages

    async def test_deleting_a_whole_turn_lowers_the_turn_count(self, stores: Stores) -> None:
        scope = a_scope()
        roles = ("user", "assistant", "user", "assistant")
        session_id, messages = await start_conversation(stores, scope, roles)
        expected = [(3, 2), (2, 1)]
        for message, counts in zip(messages[:2], expected, strict=True):
            await stores.messages.delete(scope, session_id, message.message_id, now=seconds_on(1))
            assert await _counts(stores, scope, session_id) == counts

    async def test_sequence_numbers_are_not_reused_after_a_deletion(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope)
        await stores.messages.delete(scope, session_id, messages[1].message_id, now=seconds_on(1))
        (following,) = await append(stores, scope, session_id, a_message())
        assert following.sequence == 3

    async def test_a_cleared_session_stays_and_is_empty(self, stores: Stores) -> None:
        scope = a_scope()
        roles = ("system", "user", "assistant")
        session_id, _ = await start_conversation(stores, scope, roles)
        before = await stores.sessions.get(scope, session_id)
        assert await stores.messages.clear(scope, session_id, now=seconds_on(1)) == 3
        assert await stores.messages.last(scope, session_id, count=9) == ()
        assert await _counts(stores, scope, session_id) == (0, 0)
        after = await stores.sessions.get(scope, session_id)
        assert before is not None
        assert after is not None
        assert (after.name, after.created_at) == (None, before.created_at)
        assert await stores.messages.clear(scope, session_id, now=seconds_on(2)) == 0

    async def test_sequence_numbers_continue_after_a_session_is_cleared(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        await stores.messages.clear(scope, session_id, now=seconds_on(1))
        (following,) = await append(stores, scope, session_id, a_message())
        assert (following.sequence, following.turn_number) == (3, 2)
        assert await _counts(stores, scope, session_id) == (1, 1)

    async def test_clearing_one_session_leaves_the_others(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        other_id, messages = await start_conversation(stores, scope)
        await stores.messages.clear(scope, session_id, now=seconds_on(1))
        assert await stores.messages.last(scope, other_id, count=9) == messages
        assert await _counts(stores, scope, other_id) == (2, 1)

    async def test_clearing_an_unknown_session_is_none(self, stores: Stores) -> None:
        assert await stores.messages.clear(a_scope(), uuid4(), now=seconds_on(1)) is None

    async def test_of_many_that_delete_one_message_at_once_one_does(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope)
        message_id = messages[0].message_id
        deleted = await asyncio.gather(
            *(
                stores.messages.delete(scope, session_id, message_id, now=seconds_on(1))
                for _ in range(5)
            )
        )
        assert sum(deleted) == 1
        assert await _counts(stores, scope, session_id) == (1, 1)

    async def test_counts_stay_correct_when_deleting_and_appending_at_once(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user"] * 10)
        deletions = (
            stores.messages.delete(scope, session_id, message.message_id, now=seconds_on(1))
            for message in messages
        )
        writes = (append(stores, scope, session_id, a_message()) for _ in range(10))
        await asyncio.gather(*deletions, *writes)
        left = await stores.messages.last(scope, session_id, count=100)
        assert left is not None
        assert [message.sequence for message in left] == list(range(11, 21))
        assert await _counts(stores, scope, session_id) == (10, 10)


async def _counts(stores: Stores, scope: Scope, session_id: UUID) -> tuple[int, int]:
    session = await stores.sessions.get(scope, session_id)
    assert session is not None
    return session.message_count, session.turn_count
