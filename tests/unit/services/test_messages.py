from uuid import UUID, uuid4

import pytest

from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import (
    InvalidInput,
    MessageNotFound,
    RecollectError,
    SessionNotFound,
    TurnNotFound,
)
from recollect.ports import Stores
from recollect.services.conversations.last_access import LastAccess
from recollect.services.conversations.messages import Messages
from recollect.testing import FIRST_MOMENT, FixedClock
from support.examples import (
    a_message,
    a_scope,
    messages_of,
    start_conversation,
    start_session,
)
from support.permissions import permissions_on


@pytest.fixture
def stores() -> Stores:
    return in_memory_stores()


@pytest.fixture
def messages(stores: Stores) -> Messages:
    return Messages(
        store=stores.messages,
        permissions=permissions_on(stores),
        clock=FixedClock(),
        last_access=LastAccess(store=stores.sessions, clock=FixedClock()),
    )


async def failures_of_every_method(
    messages: Messages, scope: Scope, session_id: UUID, message_id: UUID
) -> list[type[RecollectError]]:
    failures = []
    for call in (
        messages.append(scope, session_id, [a_message()]),
        messages.last(scope, session_id, count=1),
        messages.list(scope, session_id, PageRequest()),
        messages.delete(scope, session_id, message_id),
        messages.clear(scope, session_id),
        messages.fail_turn(scope, session_id, 1),
        messages.turn_status(scope, session_id, 1),
    ):
        with pytest.raises(RecollectError) as failure:
            await call
        failures.append(failure.type)
    return failures


async def test_appended_messages_are_read_back(stores: Stores, messages: Messages) -> None:
    scope = a_scope()
    session_id = (await start_session(stores, scope)).session_id
    appended = await messages.append(scope, session_id, messages_of("user", "assistant"))
    assert appended.is_new
    assert appended.messages[0].created_at == FIRST_MOMENT
    assert await messages.last(scope, session_id, count=2) == appended.messages
    page = await messages.list(scope, session_id, PageRequest())
    assert page.items == appended.messages[::-1]


async def test_a_retry_is_distinguished_from_a_new_message(
    stores: Stores, messages: Messages
) -> None:
    scope = a_scope()
    session_id = (await start_session(stores, scope)).session_id
    message = a_message()
    outcomes = [await messages.append(scope, session_id, [message]) for _ in range(2)]
    assert [outcome.is_new for outcome in outcomes] == [True, False]


@pytest.mark.parametrize("count", [0, 10_001])
async def test_a_batch_has_1_to_10000_messages(
    stores: Stores, messages: Messages, count: int
) -> None:
    scope = a_scope()
    session_id = (await start_session(stores, scope)).session_id
    with pytest.raises(InvalidInput, match=r"^messages must be 1 to 10,000 at a time"):
        await messages.append(scope, session_id, [a_message()] * count)
    assert await messages.last(scope, session_id, count=1) == ()


async def test_a_batch_may_have_1000_messages(stores: Stores, messages: Messages) -> None:
    scope = a_scope()
    session_id = (await start_session(stores, scope)).session_id
    await messages.append(scope, session_id, messages_of(*["user"] * 1000))
    assert len(await messages.last(scope, session_id, count=1000)) == 1000


@pytest.mark.parametrize("count", [-1, 0, 1001])
async def test_no_more_than_1000_last_messages_can_be_asked_for(
    messages: Messages, count: int
) -> None:
    with pytest.raises(InvalidInput, match=r"^count must lie between 1 and 1000"):
        await messages.last(a_scope(), uuid4(), count=count)


async def test_deleting_and_clearing_leave_the_session(stores: Stores, messages: Messages) -> None:
    scope = a_scope()
    session_id, stored = await start_conversation(stores, scope, ["user"] * 3)
    await messages.delete(scope, session_id, stored[0].message_id)
    assert await messages.clear(scope, session_id) == 2
    assert await messages.last(scope, session_id, count=1) == ()
    with pytest.raises(MessageNotFound):
        await messages.delete(scope, session_id, stored[0].message_id)


async def test_a_question_without_an_answer_fails_its_turn(
    stores: Stores, messages: Messages
) -> None:
    scope = a_scope()
    session_id, _ = await start_conversation(stores, scope, ["user"])
    await messages.fail_turn(scope, session_id, 1)
    assert await messages.turn_status(scope, session_id, 1) is TurnStatus.FAILED
    with pytest.raises(TurnNotFound):
        await messages.fail_turn(scope, session_id, 2)


async def test_nothing_is_found_in_an_unknown_session(messages: Messages) -> None:
    assert await failures_of_every_method(messages, a_scope(), uuid4(), uuid4()) == [
        SessionNotFound,
        SessionNotFound,
        SessionNotFound,
        MessageNotFound,
        SessionNotFound,
        TurnNotFound,
        TurnNotFound,
    ]


async def test_a_session_of_another_user_fails_like_an_unknown_one(
    stores: Stores, messages: Messages
) -> None:
    owner = a_scope()
    session_id, stored = await start_conversation(stores, owner)
    as_unknown = await failures_of_every_method(messages, a_scope(), uuid4(), uuid4())
    for stranger in (a_scope(owner.tenant, user="bob"), a_scope(user=owner.user)):
        failures = await failures_of_every_method(
            messages, stranger, session_id, stored[0].message_id
        )
        assert failures == as_unknown
    assert await messages.last(owner, session_id, count=9) == stored
