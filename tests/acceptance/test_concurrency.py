"""Many writers in one session: nothing shared, skipped, lost or doubled."""

import asyncio
from uuid import UUID, uuid4

import pytest

from recollect.domain.conversation.message import NewMessage, Role
from recollect.domain.conversation.paging import Order, PageRequest
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import Scope
from recollect.services.services import Services
from support.effort import sample

WRITERS, MESSAGES = 50, 40


async def start(services: Services, scope: Scope) -> UUID:
    session, _ = await services.sessions.start(scope, NewSession(session_id=uuid4()))
    return session.session_id


async def sequences(services: Services, scope: Scope, session_id: UUID) -> list[int]:
    found: list[int] = []
    cursor = None
    while True:
        page = PageRequest(limit=1000, order=Order.ASC, cursor=cursor)
        listed = await services.messages.list(scope, session_id, page)
        found += [message.sequence for message in listed.items]
        cursor = listed.next_cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("tries", sample([1, 2], of=[2]))
async def test_fifty_writers_of_forty_messages_leave_two_thousand_in_a_row(
    services: Services, scope: Scope, tries: int
) -> None:
    session_id = await start(services, scope)

    async def write(writer: int) -> None:
        for number in range(MESSAGES):
            message = NewMessage(
                message_id=uuid4(), role=Role.USER, content=f"writer {writer}, message {number}"
            )
            attempts = (
                services.messages.append(scope, session_id, [message]) for _ in range(tries)
            )
            appended = await asyncio.gather(*attempts)
            assert {result.messages[0].sequence for result in appended} == {
                appended[0].messages[0].sequence
            }
            assert sum(result.is_new for result in appended) == 1

    await asyncio.gather(*map(write, range(WRITERS)))
    assert await sequences(services, scope, session_id) == list(range(1, WRITERS * MESSAGES + 1))
    session = await services.sessions.get(scope, session_id)
    assert session.message_count == session.turn_count == WRITERS * MESSAGES
