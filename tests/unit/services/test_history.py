from uuid import uuid4

import pytest

from recollect.domain.conversation.paging import PageRequest
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import InvalidInput, MessageNotFound
from recollect.ports import Stores
from recollect.services.conversations.messages import OwnerMessages
from recollect.testing import FixedClock
from support.examples import a_scope, start_conversation
from support.permissions import permissions_on


@pytest.fixture
def stores() -> Stores:
    return in_memory_stores()


@pytest.fixture
def history(stores: Stores) -> OwnerMessages:
    return OwnerMessages(
        store=stores.history, permissions=permissions_on(stores), clock=FixedClock()
    )


async def test_history_is_listed_and_counted_across_sessions(
    stores: Stores, history: OwnerMessages
) -> None:
    scope = a_scope()
    _, first = await start_conversation(stores, scope)
    _, second = await start_conversation(stores, scope)
    page = await history.list(scope, PageRequest())
    stored = {message.message_id for message in first + second}
    assert {message.message_id for message in page.items} == stored
    assert await history.count(scope) == 4


async def test_a_deleted_message_is_not_found_again(stores: Stores, history: OwnerMessages) -> None:
    scope = a_scope()
    _, messages = await start_conversation(stores, scope)
    await history.delete(scope, messages[0].message_id)
    assert await history.count(scope) == 1
    for gone in (messages[0].message_id, uuid4()):
        with pytest.raises(MessageNotFound) as missing:
            await history.delete(scope, gone)
        assert missing.value.identifier == gone


async def test_trimming_and_clearing_tell_how_much_went(
    stores: Stores, history: OwnerMessages
) -> None:
    scope = a_scope()
    await start_conversation(stores, scope, ["user"] * 5)
    assert await history.trim(scope, keep_last=3) == 2
    assert await history.clear(scope) == 3
    assert await history.count(scope) == 0


@pytest.mark.parametrize("keep_last", [-1, 2**31])
async def test_a_senseless_trim_is_refused_and_deletes_nothing(
    stores: Stores, history: OwnerMessages, keep_last: int
) -> None:
    scope = a_scope()
    await start_conversation(stores, scope)
    with pytest.raises(InvalidInput, match=r"^keep_last must lie between 0 and"):
        await history.trim(scope, keep_last=keep_last)
    assert await history.count(scope) == 2


async def test_the_history_of_another_user_cannot_be_read_or_changed(
    stores: Stores, history: OwnerMessages
) -> None:
    owner = a_scope()
    _, messages = await start_conversation(stores, owner)
    for stranger in (a_scope(owner.tenant, user="bob"), a_scope(user=owner.user)):
        assert (await history.list(stranger, PageRequest())).items == ()
        assert await history.count(stranger) == 0
        assert await history.clear(stranger) == 0
        assert await history.trim(stranger, keep_last=0) == 0
        with pytest.raises(MessageNotFound):
            await history.delete(stranger, messages[0].message_id)
    assert await history.count(owner) == 2
