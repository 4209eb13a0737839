"""What `recollect.ports.conversations.TurnStore` promises."""

from datetime import datetime
from typing import TypeAlias
from uuid import UUID, uuid4

from conformance.contracts.shared import END_OF_PAST, alone, before_all_others
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
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


class TurnStoreContract:
    """A turn is read with everything said in it."""

    async def test_a_turn_has_its_question_and_its_replies_in_order(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user", "assistant"])
        question = a_message("user", "And 2023?")
        await append(stores, scope, session_id, question)
        pending = await stores.turns.get(scope, session_id, 2)
        assert pending is not None
        assert (pending.status, pending.reply) == (TurnStatus.PENDING, None)
        replies = [a_message("assistant", "2.2M"), a_message("assistant", "2.3M")]
        for reply in replies:
            await append(stores, scope, session_id, reply, reply_to=question.message_id)
        turn = await stores.turns.get(scope, session_id, 2)
        assert turn is not None
        assert turn.status is TurnStatus.COMPLETE
        assert [message.content for message in turn.messages] == ["And 2023?", "2.2M", "2.3M"]
        assert turn.reply is not None
        assert turn.reply.message_id == replies[1].message_id

    async def test_an_unknown_turn_or_one_of_another_owner_is_none(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        assert await stores.turns.get(scope, session_id, 2) is None
        assert await stores.turns.get(scope, uuid4(), 1) is None
        for other in (a_scope(scope.tenant, user="bob"), a_scope(user=scope.user)):
            assert await stores.turns.get(other, session_id, 1) is None

    async def test_abandoned_turns_of_all_owners_are_failed(self, stores: Stores) -> None:
        async with alone(stores, "abandoned turns"):
            await stores.turns.fail_abandoned(started_by=END_OF_PAST)
            first, _ = await _asked(stores, a_scope(), before_all_others(1), "user")
            later, question = await _asked(stores, a_scope(), before_all_others(2), "user")
            answered, _ = await _asked(stores, a_scope(), before_all_others(1), "user", "assistant")
            assert await stores.turns.fail_abandoned(started_by=before_all_others(0)) == 0
            assert await stores.turns.fail_abandoned(started_by=before_all_others(1)) == 1
            found = [await _status(stores, case) for case in (first, later, answered)]
            assert found == [TurnStatus.FAILED, TurnStatus.PENDING, TurnStatus.COMPLETE]
            assert await stores.turns.fail_abandoned(started_by=before_all_others(2)) == 1
        await append(stores, *later, a_message("assistant"), reply_to=question)
        assert await _status(stores, later) is TurnStatus.COMPLETE, "better late than never"

    async def test_the_turns_of_an_expired_session_are_gone(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope, expires_at=seconds_on(1))
        await stores.messages.append(scope, session.session_id, [a_message()], now=seconds_on(0))
        assert await stores.turns.get(scope, session.session_id, 1) is None


_Case: TypeAlias = tuple[Scope, UUID]


async def _asked(stores: Stores, scope: Scope, at: datetime, *roles: str) -> tuple[_Case, UUID]:
    """A conversation of that moment: whose and which, and its first message."""
    session = await start_session(stores, scope, now=at)
    messages = await append(stores, scope, session.session_id, *messages_of(*roles), now=at)
    return (scope, session.session_id), messages[0].message_id


async def _status(stores: Stores, case: _Case) -> TurnStatus | None:
    return await stores.messages.turn_status(*case, 1)
